"""`/api/v1/servers/{server}/health`, `/difference` and `/sign-in`: details of one server."""

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import Field
from starlette.types import Send

from toolweave.app.studio import Studio
from toolweave.drift.server_difference import server_difference
from toolweave.drift.tool_drift import ToolDrift
from toolweave.errors import NotFound, ToolweaveError
from toolweave.modules import load_in_thread
from toolweave.recording.files import FOLDER, RecordingFolder
from toolweave.recording.migration.records import ServerDifferenceRecord
from toolweave.rest.auth import Authenticator, key_of
from toolweave.rest.request_body import RequestBody
from toolweave.rest.routes.servers import ServerIdentity, server_of
from toolweave.rest.routing import Routes
from toolweave.rest.stream import EventStream, SentEvent
from toolweave.servers.checks import ServerActivity, recent_activity
from toolweave.servers.definition import Server
from toolweave.servers.sign_in import SignIn, require_sign_in
from toolweave.servers.sign_in_entry import forget_sign_in

Limit = Annotated[int, Query(ge=1, le=500, description="Maximum number of checks and of calls")]
OnlyTool = Annotated[str | None, Query(description="Compare this tool only")]


class PastedAddressRequest(RequestBody):
    """The address of the page at which a browser on another machine ended."""

    address: str = Field(min_length=1, max_length=8_000)


class _SigningIn(EventStream):
    """Streams a sign-in; it ends when the client disconnects."""

    def __init__(self, studio: Studio, server: Server, running: dict[str, SignIn]) -> None:
        super().__init__()
        self._studio = studio
        self._server = server
        self._running = running

    async def write(self, send: Send) -> None:
        """Send the page to open, then the result."""

        async def show(url: str) -> None:
            await self.send_event(send, SentEvent(1, "page", {"url": url}))

        signing = self._running[self._server.id] = SignIn(show)
        try:
            # Loads the MCP SDK, which the studio's first page does not need.
            flow = await load_in_thread("toolweave.servers.sign_in_flow")
            count = await flow.sign_in_to(
                self._studio.connections, self._studio.transports, self._server, signing
            )
        except ToolweaveError as error:
            failure = {"code": error.code, "message": error.message, "hint": error.hint}
            await self.send_event(send, SentEvent(2, "failed", failure))
        else:
            await self.send_event(send, SentEvent(2, "done", {"toolCount": count}))
        finally:
            if self._running.get(self._server.id) is signing:
                del self._running[self._server.id]


class _Handlers:
    """The handlers."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._signing_in: dict[str, SignIn] = {}  # by the server's id

    async def show_server_health(self, server: ServerIdentity, limit: Limit = 60) -> ServerActivity:
        """Show recent health checks and calls of a server, and the last lines of its log."""
        found, home = await server_of(self._studio, server), self._studio.home
        return await recent_activity(
            self._studio.connections, home.pings, home.masker, found, limit=limit
        )

    async def show_server_difference(
        self, server: ServerIdentity, request: Request, tool: OnlyTool = None
    ) -> ServerDifferenceRecord:
        """Compare a server's tools with the approved ones, and list what uses changed tools."""
        found = await server_of(self._studio, server)
        studio, folder = self._studio, RecordingFolder(Path(FOLDER))
        drift = ToolDrift(studio.home, studio.gate, folder)
        difference = await server_difference(drift, found.name, tool)
        if tool is None:
            listed = await drift.listed(found.name)
            studio.gate.shown_tools.note(key_of(request).id, found.name, listed)
        return difference

    async def sign_in_to_server(self, server: ServerIdentity) -> Response:
        """Sign in to a server that uses OAuth; the events are the page to open and the result."""
        found = await server_of(self._studio, server)
        require_sign_in(found)
        return _SigningIn(self._studio, found, self._signing_in)

    async def paste_sign_in_address(
        self,
        server: ServerIdentity,
        body: Annotated[PastedAddressRequest, Depends(PastedAddressRequest.read)],
    ) -> Response:
        """Complete a running sign-in with the address at which a browser elsewhere ended."""
        found = await server_of(self._studio, server)
        signing = self._signing_in.get(found.id)
        if signing is None:
            raise NotFound(
                "SERVER_SIGN_IN_NOT_RUNNING",
                f"nobody is signing in to server {found.name!r}",
                hint="start the sign-in again",
            )
        signing.paste(body.address)
        return Response(status_code=204)

    async def sign_out_of_server(self, server: ServerIdentity) -> Response:
        """Delete the tokens of a sign-in, and close the connection that uses them."""
        found = await server_of(self._studio, server)
        await forget_sign_in(found.name, self._studio.home.vault)
        self._studio.connections.drop(found.name)
        return Response(status_code=204)


def server_detail_routes(studio: Studio, authenticator: Authenticator) -> APIRouter:
    """The endpoints."""
    handlers = _Handlers(studio)
    routes = Routes(authenticator, "/api/v1/servers/{server}", "servers", 404)
    routes.add("GET", "/health", handlers.show_server_health)
    routes.add("GET", "/difference", handlers.show_server_difference, 409, 504)
    routes.stream("POST", "/sign-in", handlers.sign_in_to_server, {"type": "string"})
    routes.add("POST", "/sign-in/address", handlers.paste_sign_in_address, status=204)
    routes.add("DELETE", "/sign-in", handlers.sign_out_of_server, status=204)
    return routes.router()
