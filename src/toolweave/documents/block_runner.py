"""A document's blocks run: which are due, through the one gate, side by side up to the limit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import anyio

from toolweave.access.mask import Masker
from toolweave.documents.bindings import Bindings
from toolweave.documents.document import Block, Document
from toolweave.documents.render import (
    Callout,
    block_key,
    render_error,
    render_result,
    render_value,
)
from toolweave.errors import Limited, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.settings import Limits
from toolweave.tools.tool import ToolCall, ToolCaller, ToolResult

# new: never run as it is now; done, failed: the result below is of it; invalid: it cannot be run.
Standing = Literal["new", "done", "failed", "invalid"]


class WorkflowCaller(Protocol):
    """Runs stored workflows."""

    async def run_workflow(self, name: str, inputs: JsonObject, *, trigger: str) -> Json:
        """What a workflow gives. Raises `WORKFLOW_NOT_FOUND`, `SUBWORKFLOW_FAILED`."""
        ...


@dataclass(frozen=True, slots=True)
class Planned:
    """A block, the server it uses and why, and how it stands."""

    number: int
    block: Block
    server: str | None
    why: str
    key: str
    standing: Standing
    problem: Problem | None = None

    @property
    def title(self) -> str:
        """What it is called above its result."""
        return self.block.name if self.server is None else f"{self.block.name} · {self.server}"


def plan(document: Document, bindings: Bindings, first_enabled: str | None) -> list[Planned]:
    """Every block of a document, in order."""
    found: list[Planned] = []
    for number, block in enumerate(document.blocks):
        server, why = None, "it is a workflow"
        if block.kind == "tool":
            chosen = bindings.server_of(block, first_enabled)
            server, why = chosen.server, chosen.why
        key = block_key(block.kind, server, block.name, block.arguments)
        problem = block.problem
        if problem is None and block.kind == "tool" and server is None:
            problem = Problem(
                "DOCUMENT_NO_SERVER",
                pointer("lines", block.line),
                "the block names no server, its section has none, and no server is enabled",
                "name a server, bind the section, or enable one with `toolweave servers enable`",
            )
        standing: Standing = "invalid" if problem else _standing(block, key)
        found.append(Planned(number, block, server, why, key, standing, problem))
    return found


def due(planned: Sequence[Planned], *, refresh: bool, retry: bool = True) -> list[Planned]:
    """The blocks to run: new ones, failed ones again, and with `refresh` all that can be."""
    wanted: set[Standing] = {"new"}
    if retry or refresh:
        wanted.add("failed")
    if refresh:
        wanted.add("done")
    return [one for one in planned if one.standing in wanted]


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
    ) -> None:
        self._tools = tools
        self._workflows = workflows
        self._masker = masker
        self._limits = limits
        self._location = location
        self._scope = scope
        self._folder = folder
        self.results: dict[int, Callout] = {}

    async def run(self, blocks: Sequence[Planned]) -> None:
        """Run blocks, as many at a time as calls may be."""
        slots = anyio.Semaphore(self._limits.concurrent_calls)

        async def one(planned: Planned) -> None:
            async with slots:
                self.results[planned.number] = await self._callout(planned)

        async with anyio.create_task_group() as tasks:
            for planned in blocks:
                tasks.start_soon(one, planned)

    async def _callout(self, planned: Planned) -> Callout:
        block = planned.block
        try:
            if block.kind == "workflow":
                trigger = f"document:{self._location}"
                value = await self._workflows.run_workflow(
                    block.name, block.arguments, trigger=trigger[:200]
                )
                return render_value(self._masker.mask_json(value), planned.title, planned.key)
            assert planned.server is not None
            call = ToolCall(
                planned.server,
                block.name,
                block.arguments,
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
    if block.result is None or block.result.key != key:
        return "new"
    return "failed" if block.result.is_failure else "done"
