"""The JSON of a checked or run document, for REST and `--json`."""

from typing import Any, Self

from toolweave.documents.block_plan import Planned, summary
from toolweave.documents.render import Callout
from toolweave.documents.service import DocumentReport, DocumentRunReport
from toolweave.json_record import JsonRecord, ProblemRecord


class BlockRecord(JsonRecord):
    """A block, the server it uses and why, and its state."""

    line: int
    kind: str
    name: str
    server: str | None
    why: str
    state: str
    # Any: the arguments of a tool call.
    arguments: dict[str, Any]
    id: str | None


class BlockResult(JsonRecord):
    """The result of a block, as written below it."""

    line: int
    kind: str
    name: str
    server: str | None
    failed: bool
    text: str


class DocumentRecord(JsonRecord):
    """A document's blocks, bindings and problems."""

    path: str
    headings: list[str]
    blocks: list[BlockRecord]
    # Any: bindings and problems leave out what they do not have.
    bindings: list[dict[str, Any]]
    problems: list[ProblemRecord]

    @classmethod
    def read(cls, report: DocumentReport) -> Self:
        """Read the report of a document."""
        return cls(
            path=str(report.path),
            headings=[heading.text for heading in report.document.headings],
            blocks=[_block(planned) for planned in report.planned],
            bindings=[{"id": kept.id, **kept.binding.as_json()} for kept in report.kept],
            problems=[ProblemRecord.of(problem.as_json()) for problem in report.problems],
        )


class DocumentRunRecord(JsonRecord):
    """The results of a document's blocks; `held` says how to continue after a limit was reached."""

    path: str
    blocks: int
    ran: int
    failed: int
    skipped: int
    invalid: int
    cancelled: bool
    results: list[BlockResult]
    # Any: as above.
    problems: list[ProblemRecord]
    held: dict[str, Any] | None = None

    @classmethod
    def read(cls, ran: DocumentRunReport) -> Self:
        """Read the report of a run."""
        record: dict[str, Any] = {
            "path": str(ran.looked.path),
            **summary(ran.looked.planned, ran.results),
            "cancelled": ran.is_cancelled,
            "results": [
                _result(planned, ran.results[planned.number])
                for planned in ran.looked.planned
                if planned.number in ran.results
            ],
            "problems": [ProblemRecord.of(problem.as_json()) for problem in ran.problems],
        }
        return cls.of(record | {"held": ran.held.as_json()} if ran.held else record)


def _block(planned: Planned) -> BlockRecord:
    block = planned.block
    return BlockRecord(
        line=block.line,
        kind=block.kind,
        name=block.name,
        server=planned.server,
        why=planned.why,
        state=planned.standing,
        arguments=block.arguments,
        id=block.id,
    )


def _result(planned: Planned, callout: Callout) -> BlockResult:
    return BlockResult(
        line=planned.block.line,
        kind=planned.block.kind,
        name=planned.block.name,
        server=planned.server,
        failed=callout.is_failure,
        text="\n".join(callout.lines[1:-1]),
    )
