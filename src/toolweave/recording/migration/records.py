"""What `servers diff` and `migrate` report, as commands with `--json` and REST show it."""

from typing import Any, Self

from toolweave.json_record import JsonRecord
from toolweave.recording.migration.changed_tool import ChangedTool
from toolweave.recording.migration.proof import MigrationProof
from toolweave.recording.migration.proposal import MigrationProposal


class TypedChangeRecord(JsonRecord):
    """One change of a tool: of a parameter, of a field of the result, or of the tool itself."""

    kind: str
    side: str
    parameter: str
    now: str | None
    message: str
    certainty: str


class ToolDifferenceRecord(JsonRecord):
    """A tool whose definition differs from the approved one; `now` is its current name."""

    tool: str
    now: str | None
    changes: list[TypedChangeRecord]

    @classmethod
    def read(cls, tool: ChangedTool) -> Self:
        """Read a changed tool."""
        changes = [TypedChangeRecord.of(change) for change in tool.changes]
        return cls(tool=tool.name, now=tool.new_name, changes=changes)


class AffectedPlaceRecord(JsonRecord):
    """A place that calls a changed tool; `certainty` is missing if nothing can be proposed."""

    node: str
    pointer: str
    tool: str
    reason: str
    certainty: str | None


class AffectedRecord(JsonRecord):
    """A workflow, document or recording that uses a changed tool."""

    kind: str
    name: str
    verdict: str
    places: list[AffectedPlaceRecord]


class ServerDifferenceRecord(JsonRecord):
    """How the tools of a server differ from the approved ones, and what that affects."""

    server: str
    approved: int
    listed: int
    tools: list[ToolDifferenceRecord]
    affected: list[AffectedRecord]
    warnings: list[str]


class MigrationRecord(JsonRecord):
    """What is proposed for one workflow; `state` is what was done with it."""

    workflow: str
    verdict: str
    certainty: str
    state: str
    proof: str
    proved_by: list[str]
    changes: list[AffectedPlaceRecord]
    open: list[AffectedPlaceRecord]
    # Any: operations of a JSON Patch.
    patch: list[dict[str, Any]]
    # Past runs whose replay proves it.
    proved_by_runs: list[str]
    message: str | None = None
    # Identifies the version of the workflow and the patch that a person has seen.
    proposal: str | None = None

    @classmethod
    def read(
        cls, name: str, proposal: MigrationProposal, proof: MigrationProof, state: str
    ) -> Self:
        """Read a proposal."""
        return cls(
            workflow=name,
            verdict=proposal.verdict,
            certainty=proposal.certainty,
            state=state,
            proof=proof.text,
            proved_by=[*proof.recordings],
            changes=[AffectedPlaceRecord.of(one) for one in proposal.changes],
            open=open_places(proposal),
            patch=proposal.patch if proposal.can_apply else [],
            proved_by_runs=[*proof.runs],
        )


class ServerMigrationsRecord(JsonRecord):
    """What adapts the stored workflows to the changed tools of a server."""

    server: str
    migrations: list[MigrationRecord]
    warnings: list[str]


def open_places(proposal: MigrationProposal) -> list[AffectedPlaceRecord]:
    """Return where nothing can be proposed."""
    return [
        AffectedPlaceRecord(
            node=one.node, pointer=one.pointer, tool=one.tool, reason=one.reason, certainty=None
        )
        for one in proposal.open_points
    ]
