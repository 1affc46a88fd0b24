"""The blocks of a document before they run: server, status, which are due, and the limit."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from toolweave.documents.bindings import Bindings, ChosenServer
from toolweave.documents.document import TOOL, WORKFLOW, Block, Document
from toolweave.documents.render import Callout, block_key
from toolweave.errors import Limited
from toolweave.json_text import JsonObject
from toolweave.problems import Problem, did_you_mean, pointer
from toolweave.settings import Limits

# new: never run as it is now; done, failed: the result below is of it; invalid: it cannot be run.
Standing = Literal["new", "done", "failed", "invalid"]


@dataclass(frozen=True, slots=True)
class Planned:
    """A block, its server and why, and its status."""

    number: int
    block: Block
    server: str | None
    why: str
    key: str
    standing: Standing
    problem: Problem | None = None

    @property
    def title(self) -> str:
        """The title above its result."""
        return self.block.name if self.server is None else f"{self.block.name} · {self.server}"


def plan(document: Document, bindings: Bindings, first_enabled: str | None) -> list[Planned]:
    """Every block of a document, in order."""
    found: list[Planned] = []
    for number, block in enumerate(document.blocks):
        chosen = ChosenServer(None, "it is a workflow")
        if block.kind != "workflow":
            chosen = bindings.server_of(block, first_enabled)
        server, why = chosen.server, chosen.why
        key = block_key(block.kind, server, block.name, block.arguments)
        problem = block.problem
        if problem is None and block.kind != "workflow" and server is None:
            problem = _no_server(block, chosen)
        standing: Standing = "invalid" if problem else _standing(block, key)
        found.append(Planned(number, block, server, why, key, standing, problem))
    return found


def _no_server(block: Block, chosen: ChosenServer) -> Problem:
    place = pointer("lines", block.line)
    if chosen.fault is not None:
        return Problem(
            "DOCUMENT_BINDING_UNRESOLVED",
            place,
            f"the block is not run, because its server is unclear: {chosen.fault}",
            "correct the binding, or name the server in the block",
        )
    return Problem(
        "DOCUMENT_NO_SERVER",
        place,
        "the block names no server, its section has none, and no server is enabled",
        "name a server, bind the section, or enable one with `toolweave servers enable`",
    )


def due(planned: Sequence[Planned], *, refresh: bool, retry: bool = True) -> list[Planned]:
    """The blocks to run: new ones, failed ones again, and with `refresh` all that can be."""
    wanted: set[Standing] = {"new"}
    if retry or refresh:
        wanted.add("failed")
    if refresh:
        wanted.add("done")
    return [one for one in planned if one.standing in wanted]


def unknown_servers(document: Document, servers: Collection[str]) -> Iterator[Problem]:
    """Blocks that look like calls of a server that is not registered, or name no tool."""
    for block in document.unknown:
        if block.info in servers or block.info in (TOOL, WORKFLOW):
            kind = WORKFLOW if block.info == WORKFLOW else TOOL
            yield Problem(
                "DOCUMENT_TOOL_MISSING",
                pointer("lines", block.line),
                f"the block has no `{kind}:` line, so it is not run",
                f"add `{kind}: NAME`",
                "warning",
            )
            continue
        close = did_you_mean(block.info, servers)
        yield Problem(
            "DOCUMENT_SERVER_UNKNOWN",
            pointer("lines", block.line),
            f"no server is called {block.info[:128]!r}, so the block is not run",
            close or "`toolweave servers list` shows the registered servers",
            # Without a similar name it may be any other code.
            "error" if close else "warning",
        )


def within_limit(blocks: Sequence[Planned], limits: Limits) -> tuple[list[Planned], int]:
    """As many blocks as one session may run, and how many are left for the next."""
    most = limits.calls_per_session
    if most == -1:
        return list(blocks), 0
    return list(blocks[:most]), max(0, len(blocks) - most)


def held(left: int, limits: Limits) -> Limited:
    """What to say of blocks that were left for the next session."""
    return Limited(
        "CALL_SESSION_LIMIT",
        f"{left} blocks remain: a session runs at most {limits.calls_per_session}",
        hint="run it again to continue: finished blocks are not run twice; or raise "
        "TOOLWEAVE_CALLS_PER_SESSION (-1 = unlimited)",
        facts={"left": left, "limit": limits.calls_per_session},
    )


def summary(planned: Sequence[Planned], results: Mapping[int, Callout]) -> JsonObject:
    """How many blocks did what."""
    ran = [results[one.number] for one in planned if one.number in results]
    failed = sum(callout.is_failure for callout in ran)
    return {
        "blocks": len(planned),
        "ran": len(ran),
        "failed": failed,
        "skipped": sum(
            one.number not in results and one.standing in ("done", "failed") for one in planned
        ),
        "invalid": sum(one.standing == "invalid" for one in planned),
    }


def _standing(block: Block, key: str) -> Standing:
    if block.result is None or block.result.key not in (key, None):
        return "new"
    return "failed" if block.result.is_failure else "done"
