"""Runs the blocks of a document through the gate, in order or in parallel."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Protocol

import anyio

from toolweave.access.mask import Masker
from toolweave.documents.block_plan import Planned
from toolweave.documents.document import Block
from toolweave.documents.render import Callout, render_error, render_result, render_value
from toolweave.errors import ToolweaveError
from toolweave.json_text import Json, JsonObject, write
from toolweave.settings import Limits
from toolweave.tools.tool import ToolCall, ToolCaller, ToolResult, content_call
from toolweave.tools.uri_template import expand


class WorkflowCaller(Protocol):
    """Runs stored workflows."""

    async def run_workflow(self, name: str, inputs: JsonObject, *, trigger: str) -> Json:
        """What a workflow gives. Raises `WORKFLOW_NOT_FOUND`, `SUBWORKFLOW_FAILED`."""
        ...


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
