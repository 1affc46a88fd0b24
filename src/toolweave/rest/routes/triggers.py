"""`/api/v1/triggers`: what starts stored workflows by itself: switched, paused, tried."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from toolweave.access.keys import ApiKey
from toolweave.app.running_studio import RunningStudio
from toolweave.rest import openapi
from toolweave.rest.auth import Doorkeeper
from toolweave.rest.json_response import json_answer
from toolweave.rest.request_body import Strict, read_shape
from toolweave.rest.shapes import KEYED, READING, responses
from toolweave.triggers.activation import TriggerActivation
from toolweave.triggers.listing import trigger_lines
from toolweave.workflow.ids import MAX_NAME

Name = Annotated[str, Path(max_length=MAX_NAME, pattern=r"\S", description="A workflow's name")]


class Choosing(Strict):
    """Which trigger of the workflow is meant; all of them where none is named."""

    node: str | None = Field(None, min_length=1, max_length=1_000, description="Its node's id")


class OccasionShape(BaseModel):
    """One occasion of a trigger, and what came of it."""

    at: str
    outcome: Literal["started", "ignored", "refused", "paused"]
    run: str | None
    status: str | None
    reason: str | None


class TriggerFact(BaseModel):
    """One setting, in words."""

    label: str
    value: str


class HookShape(BaseModel):
    """Where others deliver to, and how they prove themselves; never with what."""

    paths: list[str]
    methods: list[str]
    proof: str


class TriggerShape(BaseModel):
    """A trigger of a stored workflow; `nextTimes` are when it would fire if it is on."""

    workflow: str
    slug: str
    node: str
    title: str
    kind: str
    state: Literal["on", "paused", "off", "switched off in the workflow", "deleted", "by hand"]
    is_current: bool = Field(alias="isCurrent")
    facts: list[TriggerFact]
    next_times: list[str] = Field(alias="nextTimes")
    hook: HookShape | None
    reason: str | None
    paused_at: str | None = Field(alias="pausedAt")
    last: OccasionShape | None
    recent: list[OccasionShape]


class TriggersShape(BaseModel):
    """All of them, by workflow."""

    triggers: list[TriggerShape]


class StartedShape(BaseModel):
    """The run that was started by hand."""

    run: str


class _Answers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        self._home = studio.home

    async def list_triggers(self) -> Response:
        """List every trigger of every stored workflow: on, paused or off, and what is wrong."""
        found = await trigger_lines(self._home)
        return json_answer({"triggers": [one.as_json() for one in found]})

    async def enable_triggers(self, name: Name, request: Request) -> Response:
        """Switch the triggers of a workflow on, as it is stored now."""
        return await self._changed(name, request, TriggerActivation(self._home).enable)

    async def disable_triggers(self, name: Name) -> Response:
        """Switch all triggers of a workflow off; runs under way go on."""
        await TriggerActivation(self._home).disable(name)
        return await self._of(name)

    async def pause_triggers(self, name: Name, request: Request) -> Response:
        """Let triggers start nothing until they are resumed, whoever restarts what."""
        return await self._changed(name, request, TriggerActivation(self._home).pause)

    async def resume_triggers(self, name: Name, request: Request) -> Response:
        """Let paused triggers go on; what came up meanwhile is not made up for."""
        return await self._changed(name, request, TriggerActivation(self._home).resume)

    async def run_trigger(self, name: Name, request: Request) -> Response:
        """Start a run at once, as if the trigger had fired."""
        body = await read_shape(request, Choosing)
        key: ApiKey = request.state.key
        if key.tools is not None:
            one = await self._studio.published.of_workflow(name)
            key.require_tool(one.publication.tool if one else None)
        request_run = await TriggerActivation(self._home).manual_run(name, body.node)
        run = await self._studio.engine.runs.start(request_run)
        return json_answer({"run": run}, 202, {"Location": f"/api/v1/runs/{run}"})

    async def _changed(
        self,
        name: str,
        request: Request,
        change: Callable[[str, str | None], Awaitable[object]],
    ) -> Response:
        await change(name, (await read_shape(request, Choosing)).node)
        return await self._of(name)

    async def _of(self, name: str) -> Response:
        found = [one for one in await trigger_lines(self._home) if name in {one.workflow, one.slug}]
        return json_answer({"triggers": [one.as_json() for one in found]})


_TEXTS = {
    404: "No such workflow or trigger, or it is not on.",
    409: "Another trigger has its path.",
    422: "The request has not the expected form, or the workflow cannot be used as it is.",
    503: "The database, or something the trigger needs, does not answer.",
}


def trigger_routes(studio: RunningStudio, doorkeeper: Doorkeeper) -> APIRouter:
    """The endpoints: looking wants `workflows:read`, switching `workflows:write`."""
    answers = _Answers(studio)
    router = APIRouter(prefix="/api/v1/triggers", tags=["triggers"])
    reads, writes, runs = "workflows:read", "workflows:write", "workflows:run"
    changed = responses(TriggersShape, 404, 409, *KEYED, *READING, texts=_TEXTS)
    started = responses(StartedShape, 404, *KEYED, *READING, texts=_TEXTS, status=202)
    # Any: what OpenAPI is told of each.
    table: tuple[tuple[str, str, str, Any, Any, type[Strict] | None], ...] = (
        (reads, "GET", "", answers.list_triggers, responses(TriggersShape, 422, *KEYED), None),
        (writes, "POST", "/{name}/enable", answers.enable_triggers, changed, Choosing),
        (writes, "POST", "/{name}/disable", answers.disable_triggers, changed, None),
        (writes, "POST", "/{name}/pause", answers.pause_triggers, changed, Choosing),
        (writes, "POST", "/{name}/resume", answers.resume_triggers, changed, Choosing),
        (runs, "POST", "/{name}/run", answers.run_trigger, started, Choosing),
    )
    for scope, method, path, answer, told, reading in table:
        router.add_api_route(
            path,
            answer,
            methods=[method],
            dependencies=[Depends(doorkeeper.wants(scope))],
            responses=told,
            status_code=202 if 202 in told else None,
            openapi_extra=openapi.keyed(reading),
        )
    return router
