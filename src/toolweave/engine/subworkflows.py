"""A workflow run by a step of another: the resource `workflows` of nodes."""

from toolweave.catalog.resources.record import CalledResult
from toolweave.engine.called_runs import once_key
from toolweave.engine.engine import Engine
from toolweave.engine.events import FINAL
from toolweave.engine.runs import RunRequest
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json
from toolweave.workflow.store import WorkflowStore

# How deep workflows may call each other; this also stops recursion.
MAX_DEPTH = 20


class SubWorkflows:
    """Starts stored workflows once for each key, and returns their results."""

    def __init__(self, engine: Engine, store: WorkflowStore) -> None:
        self._engine = engine
        self._store = store

    async def run(self, name: str, inputs: Json, key: str) -> CalledResult | None:
        """Return the result of a workflow and what a tool said beside it, or None until it ends.

        The caller is resumed then. A second call with the same key continues the same run.

        Raises `WORKFLOW_NOT_FOUND`, `SUBWORKFLOW_FAILED`.
        """
        caller, _, place = key.partition("/")
        called = once_key(caller, place)
        run = await self._engine.find(called) or await self._start(name, inputs, caller, called)
        if await self._engine.runs.drive(run) not in FINAL:
            return None
        finished = (await self._engine.state(run)).finished
        assert finished is not None
        if finished.status != "success":
            told = (finished.error or {}).get("message", finished.status)
            message = f"workflow {name!r} did not succeed: {told}"
            raise ToolweaveError("SUBWORKFLOW_FAILED", message, facts={"run": run})
        return finished.result, finished.content

    async def _start(self, name: str, inputs: Json, caller: str, called: str) -> str:
        depth = await self._depth(caller)
        if depth >= MAX_DEPTH:
            message = f"workflows call each other {depth} levels deep; {name!r} was not started"
            raise Invalid("SUBWORKFLOW_FAILED", message, hint="a workflow may not call itself")
        stored = await self._store.load(name)
        trigger = f"workflow:{depth + 1}"
        request = RunRequest(
            stored.workflow, inputs, trigger=trigger, once_key=called, source=stored.loaded
        )
        return await self._engine.runs.start(request)

    async def _depth(self, caller: str) -> int:
        """Return how many workflows are above a run."""
        trigger = (await self._engine.get(caller)).trigger or ""
        kind, _, depth = trigger.partition(":")
        return int(depth) if kind == "workflow" and depth.isdecimal() else 0
