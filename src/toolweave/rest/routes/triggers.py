"""`/api/v1/triggers`: what starts stored workflows by itself: switched, paused, tried."""

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
    """Which trigger of the workflow is meant; all of them where none is named."""

    node: str | None = Field(None, min_length=1, max_length=1_000, description="Its node's id")


TriggerBody = Annotated[TriggerRequest, Depends(TriggerRequest.read)]


class TriggerEventResponse(BaseModel):
    """One occasion of a trigger, and what came of it."""

    at: str
    outcome: Literal["started", "ignored", "refused", "paused"]
    run: str | None
    status: str | None
    reason: str | None


class TriggerFactResponse(BaseModel):
    """One setting, in words."""

    label: str
    value: str


class WebhookResponse(BaseModel):
    """Where others deliver to, and how they prove themselves; never with what."""

    paths: list[str]
    methods: list[str]
    proof: str


class TriggerResponse(BaseModel):
    """A trigger of a stored workflow; `nextTimes` are when it would fire if it is on."""

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
    """All of them, by workflow."""

    triggers: list[TriggerResponse]


class StartedRunResponse(BaseModel):
    """The run that was started by hand."""

    run: str


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        self._home = studio.home

    async def list_triggers(self) -> Response:
        """List every trigger of every stored workflow: on, paused or off, and what is wrong."""
        found = await trigger_lines(self._home)
        return JsonResponse({"triggers": [one.as_json() for one in found]})

    async def enable_triggers(self, name: Name, body: TriggerBody) -> Response:
        """Switch the triggers of a workflow on, as it is stored now."""
        return await self._changed(name, body, TriggerActivation(self._home).enable)

    async def disable_triggers(self, name: Name) -> Response:
        """Switch all triggers of a workflow off; runs under way go on."""
        await TriggerActivation(self._home).disable(name)
        return await self._of(name)

    async def pause_triggers(self, name: Name, body: TriggerBody) -> Response:
        """Let triggers start nothing until they are resumed, whoever restarts what."""
        return await self._changed(name, body, TriggerActivation(self._home).pause)

    async def resume_triggers(self, name: Name, body: TriggerBody) -> Response:
        """Let paused triggers go on; what came up meanwhile is not made up for."""
        return await self._changed(name, body, TriggerActivation(self._home).resume)

    async def run_trigger(self, name: Name, body: TriggerBody, request: Request) -> Response:
        """Start a run at once, as if the trigger had fired."""
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
    404: "No such workflow or trigger, or it is not on.",
    409: "Another trigger has its path.",
    422: "The request has not the expected form, or the workflow cannot be used as it is.",
    503: "The database, or something the trigger needs, does not answer.",
}


def trigger_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The endpoints: looking wants `workflows:read`, switching `workflows:write`."""
    handlers = _Handlers(studio)
    router = APIRouter(prefix="/api/v1/triggers", tags=["triggers"])
    reads, writes, runs = "workflows:read", "workflows:write", "workflows:run"
    changed = responses(TriggerListResponse, 404, 409, *KEYED, *READING, texts=_TEXTS)
    started = responses(StartedRunResponse, 404, *KEYED, *READING, texts=_TEXTS, status=202)
    # Any: what OpenAPI is told of each.
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
    for scope, method, path, answer, told, reading in table:
        router.add_api_route(
            path,
            answer,
            methods=[method],
            dependencies=[Depends(authenticator.require(scope))],
            responses=told,
            status_code=202 if 202 in told else None,
            openapi_extra=openapi.keyed(reading),
        )
    return router
