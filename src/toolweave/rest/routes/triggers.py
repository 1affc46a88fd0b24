"""`/api/v1/triggers`: list, enable, disable, pause and test the triggers of workflows."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response
from pydantic import Field

from toolweave.app.published_copy import published_copy
from toolweave.app.running_studio import RunningStudio
from toolweave.json_record import JsonRecord
from toolweave.rest.auth import Authenticator, key_of
from toolweave.rest.request_body import RequestBody
from toolweave.rest.routing import Routes
from toolweave.triggers.activation import TriggerActivation
from toolweave.triggers.listing import trigger_lines
from toolweave.triggers.trigger_line import TriggerLine
from toolweave.workflow.ids import MAX_NAME

Name = Annotated[str, Path(max_length=MAX_NAME, pattern=r"\S", description="A workflow's name")]


class TriggerRequest(RequestBody):
    """The trigger; default: all triggers of the workflow."""

    node: str | None = Field(None, min_length=1, max_length=1_000, description="Its node's id")


TriggerBody = Annotated[TriggerRequest, Depends(TriggerRequest.read)]


class TriggerListResponse(JsonRecord):
    """All triggers, by workflow."""

    triggers: list[TriggerLine]


class StartedRunResponse(JsonRecord):
    """The started run."""

    run: str


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        self._home = studio.home
        self._activation = TriggerActivation(studio.home)

    async def list_triggers(self) -> TriggerListResponse:
        """List all triggers of stored workflows with their state and problems."""
        return TriggerListResponse(triggers=await trigger_lines(self._home))

    async def enable_triggers(self, name: Name, body: TriggerBody) -> TriggerListResponse:
        """Enable the triggers of a workflow in its current revision."""
        await self._activation.enable(name, body.node)
        return await self._of(name)

    async def disable_triggers(self, name: Name) -> TriggerListResponse:
        """Disable all triggers of a workflow; its runs continue."""
        await self._activation.disable(name)
        return await self._of(name)

    async def pause_triggers(self, name: Name, body: TriggerBody) -> TriggerListResponse:
        """Pause triggers until they are resumed, even after a restart."""
        await self._activation.pause(name, body.node)
        return await self._of(name)

    async def resume_triggers(self, name: Name, body: TriggerBody) -> TriggerListResponse:
        """Resume paused triggers; events during the pause are not made up for."""
        await self._activation.resume(name, body.node)
        return await self._of(name)

    async def run_trigger(
        self, name: Name, body: TriggerBody, request: Request, response: Response
    ) -> StartedRunResponse:
        """Start a run now, as if the trigger had fired."""
        copy = await published_copy(self._studio, key_of(request), name)
        manual_run = await self._activation.manual_run(name, body.node, copy)
        run = await self._studio.engine.runs.start(manual_run)
        response.headers["Location"] = f"/api/v1/runs/{run}"
        return StartedRunResponse(run=run)

    async def _of(self, name: str) -> TriggerListResponse:
        found = await trigger_lines(self._home)
        mine = [one for one in found if name in {one.workflow, one.slug}]
        return TriggerListResponse(triggers=mine)


_TEXTS = {
    404: "The workflow or trigger does not exist, or it is not enabled.",
    409: "Another trigger uses the path.",
    422: "The request does not have the expected form, or the workflow has errors.",
    503: "The database, or a service of the trigger, is unavailable.",
}


def trigger_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The six endpoints."""
    handlers = _Handlers(studio)
    routes = Routes(authenticator, "/api/v1/triggers", "triggers", texts=_TEXTS)
    routes.add("GET", "", handlers.list_triggers, 422)
    routes.add("POST", "/{name}/enable", handlers.enable_triggers, 404, 409)
    routes.add("POST", "/{name}/disable", handlers.disable_triggers, 404, 409)
    routes.add("POST", "/{name}/pause", handlers.pause_triggers, 404, 409)
    routes.add("POST", "/{name}/resume", handlers.resume_triggers, 404, 409)
    routes.add("POST", "/{name}/run", handlers.run_trigger, 404, status=202)
    return routes.router()
