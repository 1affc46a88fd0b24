"""Runs the blocks of a document: which are due, through the gate, in order or in parallel."""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import anyio

from toolweave.access.mask import Masker
from toolweave.documents.bindings import Bindings, ChosenServer
from toolweave.documents.document import TOOL, WORKFLOW, Block, Document
from toolweave.documents.render import (
    Callout,
    block_key,
    render_error,
    render_result,
    render_value,
)
from toolweave.errors import Limited, ToolweaveError
from toolweave.json_text import Json, JsonObject, write
from toolweave.problems import Problem, did_you_mean, pointer
from toolweave.settings import Limits
from toolweave.tools.tool import ToolCall, ToolCaller, ToolResult, content_call
from toolweave.tools.uri_template import expand

# new: never run as it is now; done, failed: the result below is of it; invalid: it cannot be run.
Standing = Literal["new", "done", "failed", "invalid"]


class WorkflowCaller(Protocol):
    """Runs stored workflows."""

    async def run_workflow(self, name: str, inputs: JsonObject, *, trigger: str) -> Json:
        """What a workflow gives. Raises `WORKFLOW_NOT_FOUND`, `SUBWORKFLOW_FAILED`."""
        ...


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


Write = Callable[[Planned, Callout], Awaitable[None]]


class BlockRunner:
    """Runs blocks; what is done is in `results` at any moment, also when it is cancelled."""

    def __init__(
        self,
        tools: ToolCaller,
        workflows: WorkflowCaller,
        *,
        masker: Masker,
        limits: Limits,
        location: str,
        scope: str,
        folder: str,
        write: Write,
    ) -> None:
        self._tools = tools
        self._workflows = workflows
        self._masker = masker
        self._limits = limits
        self._location = location
        self._scope = scope
        self._folder = folder
        self._write = write
        self.results: dict[int, Callout] = {}

    async def run(self, blocks: Sequence[Planned], parallel: int = 1) -> None:
        """Run blocks in order, up to `parallel` at a time and never more than calls may be."""
        most = min(parallel, self._limits.concurrent_calls)
        if most <= 1:
            for planned in blocks:
                await self._run(planned)
            return
        slots = anyio.Semaphore(most)

        async def one(planned: Planned) -> None:
            async with slots:
                await self._run(planned)

        try:
            async with anyio.create_task_group() as tasks:
                for planned in blocks:
                    tasks.start_soon(one, planned)
        except BaseExceptionGroup as group:
            # One document, one file: if it cannot be written, the first failure says why.
            refused, rest = group.split(ToolweaveError)
            if refused is None or rest is not None:
                raise
            raise _first(refused) from None

    async def _run(self, planned: Planned) -> None:
        callout = await self._callout(planned)
        # What was done is kept, also when the run is stopped at this moment.
        with anyio.CancelScope(shield=True):
            self.results[planned.number] = callout
            await self._write(planned, callout)

    async def _callout(self, planned: Planned) -> Callout:
        block = planned.block
        try:
            if block.kind == "workflow":
                trigger = f"document:{self._location}"
                value = await self._workflows.run_workflow(
                    block.name, block.arguments, trigger=trigger[:200]
                )
                shown = self._masker.mask_json(value)
                return render_value(shown, planned.title, planned.key, self._folder)
            assert planned.server is not None
            call = replace(
                _call(planned.server, block),
                source="document",
                scope=self._scope,
                location=self._location,
                line=block.line,
            )
            result = self._masked(await self._tools.call(call))
            return render_result(result, planned.title, planned.key, self._folder)
        except ToolweaveError as error:
            return render_error(self._hidden(error), planned.title, planned.key)

    def _masked(self, result: ToolResult) -> ToolResult:
        hide = self._masker.mask_text
        content = tuple(
            replace(one, text=None if one.text is None else hide(one.text))
            for one in result.content
        )
        return replace(
            result, content=content, structured=self._masker.mask_json(result.structured)
        )

    def _hidden(self, error: ToolweaveError) -> ToolweaveError:
        error.message = self._masker.mask_text(error.message)
        return error


def _call(server: str, block: Block) -> ToolCall:
    if block.kind == "tool":
        return ToolCall(server, block.name, block.arguments)
    values = {
        name: value if isinstance(value, str) else write(value)
        for name, value in block.arguments.items()
    }
    if block.kind == "resource":
        uri = expand(block.name, values) if values else block.name
        return content_call(server, "resources/read", {"uri": uri})
    return content_call(server, "prompts/get", {"name": block.name, "arguments": {**values}})


def _first(group: BaseExceptionGroup[ToolweaveError]) -> ToolweaveError:
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


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
