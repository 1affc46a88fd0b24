"""Authenticates requests to /mcp, and opens the MCP endpoint with the first of them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

import anyio
from starlette.requests import HTTPConnection
from starlette.types import Message, Receive, Scope, Send

from toolweave.access.authorization import route_rule
from toolweave.app.lazy import Lazy
from toolweave.app.running_studio import RunningStudio
from toolweave.authoring.live_catalog import CountingToolService, LiveCatalog
from toolweave.modules import load_in_thread
from toolweave.rest.auth import Authenticator, key_invalid
from toolweave.tasks import background

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
        has_begun, is_revoked = False, False

        async def heard() -> Message:
            message = await receive()
            if message["type"] == "http.disconnect":
                connection.state.has_left = True  # not interrupted by the shutdown
            return message

        async def say(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        async def end_with_key(request: anyio.CancelScope) -> None:
            nonlocal is_revoked
            await self._authenticator.until_revoked(connection)
            is_revoked = connection.state.has_left = True
            request.cancel()

        endpoint = await self._endpoint.get()
        # The standing stream of a session; a POST may be a stream as well, which ends likewise.
        is_stream = scope["method"] == "GET"
        with self._authenticator.counted_stream(key) if is_stream else nullcontext():
            async with background() as tasks:
                tasks.start_soon(end_with_key, tasks.cancel_scope)
                await endpoint.serve(scope, heard, say, key)
        if is_revoked and not has_begun:
            raise key_invalid()
