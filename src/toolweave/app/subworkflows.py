"""A workflow run by a step of another: the resource `workflows` of nodes."""

from toolweave.engine.engine import Engine
from toolweave.engine.events import FINAL
from toolweave.errors import Invalid, ToolweaveError
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
        status = await self._engine.advance(run)
        if status not in FINAL:
            async for _ in self._engine.follow(run):
                pass
        state = await self._engine.state(run)
        finished = state.finished
        if finished is None or finished.status != "success":
            told = finished.error if finished else None
            message = f"workflow {name!r} did not succeed: {(told or {}).get('message', status)}"
            raise ToolweaveError("SUBWORKFLOW_FAILED", message, facts={"run": run})
        return finished.result

    async def _depth(self, key: str) -> int:
        """How many workflows stand above the step of a key."""
        trigger = (await self._engine.get(key.partition("/")[0])).trigger or ""
        kind, _, depth = trigger.partition(":")
        return int(depth) if kind == "workflow" and depth.isdecimal() else 0
