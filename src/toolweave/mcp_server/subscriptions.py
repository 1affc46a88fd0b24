"""Notify clients that a resource changed: by a stream in the sessionless protocol, by a
notification to the connection that subscribed in the older one.

Each watched resource has a version that differs after a change. It is compared every second, with
the permissions of the client that watches, and only while somebody does. Clients with the same key
share one look at a resource.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import anyio
import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated
from mcp.shared.exceptions import MCPError

from toolweave.access.keys import ApiKey
from toolweave.errors import ToolweaveError
from toolweave.mcp_server.tool_call import FORBIDDEN, Context, McpCaller, ResourceReader

LOOK_EVERY_S = 1.0
# Of one connection or stream.
MAX_WATCHED = 100
# A client that does not read within this time misses the notification.
SEND_TIMEOUT_S = 5.0

# The version of a resource for a reader; raises `MCPError` where it cannot be read.
VersionOf = Callable[[ResourceReader, str], Awaitable[str]]
Notify = Callable[[str], Awaitable[None]]


# Versions of one round, by the key of the reader and the address.
_Seen = dict[tuple[ApiKey | None, str], str | None]


@dataclass(eq=False)
class Watcher:
    """One client, and the versions of the resources that it last knew."""

    reader: ResourceReader
    known: dict[str, str | None] = field(default_factory=dict[str, str | None])


class Subscriptions:
    """The resources that clients watch."""

    def __init__(self) -> None:
        self._version_of: VersionOf = _nothing
        self._streams: dict[Watcher, InMemorySubscriptionBus] = {}
        self._connections: WeakKeyDictionary[Connection, Watcher] = WeakKeyDictionary()
        self._wanted = anyio.Event()

    def read_by(self, version_of: VersionOf) -> None:
        """Set what reads the versions."""
        self._version_of = version_of

    async def subscribe(
        self, context: Context, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        """Notify this connection of changes of a resource.

        Raises:
            MCPError: the caller may not read it, there is none, or it watches too many.
        """
        reader, uri = McpCaller(context).reader, str(params.uri)
        version = await self._version_of(reader, uri)
        watcher = self._connections.setdefault(_connection(context), Watcher(reader))
        if uri not in watcher.known and len(watcher.known) >= MAX_WATCHED:
            message = f"a connection can subscribe to at most {MAX_WATCHED} resources"
            raise MCPError(types.INVALID_PARAMS, message)
        watcher.known[uri] = version
        self._wanted.set()
        return types.EmptyResult()

    async def unsubscribe(
        self, context: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """End the subscription to a resource."""
        watcher = self._connections.get(_connection(context))
        if watcher is not None:
            watcher.known.pop(str(params.uri), None)
        return types.EmptyResult()

    @asynccontextmanager
    async def watching(
        self, context: Context, uris: list[str], bus: InMemorySubscriptionBus
    ) -> AsyncGenerator[list[str]]:
        """Watch resources while a stream is open; yields those that the caller may watch."""
        watcher = Watcher(McpCaller(context).reader)
        for uri in list(dict.fromkeys(uris))[:MAX_WATCHED]:
            try:
                watcher.known[uri] = await self._version_of(watcher.reader, uri)
            except MCPError as error:
                # What is not there yet may come, but a limited key must not learn of it.
                if error.error.code != FORBIDDEN and not watcher.reader.is_limited:
                    watcher.known[uri] = None
        self._streams[watcher] = bus
        self._wanted.set()
        try:
            yield list(watcher.known)
        finally:
            del self._streams[watcher]

    async def run(self) -> None:
        """Compare the versions while somebody watches."""
        while True:
            if not any(watcher.known for watcher, _ in self._watchers()):
                self._wanted = anyio.Event()
                await self._wanted.wait()
            await self.compare(list(self._watchers()))
            await anyio.sleep(LOOK_EVERY_S)

    async def compare(self, watchers: Sequence[tuple[Watcher, Notify]]) -> None:
        """Read each version once, and notify the watchers that know another one."""
        seen: _Seen = {}
        # Side by side: a client that does not read delays the others by one timeout at most.
        async with anyio.create_task_group() as notifying:
            for watcher, notify in watchers:
                await self._look(watcher, seen)
                notifying.start_soon(self._tell, watcher, notify, seen)

    def _watchers(self) -> Iterator[tuple[Watcher, Notify]]:
        for watcher, bus in self._streams.items():
            yield watcher, _publisher(bus)
        for connection, watcher in list(self._connections.items()):
            yield watcher, connection.send_resource_updated

    async def _look(self, watcher: Watcher, seen: "_Seen") -> None:
        """Read the versions that no watcher with the same key has read in this round."""
        for uri in list(watcher.known):
            place = (watcher.reader.key, uri)
            if place not in seen:
                try:
                    seen[place] = await self._version_of(watcher.reader, uri)
                except (MCPError, ToolweaveError, OSError):
                    seen[place] = None

    async def _tell(self, watcher: Watcher, notify: Notify, seen: "_Seen") -> None:
        for uri, known in list(watcher.known.items()):
            now = seen.get((watcher.reader.key, uri), known)
            if now != known and watcher.known.get(uri, now) == known:
                watcher.known[uri] = now
                with anyio.move_on_after(SEND_TIMEOUT_S) as limit:
                    await notify(uri)
                if limit.cancelled_caught:
                    return


async def _nothing(_: ResourceReader, uri: str) -> str:
    raise MCPError(types.INVALID_PARAMS, f"no resource {uri[:200]!r}")


def _publisher(bus: InMemorySubscriptionBus) -> Notify:
    async def publish(uri: str) -> None:
        await bus.publish(ResourceUpdated(uri=uri))

    return publish


def _connection(context: Context) -> Connection:
    # A session is made anew for each request; only the connection lasts, and the SDK has no
    # public way from the one to the other.
    return context.session._connection  # pyright: ignore[reportPrivateUsage]
