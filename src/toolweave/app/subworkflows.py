"""A workflow run by a step of another: the resource `workflows` of nodes."""

from contextlib import suppress

import anyio

from toolweave.engine.engine import Engine
from toolweave.engine.events import FINAL
from toolweave.errors import Conflict, Invalid, ToolweaveError
from toolweave.json_text import Json
from toolweave.workflow.store import WorkflowStore

# How deep workflows may call each other; whoever calls itself comes here soon.
MAX_DEPTH = 20
_KEY = "sub/"


class SubWorkflows:
    """Starts stored workflows once for each key, and waits for what they give."""

    def __init__(self, engine: Engine, store: WorkflowStore) -> None:
        self._engine = engine
        self._store = store

    async def run(self, name: str, inputs: Json, key: str) -> Json:
        """What a workflow gives; a second call with the same key takes up the same run.

        Raises:
            NotFound: `WORKFLOW_NOT_FOUND`.
            ToolweaveError: `SUBWORKFLOW_FAILED`.
        """
        depth = await self._depth(key)
        if depth >= MAX_DEPTH:
            message = f"workflows call each other {depth} deep; {name!r} is not run"
            raise Invalid("SUBWORKFLOW_FAILED", message, hint="a workflow may not call itself")
        stored = await self._store.load(name)
        run = await self._engine.start(
            stored.workflow, inputs, trigger=f"workflow:{depth + 1}", once_key=_KEY + key
        )
        try:
            await self._end_of(run)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await self._engine.cancel(run, by="the run that called it")
            raise
        finished = (await self._engine.state(run)).finished
        assert finished is not None
        if finished.status != "success":
            told = (finished.error or {}).get("message", finished.status)
            message = f"workflow {name!r} did not succeed: {told}"
            raise ToolweaveError("SUBWORKFLOW_FAILED", message, facts={"run": run})
        return finished.result

    async def _end_of(self, run: str) -> None:
        """Bring a run to its end, or wait for it where another process or a moment has it."""
        with suppress(Conflict):
            if await self._engine.advance(run) in FINAL:
                return
        async for _ in self._engine.follow(run):
            pass

    async def _depth(self, key: str) -> int:
        """How many workflows stand above the step of a key."""
        trigger = (await self._engine.get(key.partition("/")[0])).trigger or ""
        kind, _, depth = trigger.partition(":")
        return int(depth) if kind == "workflow" and depth.isdecimal() else 0
