"""`/api/v1/servers/{server}/health` and `/sign-in`: recent activity and OAuth sign-in."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.types import Send

from toolweave.app.studio import Studio
from toolweave.errors import ToolweaveError
from toolweave.rest import openapi
from toolweave.rest.auth import Authenticator
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.response_models import KEYED, Responses, responses
from toolweave.rest.routes.servers import ServerIdentity, server_of
from toolweave.rest.stream import EventStream, SentEvent
from toolweave.servers.checks import recent_activity
from toolweave.servers.definition import Server
from toolweave.servers.sign_in_flow import require_sign_in, sign_in_to

SCOPE = "servers:admin"
Limit = Annotated[int, Query(ge=1, le=500, description="Maximum number of checks and of calls")]


class HealthCheckResponse(BaseModel):
    """A health check."""

    at: str
    ok: bool
    latency_ms: float | None = Field(alias="latencyMs")
    reason: str | None


class ServerCallResponse(BaseModel):
    """A tool call."""

    at: str
    tool: str
    status: str
    took_ms: float | None = Field(alias="tookMs")
    code: str | None
    message: str | None


class ServerHealthResponse(BaseModel):
    """The last health checks and calls, oldest first, and the last lines of the server's log."""

    checks: list[HealthCheckResponse]
    calls: list[ServerCallResponse]
    log: list[str]


class _SigningIn(EventStream):
    """Streams a sign-in; it ends when the client disconnects."""

    def __init__(self, studio: Studio, server: Server) -> None:
        super().__init__(_none())
        self._studio = studio
        self._server = server

    async def write(self, send: Send) -> None:
        """Send the page to open, then the result."""

        async def show(url: str) -> None:
            await self.send_event(send, SentEvent(1, "page", {"url": url}))

        try:
            count = await sign_in_to(
                self._studio.connections, self._studio.transports, self._server, show
            )
        except ToolweaveError as error:
            failure = {"code": error.code, "message": error.message, "hint": error.hint}
            await self.send_event(send, SentEvent(2, "failed", failure))
        else:
            await self.send_event(send, SentEvent(2, "done", {"toolCount": count}))


class _Handlers:
    """The handlers."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    async def show_server_health(self, server: ServerIdentity, limit: Limit = 60) -> Response:
        """Show recent health checks and calls of a server, and the last lines of its log."""
        found = await server_of(self._studio, server)
        return JsonResponse(
            await recent_activity(
                self._studio.connections,
                self._studio.home.pings,
                self._studio.home.masker,
                found,
                limit=limit,
            )
        )

    async def sign_in_to_server(self, server: ServerIdentity) -> Response:
        """Sign in to a server that uses OAuth; the events are the page to open and the result."""
        found = await server_of(self._studio, server)
        require_sign_in(found)
        return _SigningIn(self._studio, found)


def server_detail_routes(studio: Studio, authenticator: Authenticator) -> APIRouter:
    """The two endpoints; both need `servers:admin`."""
    handlers = _Handlers(studio)
    router = APIRouter(prefix="/api/v1/servers/{server}", tags=["servers"])
    shown = responses(ServerHealthResponse, 404, 422, *KEYED)
    # Any: handlers of different parameters, and their responses.
    table: tuple[tuple[str, str, Any, Any], ...] = (
        ("GET", "/health", handlers.show_server_health, shown),
        ("POST", "/sign-in", handlers.sign_in_to_server, _STREAM),
    )
    for method, path, handler, documented in table:
        router.add_api_route(
            path,
            handler,
            methods=[method],
            dependencies=[Depends(authenticator.require(SCOPE))],
            responses=documented,
            openapi_extra=openapi.keyed(),
        )
    return router


async def _none() -> AsyncIterator[SentEvent]:
    for event in ():
        yield event


_STREAM: Responses = responses(None, 404, 422, *KEYED)
_STREAM[200]["content"] = {"text/event-stream": {"schema": {"type": "string"}}}
