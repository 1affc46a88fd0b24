"""`POST /api/v1/runs…`: start, cancel, answer and fork runs.

The service executes runs in the background; every response is the run's current summary.
"""

from typing import Annotated, Any, cast

from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Request, Response

from toolweave.access.keys import ApiKey
from toolweave.app.published_copy import published_copy, require_copy
from toolweave.app.running_studio import RunningStudio
from toolweave.authoring.authoring import require_workflow as require_document
from toolweave.engine.engine import Engine
from toolweave.engine.run_json import AnsweredRun, RunSummary
from toolweave.engine.runs import RunRequest
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.people.inbox import check_step
from toolweave.publishing.limited_keys import VisibleRuns
from toolweave.recording.continuation import ForkWish, continue_recorded
from toolweave.rest.auth import Authenticator, key_of, require_part
from toolweave.rest.routes.run_requests import (
    AnswerRequest,
    ForkRunRequest,
    PatchOperation,
    StartRunRequest,
)
from toolweave.rest.routes.runs import ALL, WholeRunId
from toolweave.rest.routing import Routes
from toolweave.triggers.active_triggers import only_from, triggers_of
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import read
from toolweave.workflow.json_patch import apply_given_patch
from toolweave.workflow.studio_data import pins_of

TRIGGER = "rest"


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        self._engine: Engine = studio.engine
        self._runs = VisibleRuns(studio.engine, studio.published)

    async def start_run(
        self,
        body: Annotated[StartRunRequest, Depends(StartRunRequest.read)],
        request: Request,
        response: Response,
    ) -> RunSummary:
        """Start a run; it is executed in the background."""
        loaded = await self._workflow(request, body)
        inputs = cast("JsonObject", body.inputs)
        once_key = _once_key(key_of(request), body.once_key)
        workflow = loaded.workflow
        if body.trigger is not None:
            triggers_of(workflow, body.trigger)  # refuses an unknown one
            workflow = only_from(workflow, body.trigger)
        run_request = RunRequest(
            workflow,
            inputs,
            trigger=TRIGGER,
            once_key=once_key,
            source=loaded,
            pins=pins_of(loaded.workflow) if body.use_pins else {},
        )
        return await self._accepted(await self._engine.runs.start(run_request), response)

    async def cancel_run(self, run: WholeRunId, request: Request, response: Response) -> RunSummary:
        """Cancel a run; a finished run does not change."""
        record = await self._runs.get(key_of(request), run)
        await self._engine.cancel(record.id, by=f"key {key_of(request).id}")
        return await self._accepted(record.id, response)

    async def answer_run(
        self,
        run: WholeRunId,
        body: Annotated[AnswerRequest, Depends(AnswerRequest.read)],
        request: Request,
        response: Response,
    ) -> AnsweredRun:
        """Answer a waiting step, or decide about a step that may or may not have happened."""
        record = await self._runs.get(key_of(request), run)
        why: str | None = None
        if body.choice is not None:
            by = f"key {key_of(request).id}"
            await self._engine.resolve(record.id, body.step, body.choice, by=by)
        else:
            # People are asked by name, as in the inbox.
            name = key_of(request).name
            await check_step(self._engine, record.id, body.step, body.reply)
            why = await self._engine.answer(record.id, body.step, body.reply, by=name, via="rest")
        summary = await self._accepted(record.id, response)
        return AnsweredRun(**dict(summary), counts=why is None, why=why)

    async def fork_run(
        self,
        run: WholeRunId,
        body: Annotated[ForkRunRequest, Depends(ForkRunRequest.read)],
        request: Request,
        response: Response,
    ) -> RunSummary:
        """Start a new run at one node, with the results before it taken from an earlier run."""
        record = await self._runs.get(key_of(request), run)
        await require_copy(self._studio, key_of(request), record)
        if body.edit is not None:
            require_part(request, "edit")
        edit = _Edit(body.edit) if body.edit else None
        changed = None
        if body.document is not None:
            changed = await self._sent(request, body.document)
        pins = pins_of(changed.workflow) if changed and body.use_pins else None
        wish = ForkWish(record.id, body.from_, edit, changed, pins)
        if body.recorded:
            fork = (await continue_recorded(self._studio.home, self._engine, wish)).run
        else:
            fork = await self._engine.runs.fork(record.id, body.from_, edit, changed, pins)
        return await self._accepted(fork, response)

    async def _workflow(self, request: Request, body: StartRunRequest) -> LoadedWorkflow:
        key = key_of(request)
        if body.workflow is None:
            return await self._sent(request, body.document)
        copy = await published_copy(self._studio, key, body.workflow)
        return copy or (await self._studio.home.workflows.load(body.workflow)).loaded

    async def _sent(self, request: Request, document: dict[str, Any] | None) -> LoadedWorkflow:
        # A key that may only run workflows runs what others have stored.
        require_part(request, "document")
        return require_document(await run_sync(read, cast("Json", document)))

    async def _accepted(self, run: str, response: Response) -> RunSummary:
        record = await self._engine.get(run)
        response.headers["Location"] = f"{ALL}/{record.id}"
        return RunSummary.of(record)


def run_control_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The four endpoints."""
    handlers = _Handlers(studio)
    routes = Routes(authenticator, ALL, "runs", 404, 409, 422)
    for path, handler in (
        ("", handlers.start_run),
        ("/{run}/cancel", handlers.cancel_run),
        ("/{run}/answer", handlers.answer_run),
        ("/{run}/fork", handlers.fork_run),
    ):
        routes.add("POST", path, handler, status=202, documented={202: _ACCEPTED})
    return routes.router()


_ACCEPTED: dict[str, Any] = {
    "headers": {
        "X-Request-ID": {
            "schema": {"type": "string"},
            "description": "Identifies the request in the log.",
        },
        "Location": {"schema": {"type": "string"}, "description": "The address of the run."},
    }
}


def _once_key(key: ApiKey, given: str | None) -> str | None:
    """Keep idempotency keys apart from those of triggers and steps, and limited keys' from all."""
    if given is None:
        return None
    return f"{TRIGGER}/{given}" if key.tools is None else f"{TRIGGER}:{key.id}/{given}"


class _Edit:
    """Changes the input of a step by a JSON Patch."""

    def __init__(self, operations: list[PatchOperation]) -> None:
        self._operations = [
            operation.model_dump(by_alias=True, exclude_unset=True) for operation in operations
        ]

    def __call__(self, value: Json) -> Json:
        changed = apply_given_patch({"data": value}, self._operations)
        if not isinstance(changed, dict) or "data" not in changed:
            message = "the patch removes the whole input"
            hint = "replace `/data` instead of removing it"
            raise Invalid("PATCH_IMPOSSIBLE", message, hint=hint)
        return changed["data"]
