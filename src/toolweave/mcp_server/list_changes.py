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
    ResourceUpdated,
    ToolsListChanged,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolweave.mcp_server.resources import CHANGING

# A client that does not read within this time misses the notification.
SEND_TIMEOUT_S = 5.0


class Changes:
    """The clients to notify of changes."""

    def __init__(self, *, is_stale: bool = False, has_one_client: bool = False) -> None:
        # Whether a client that completes its handshake has an outdated list: by the early answer,
        # or, if there is one client only, by a change before the handshake.
        self._is_stale = is_stale
        self._has_one_client = has_one_client
        self._bus = InMemorySubscriptionBus()
        self._connections: WeakSet[Connection] = WeakSet()
        self.listen = ListenHandler(self._bus)

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

    async def tools_changed(self) -> None:
        """Notify all clients that a tool was published or unpublished."""
        if self._has_one_client and not self._connections:
            self._is_stale = True
        await self._bus.publish(ToolsListChanged())
        await self._tell_all(Connection.send_tool_list_changed)

    async def resources_changed(self) -> None:
        """Notify all clients that live tools were added or removed."""
        await self._bus.publish(ResourcesListChanged())
        for uri in CHANGING:
            await self._bus.publish(ResourceUpdated(uri=uri))
        await self._tell_all(Connection.send_resource_list_changed)

    async def _tell_all(self, send: Callable[[Connection], Awaitable[None]]) -> None:
        async with anyio.create_task_group() as tasks:
            for connection in list(self._connections):
                tasks.start_soon(_tell, connection, send)


async def _tell(connection: Connection, send: Callable[[Connection], Awaitable[None]]) -> None:
    with anyio.move_on_after(SEND_TIMEOUT_S):
        await send(connection)
