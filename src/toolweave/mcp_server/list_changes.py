"""Notify clients of changed lists: by a subscription stream in the sessionless protocol, by a
notification to every live connection in the older one."""

from collections.abc import Awaitable, Callable
from typing import Any
from weakref import WeakSet

import anyio
import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.server.connection import Connection
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ServerEvent,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolweave.mcp_server.subscriptions import SEND_TIMEOUT_S, Subscriptions
from toolweave.mcp_server.tool_call import McpCaller

MAX_STREAMS = 1024
# Of one API key.
MAX_STREAMS_PER_KEY = 100


class Changes:
    """The clients to notify of changes."""

    def __init__(self, *, is_stale: bool = False, has_one_client: bool = False) -> None:
        # Whether a client that completes its handshake has an outdated list: by the early answer,
        # or, if there is one client only, by a change before the handshake.
        self._is_stale = is_stale
        self._has_one_client = has_one_client
        # One for each stream: resources that one client watches are not another's.
        self.subscriptions = Subscriptions()
        # Each with the API key that it belongs to.
        self._buses: dict[InMemorySubscriptionBus, str] = {}
        self._connections: WeakSet[Connection] = WeakSet()

    async def meet(
        self, context: ServerRequestContext[Any, Any], _: types.NotificationParams
    ) -> None:
        """Remember a connection that completed the handshake."""
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            # A session is made anew for each request; only the connection lasts, and the SDK
            # has no public way from the one to the other.
            connection = context.session._connection  # pyright: ignore[reportPrivateUsage]
            self._connections.add(connection)
            if self._is_stale:
                self._is_stale = False
                await connection.send_tool_list_changed()

    async def listen(
        self,
        context: ServerRequestContext[Any, Any],
        params: types.SubscriptionsListenRequestParams,
    ) -> types.SubscriptionsListenResult:
        """Serve one stream of notifications."""
        who = McpCaller(context).who
        own = sum(1 for one in self._buses.values() if one == who)
        if len(self._buses) >= MAX_STREAMS or own >= MAX_STREAMS_PER_KEY:
            raise MCPError(types.INTERNAL_ERROR, "too many subscription streams are open")
        bus = InMemorySubscriptionBus()
        uris = [str(uri) for uri in params.notifications.resource_subscriptions or ()]
        self._buses[bus] = who
        try:
            async with self.subscriptions.watching(context, uris, bus) as watched:
                wanted = params.notifications.model_copy(
                    update={"resource_subscriptions": watched or None}
                )
                honored = params.model_copy(update={"notifications": wanted})
                return await ListenHandler(bus)(context, honored)
        finally:
            del self._buses[bus]

    async def tools_changed(self) -> None:
        """Notify all clients that a tool was published or unpublished."""
        if self._has_one_client and not self._connections:
            self._is_stale = True
        await self._publish(ToolsListChanged())
        await self._tell_all(Connection.send_tool_list_changed)

    async def resources_changed(self) -> None:
        """Notify all clients that live tools were added or removed."""
        await self._publish(ResourcesListChanged())
        await self._tell_all(Connection.send_resource_list_changed)

    async def _publish(self, event: ServerEvent) -> None:
        for bus in list(self._buses):
            await bus.publish(event)

    async def _tell_all(self, send: Callable[[Connection], Awaitable[None]]) -> None:
        async with anyio.create_task_group() as tasks:
            for connection in list(self._connections):
                tasks.start_soon(_tell, connection, send)


async def _tell(connection: Connection, send: Callable[[Connection], Awaitable[None]]) -> None:
    with anyio.move_on_after(SEND_TIMEOUT_S):
        await send(connection)
