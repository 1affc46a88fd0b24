"""Authenticates requests to /mcp, and opens the MCP endpoint with the first of them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

from starlette.requests import HTTPConnection
from starlette.types import Message, Receive, Scope, Send

from toolweave.access.authorization import route_rule
from toolweave.app.lazy import Lazy
from toolweave.app.running_studio import RunningStudio
from toolweave.authoring.live_catalog import CountingToolService, LiveCatalog
from toolweave.modules import load_in_thread
from toolweave.rest.auth import Authenticator

if TYPE_CHECKING:  # loads the SDK
    from toolweave.serve.mcp_endpoint import McpEndpoint

ENDPOINT = "toolweave.serve.mcp_endpoint"

_MCP_RULE = route_rule("*", "/mcp")


class McpDoor:
    """The MCP endpoint for keys with `tools:read`; calling a tool also needs `tools:execute`.

    The scopes are those of REST.
    """

    def __init__(
        self,
        catalog: LiveCatalog,
        tool_service: CountingToolService,
        studio: RunningStudio,
        authenticator: Authenticator,
    ) -> None:
        self._catalog = catalog
        self._tool_service = tool_service
        self._studio = studio
        self._authenticator = authenticator
        self._endpoint = Lazy(self._open)

    async def run(self) -> None:
        """Keep the endpoint open from the first request until cancelled."""
        await self._endpoint.serve()

    @asynccontextmanager
    async def _open(self) -> AsyncGenerator["McpEndpoint"]:
        module = await load_in_thread(ENDPOINT)
        async with module.open_endpoint(
            self._catalog, self._tool_service, self._studio
        ) as endpoint:
            yield endpoint

    async def tools_changed(self) -> None:
        """Notify all clients that a tool was published or unpublished."""
        if (endpoint := self._endpoint.opened) is not None:
            await endpoint.changes.tools_changed()

    async def resources_changed(self) -> None:
        """Notify all clients that live tools were added or removed."""
        if (endpoint := self._endpoint.opened) is not None:
            await endpoint.changes.resources_changed()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with 401, 403 or 429."""
        connection = HTTPConnection(scope)
        key = await self._authenticator.authenticate(connection, _MCP_RULE)

        async def heard() -> Message:
            message = await receive()
            if message["type"] == "http.disconnect":
                connection.state.has_left = True  # not interrupted by the shutdown
            return message

        endpoint = await self._endpoint.get()
        # The standing stream of a session; a POST may be a stream as well, which ends likewise.
        is_stream = scope["method"] == "GET"
        with self._authenticator.counted_stream(key) if is_stream else nullcontext():
            try:
                await endpoint.serve(scope, heard, send, key)
            finally:
                if getattr(connection.state, "is_revoked", False):
                    # A session handles its requests in a task of its own.
                    await endpoint.end_sessions(key)
