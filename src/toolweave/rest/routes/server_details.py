"""`/api/v1/servers/{server}/health`, `/difference` and `/sign-in`: details of one server."""

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Response
from starlette.types import Send

from toolweave.app.studio import Studio
from toolweave.app.tool_drift import ToolDrift, server_difference
from toolweave.errors import ToolweaveError
from toolweave.recording.files import FOLDER, RecordingFolder
from toolweave.recording.migration.records import ServerDifferenceRecord
from toolweave.rest.auth import Authenticator
from toolweave.rest.routes.servers import ServerIdentity, server_of
from toolweave.rest.routing import Routes
from toolweave.rest.stream import EventStream, SentEvent
from toolweave.servers.checks import ServerActivity, recent_activity
from toolweave.servers.definition import Server
from toolweave.servers.sign_in_flow import require_sign_in, sign_in_to

Limit = Annotated[int, Query(ge=1, le=500, description="Maximum number of checks and of calls")]
OnlyTool = Annotated[str | None, Query(description="Compare this tool only")]


class _SigningIn(EventStream):
    """Streams a sign-in; it ends when the client disconnects."""

    def __init__(self, studio: Studio, server: Server) -> None:
        super().__init__()
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

    async def show_server_health(self, server: ServerIdentity, limit: Limit = 60) -> ServerActivity:
        """Show recent health checks and calls of a server, and the last lines of its log."""
        found, home = await server_of(self._studio, server), self._studio.home
        return await recent_activity(
            self._studio.connections, home.pings, home.masker, found, limit=limit
        )

    async def show_server_difference(
        self, server: ServerIdentity, tool: OnlyTool = None
    ) -> ServerDifferenceRecord:
        """Compare a server's tools with the approved ones, and list what uses changed tools."""
        found = await server_of(self._studio, server)
        drift = ToolDrift(self._studio, RecordingFolder(Path(FOLDER)))
        return await server_difference(drift, found.name, tool)

    async def sign_in_to_server(self, server: ServerIdentity) -> Response:
        """Sign in to a server that uses OAuth; the events are the page to open and the result."""
        found = await server_of(self._studio, server)
        require_sign_in(found)
        return _SigningIn(self._studio, found)


def server_detail_routes(studio: Studio, authenticator: Authenticator) -> APIRouter:
    """The endpoints."""
    handlers = _Handlers(studio)
    routes = Routes(authenticator, "/api/v1/servers/{server}", "servers", 404)
    routes.add("GET", "/health", handlers.show_server_health)
    routes.add("GET", "/difference", handlers.show_server_difference, 409, 504)
    routes.stream("POST", "/sign-in", handlers.sign_in_to_server, {"type": "string"})
    return routes.router()
