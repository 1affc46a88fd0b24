"""`/api/v1/triggers`: list, enable, disable, pause and test the triggers of workflows."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from toolweave.access.keys import ApiKey
from toolweave.app.running_studio import RunningStudio
from toolweave.rest import openapi
from toolweave.rest.auth import Authenticator
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.request_body import RequestBody
from toolweave.rest.response_models import KEYED, READING, responses
from toolweave.triggers.activation import TriggerActivation
from toolweave.triggers.listing import trigger_lines
from toolweave.workflow.ids import MAX_NAME

Name = Annotated[str, Path(max_length=MAX_NAME, pattern=r"\S", description="A workflow's name")]


class TriggerRequest(RequestBody):
    """The trigger; default: all triggers of the workflow."""

    node: str | None = Field(None, min_length=1, max_length=1_000, description="Its node's id")


TriggerBody = Annotated[TriggerRequest, Depends(TriggerRequest.read)]


class TriggerEventResponse(BaseModel):
    """A trigger event and its outcome."""

    at: str
    outcome: Literal["started", "ignored", "refused", "paused"]
    run: str | None
    status: str | None
    reason: str | None


class TriggerFactResponse(BaseModel):
    """A setting, as text."""

    label: str
    value: str


class WebhookResponse(BaseModel):
    """The address of a webhook and its authentication method, without secrets."""

    paths: list[str]
    methods: list[str]
    proof: str


class TriggerResponse(BaseModel):
    """A trigger of a stored workflow; `nextTimes` are its next times if it is enabled."""

    workflow: str
    slug: str
    node: str
    title: str
    kind: str
    state: Literal["on", "paused", "off", "switched off in the workflow", "deleted", "by hand"]
    is_current: bool = Field(alias="isCurrent")
    facts: list[TriggerFactResponse]
    next_times: list[str] = Field(alias="nextTimes")
    hook: WebhookResponse | None
    reason: str | None
    paused_at: str | None = Field(alias="pausedAt")
    last: TriggerEventResponse | None
    recent: list[TriggerEventResponse]


class TriggerListResponse(BaseModel):
    """All triggers, by workflow."""

    triggers: list[TriggerResponse]


class StartedRunResponse(BaseModel):
    """The started run."""

    run: str


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        self._home = studio.home

    async def list_triggers(self) -> Response:
        """List all triggers of stored workflows with their state and problems."""
        found = await trigger_lines(self._home)
        return JsonResponse({"triggers": [one.as_json() for one in found]})

    async def enable_triggers(self, name: Name, body: TriggerBody) -> Response:
        """Enable the triggers of a workflow in its current revision."""
        return await self._changed(name, body, TriggerActivation(self._home).enable)

    async def disable_triggers(self, name: Name) -> Response:
        """Disable all triggers of a workflow; its runs continue."""
        await TriggerActivation(self._home).disable(name)
        return await self._of(name)

    async def pause_triggers(self, name: Name, body: TriggerBody) -> Response:
        """Pause triggers until they are resumed, even after a restart."""
        return await self._changed(name, body, TriggerActivation(self._home).pause)

    async def resume_triggers(self, name: Name, body: TriggerBody) -> Response:
        """Resume paused triggers; events during the pause are not made up for."""
        return await self._changed(name, body, TriggerActivation(self._home).resume)

    async def run_trigger(self, name: Name, body: TriggerBody, request: Request) -> Response:
        """Start a run now, as if the trigger had fired."""
        key: ApiKey = request.state.key
        if key.tools is not None:
            one = await self._studio.published.of_workflow(name)
            key.require_tool(one.publication.tool if one else None)
        manual_run = await TriggerActivation(self._home).manual_run(name, body.node)
        run = await self._studio.engine.runs.start(manual_run)
        return JsonResponse({"run": run}, 202, {"Location": f"/api/v1/runs/{run}"})

    async def _changed(
        self,
        name: str,
        body: TriggerRequest,
        change: Callable[[str, str | None], Awaitable[object]],
    ) -> Response:
        await change(name, body.node)
        return await self._of(name)

    async def _of(self, name: str) -> Response:
        found = [one for one in await trigger_lines(self._home) if name in {one.workflow, one.slug}]
        return JsonResponse({"triggers": [one.as_json() for one in found]})


_TEXTS = {
    404: "The workflow or trigger does not exist, or it is not enabled.",
    409: "Another trigger uses the path.",
    422: "The request does not have the expected form, or the workflow has errors.",
    503: "The database, or a service of the trigger, is unavailable.",
}


def trigger_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The endpoints: reading needs `workflows:read`, changing `workflows:write`."""
    handlers = _Handlers(studio)
    router = APIRouter(prefix="/api/v1/triggers", tags=["triggers"])
    reads, writes, runs = "workflows:read", "workflows:write", "workflows:run"
    changed = responses(TriggerListResponse, 404, 409, *KEYED, *READING, texts=_TEXTS)
    started = responses(StartedRunResponse, 404, *KEYED, *READING, texts=_TEXTS, status=202)
    # Any: handlers of different parameters, and their responses.
    table: tuple[tuple[str, str, str, Any, Any, type[RequestBody] | None], ...] = (
        (
            reads,
            "GET",
            "",
            handlers.list_triggers,
            responses(TriggerListResponse, 422, *KEYED),
            None,
        ),
        (writes, "POST", "/{name}/enable", handlers.enable_triggers, changed, TriggerRequest),
        (writes, "POST", "/{name}/disable", handlers.disable_triggers, changed, None),
        (writes, "POST", "/{name}/pause", handlers.pause_triggers, changed, TriggerRequest),
        (writes, "POST", "/{name}/resume", handlers.resume_triggers, changed, TriggerRequest),
        (runs, "POST", "/{name}/run", handlers.run_trigger, started, TriggerRequest),
    )
    for scope, method, path, answer, documented, reading in table:
        router.add_api_route(
            path,
            answer,
            methods=[method],
            dependencies=[Depends(authenticator.require(scope))],
            responses=documented,
            status_code=202 if 202 in documented else None,
            openapi_extra=openapi.keyed(reading),
        )
    return router
