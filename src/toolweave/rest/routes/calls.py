"""`/api/v1/calls`: the tool calls of this home, active and past, and the switch that stops them."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import Field

from toolweave.app.studio import Studio
from toolweave.errors import NotFound
from toolweave.json_record import JsonRecord
from toolweave.rest.auth import Authenticator
from toolweave.rest.request_body import RequestBody
from toolweave.rest.routing import Routes
from toolweave.servers.call_list import CallList, CallRow
from toolweave.tools.tool import CallId

Limit = Annotated[int, Query(ge=1, le=1_000, description="Maximum number of past calls")]
OfServer = Annotated[
    str | None, Query(alias="server", max_length=128, description="Only past calls of this server")
]


class StopCallsRequest(RequestBody):
    """The call to stop; without an id all calls, and new ones are rejected until `resume`."""

    id: str | None = Field(None, min_length=1, max_length=200)


class CallsResponse(JsonRecord):
    """Active calls, past calls (newest first) and whether new calls are rejected."""

    active: list[CallRow]
    calls: list[CallRow]
    # Recorded calls of all sessions; `executed` counts those of this service since its start.
    total: int
    executed: int
    stopped: bool


class CallSwitchResponse(JsonRecord):
    """The ids of the calls that were stopped, and whether new calls are rejected."""

    ids: list[str]
    stopped: bool


class _Handlers:
    """The handlers."""

    def __init__(self, studio: Studio) -> None:
        self._gate = studio.gate
        self._calls = CallList(studio.home.database, studio.home.clock)

    async def list_calls(self, server: OfServer = None, limit: Limit = 50) -> CallsResponse:
        """List active and past tool calls."""
        await self._gate.history.save()
        return CallsResponse(
            active=await self._calls.active(),
            calls=await self._calls.past(limit, server),
            total=await self._calls.total(),
            executed=self._gate.limits.total_executed,
            stopped=self._gate.limits.is_stopped,
        )

    async def stop_calls(
        self, body: Annotated[StopCallsRequest, Depends(StopCallsRequest.read)]
    ) -> CallSwitchResponse:
        """Stop one call, or all calls and reject new ones."""
        await self._gate.history.save()
        active = [call.id for call in await self._calls.active()]
        if body.id is not None and body.id not in active:
            raise NotFound("CALL_NOT_FOUND", f"no active call has the id {body.id!r}")
        ids = active if body.id is None else [body.id]
        if body.id is None:
            self._gate.limits.stop()
        for call in ids:
            self._gate.cancel(CallId(call))
        await self._calls.request_stop(body.id)  # for calls of other processes
        return CallSwitchResponse(ids=ids, stopped=self._gate.limits.is_stopped)

    async def resume_calls(self) -> CallSwitchResponse:
        """Accept new calls again."""
        self._gate.limits.resume()
        return CallSwitchResponse(ids=[], stopped=False)


def call_routes(studio: Studio, authenticator: Authenticator) -> APIRouter:
    """The three endpoints."""
    handlers = _Handlers(studio)
    routes = Routes(authenticator, "/api/v1/calls", "calls")
    routes.add("GET", "", handlers.list_calls)
    routes.add("POST", "/stop", handlers.stop_calls, 404)
    routes.add("POST", "/resume", handlers.resume_calls)
    return routes.router()
