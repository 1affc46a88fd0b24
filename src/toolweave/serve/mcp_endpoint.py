"""The MCP endpoint of the studio: the SDK's HTTP server with our tools.

Imports the SDK, which takes most of a second; `mcp_door` loads it with the first request.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio.to_thread
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from toolweave.access.keys import ApiKey
from toolweave.app.running_studio import RunningStudio
from toolweave.authoring.live_catalog import CountingToolService, LiveCatalog
from toolweave.errors import Limited
from toolweave.library.home_libraries import library_store
from toolweave.mcp_server.context import McpContext, WaitLimits
from toolweave.mcp_server.list_changes import Changes
from toolweave.mcp_server.server import build_server
from toolweave.mcp_server.signed_state import seal_key
from toolweave.serve.large_answers import LargeAnswerSender
from toolweave.tasks import background, keep_going

MAX_SESSIONS = 1_000
# Of one API key, so that it leaves room for others.
MAX_SESSIONS_PER_KEY = 100


@dataclass(frozen=True, slots=True)
class McpEndpoint:
    """The SDK's application, and whom to notify of changes."""

    sessions: StreamableHTTPSessionManager
    changes: Changes

    async def serve(self, scope: Scope, receive: Receive, send: Send, key: ApiKey) -> None:
        """Answer a request of `key`; a session belongs to the key that opened it.

        Raises:
            Limited: `STREAMS_LIMITED`.
        """
        headers = Headers(scope=scope)
        is_modern = headers.get(MCP_PROTOCOL_VERSION_HEADER) in MODERN_PROTOCOL_VERSIONS
        if not is_modern and MCP_SESSION_ID_HEADER not in headers:
            self._require_room(key)
        # By this the SDK tells whose a session is; the secret itself stays outside.
        owner = AccessToken(token="", client_id=key.id, scopes=sorted(key.scopes))
        user = AuthenticatedUser(owner)
        if not is_modern and scope["method"] == "POST":
            send = LargeAnswerSender(send).send
        await self.sessions.handle_request({**scope, "user": user}, receive, send)

    async def end_sessions(self, key: ApiKey) -> None:
        """End the sessions of a revoked key, and what they are doing."""
        owners = self.sessions._session_owners  # pyright: ignore[reportPrivateUsage]
        ended = [id_ for id_, owner in owners.items() if owner["client_id"] == key.id]
        for session in ended:
            transport = self.sessions._server_instances.get(session)  # pyright: ignore[reportPrivateUsage]
            if transport is not None:
                with anyio.CancelScope(shield=True):
                    await transport.terminate()

    def _require_room(self, key: ApiKey) -> None:
        # The SDK limits all sessions together, and has no public way to count those of a key.
        owners = self.sessions._session_owners.values()  # pyright: ignore[reportPrivateUsage]
        if sum(1 for one in owners if one["client_id"] == key.id) >= MAX_SESSIONS_PER_KEY:
            raise Limited(
                "STREAMS_LIMITED",
                f"too many open MCP sessions; a key may have {MAX_SESSIONS_PER_KEY}",
                hint="end sessions with DELETE; idle ones end after half an hour",
                facts={"retry_after_s": 5},
            )


@asynccontextmanager
async def open_endpoint(
    catalog: LiveCatalog, tool_service: CountingToolService, studio: RunningStudio
) -> AsyncGenerator[McpEndpoint]:
    """The MCP endpoint without authentication."""

    async def running_studio() -> RunningStudio:
        return studio

    home, changes = studio.home, Changes()
    key = await anyio.to_thread.run_sync(seal_key, home.settings.home)
    wait_limits = WaitLimits.of(home.settings)
    context = McpContext(running_studio, studio.published, key, wait_limits, library_store(home))
    server = build_server(catalog, tool_service, changes, context)
    server.streamable_http_app(
        max_sessions=MAX_SESSIONS,
        # Host and Origin are checked before, by the guard.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    async with server.session_manager.run(), background() as tasks:
        tasks.start_soon(keep_going, changes.subscriptions.run)
        yield McpEndpoint(server.session_manager, changes)
