"""Documents joined to a studio: the gate for their tools, the engine for their workflows."""

from collections.abc import Awaitable, Callable
from contextlib import suppress

from toolweave.app.ground import Ground
from toolweave.documents.desk import Desk
from toolweave.documents.kept import KeptBindings
from toolweave.engine.engine import Engine
from toolweave.engine.events import FINAL
from toolweave.errors import Conflict, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.store import WorkflowStore

# Opens the engine when the first workflow is run.
Engines = Callable[[], Awaitable[Engine]]


def desk_of(ground: Ground) -> Desk:
    """What is needed to work on documents."""
    return Desk(
        ground.registry,
        ground.lockfile,
        KeptBindings(ground.database, ground.clock),
        masker=ground.masker,
        limits=ground.settings.limits,
    )


class StoredWorkflows:
    """Runs stored workflows for blocks of documents."""

    def __init__(self, engines: Engines, store: WorkflowStore) -> None:
        self._engines = engines
        self._store = store

    async def run_workflow(self, name: str, inputs: JsonObject, *, trigger: str) -> Json:
        """What a workflow gives.

        Raises:
            NotFound: `WORKFLOW_NOT_FOUND`.
            ToolweaveError: `SUBWORKFLOW_FAILED`.
        """
        stored = await self._store.load(name)
        engine = await self._engines()
        run = await engine.start(stored.workflow, inputs, trigger=trigger)
        with suppress(Conflict):
            await engine.advance(run)
        found = await engine.get(run)
        if found.status == "running":
            async for _ in engine.follow(run):
                pass
            found = await engine.get(run)
        if found.status not in FINAL:
            message = f"workflow {name!r} waits: run {run}"
            hint = f"`toolweave runs show {run}` tells for what"
            raise ToolweaveError("SUBWORKFLOW_FAILED", message, hint=hint, facts={"run": run})
        finished = (await engine.state(run)).finished
        if finished is None or finished.status != "success":
            why = (finished.error or {}).get("message") if finished else None
            message = f"workflow {name!r} did not succeed: {why or found.status}"
            hint = f"`toolweave runs show {run}` tells more"
            raise ToolweaveError("SUBWORKFLOW_FAILED", message, hint=hint, facts={"run": run})
        return finished.result
