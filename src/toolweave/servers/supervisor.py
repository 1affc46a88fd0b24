"""One warm connection to one server: kept up, pinged, brought back, or given up.

002: health every 30 s; after a loss, tries at 1, 5 and 15 s; then disabled, with a notice.
"""

import logging
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from datetime import timedelta

import anyio
import anyio.lowlevel

from toolweave.clock import Clock
from toolweave.errors import NotFound, ToolweaveError, Unavailable
from toolweave.servers.connection import Connection, Era, open_connection
from toolweave.servers.definition import Server
from toolweave.servers.disconnect_reason import DisconnectReason, connect_timeout, masked
from toolweave.servers.health import Health, Pings, RetryState
from toolweave.servers.registry import MAX_FAILURES, Registry
from toolweave.servers.transport_factory import TransportFactory
from toolweave.servers.transports.failures import failure_in
from toolweave.settings import Settings
from toolweave.tools.tool import Tool

logger = logging.getLogger(__name__)

# However often a server says that its tools changed, they are listed this often at most.
LOOK_PAUSE_S = 1.0


@dataclass(frozen=True, slots=True)
class Live:
    """A connection that is up, and the tools it listed last."""

    connection: Connection
    tools: dict[str, Tool]


class Supervisor:
    """Owns the connection; `run` is its one task, everybody else awaits `live`."""

    def __init__(
        self,
        server: Server,
        *,
        registry: Registry,
        opener: TransportFactory,
        pings: Pings,
        clock: Clock,
        settings: Settings,
        keeps_trying: bool,
    ) -> None:
        self.server = server
        self.health = Health()
        self.ended = anyio.Event()
        self._registry = registry
        self._opener = opener
        self._pings = pings
        self._clock = clock
        self._settings = settings
        self._keeps_trying = keeps_trying
        self._era: Era = "auto"
        self._live: Live | None = None
        self._error: ToolweaveError | None = None
        self._news = anyio.Event()  # set, and replaced, whenever one of these two changes
        self._scope = anyio.CancelScope()
        self._failures = 0
        self._faults: DisconnectReason | None = None

    @property
    def log(self) -> tuple[str, ...]:
        """What the server wrote to its standard error last, in this connection or the last one."""
        return tuple(self._faults.stderr) if self._faults is not None else ()

    @property
    def is_over(self) -> bool:
        """Whether it came to its end, or will without another try."""
        if self.ended.is_set() or self._scope.cancel_called:
            return True
        is_lost = not self._never_met and self._up is None
        return not self._keeps_trying and (is_lost or self._error is not None)

    async def live(self) -> Live:
        """The connection, waiting while it is being made.

        Raises:
            ToolweaveError: the reason of the last failure, at once, while retrying.
        """
        while True:
            if self._up is not None:
                return self._up
            if self._error is not None:
                raise masked(self._error, self._opener.masker)
            # Not made yet, or gone and its owner has not noticed.
            await self._news.wait()

    async def looked(self) -> Live:
        """The connection after another look at it; one that is made now was looked at.

        Raises:
            ToolweaveError: why it cannot be reached.
        """
        if self._up is None:
            return await self.live()
        news = self._news
        self._up.connection.needs_look.set()
        with anyio.move_on_after(self._settings.limits.connect_deadline_s):
            await news.wait()
        return await self.live()

    def stop(self) -> None:
        """Close the connection and let `run` come to its end."""
        self._scope.cancel()

    async def run(self, after: anyio.Event | None = None) -> None:
        """Connect, stay, and come back after a loss, until stopped or given up."""
        try:
            with self._scope:
                if after is not None:
                    await after.wait()
                while await self._try():
                    pass
        finally:
            if self._error is None:
                self.health = Health(last_ping_at=self.health.last_ping_at)
            self._settle(None, self._error or self._gone())
            self.ended.set()

    async def _try(self) -> bool:
        """One connection from its beginning to its end; whether there will be another."""
        self._settle(None, None)
        self.health = replace(
            self.health, state="connecting", retry=RetryState(attempt=self._failures)
        )
        reason = await self._until_lost(self._era)
        if reason.code == "MCP_SERVER_DISCONNECTED" and self._never_met and self._era == "auto":
            # Some old servers die of a message they do not know: greet them the old way.
            reason = await self._until_lost("legacy")
        if self._never_met:
            self._era = "auto"  # it may be another program than the last time
        # The SDK's session swallows our own cancellation on its way out: that is no failure.
        await anyio.lowlevel.checkpoint_if_cancelled()
        await self._failed(reason)
        return await self._waits_for_retry()

    @property
    def _up(self) -> Live | None:
        is_gone = self._live is None or self._live.connection.faults.ended.is_set()
        return None if is_gone else self._live

    @property
    def _never_met(self) -> bool:
        return self.health.state in ("disconnected", "connecting")

    async def _until_lost(self, era: Era) -> ToolweaveError:
        """Hold a connection as long as it lasts; why it ended."""
        faults = self._faults = DisconnectReason(self.server.name)
        try:
            await self._connected(faults, era)
        except Exception as error:  # an edge: whatever a server provokes ends its connection only
            return _reason(error, faults)
        finally:
            self._live = None
        return faults.closed()

    async def _connected(self, faults: DisconnectReason, era: Era) -> None:
        limits = self._settings.limits
        transport = await self._opener.open(self.server, faults)
        async with (
            open_connection(transport, faults, limits=limits, era=era) as connection,
            anyio.create_task_group() as tasks,
        ):
            if connection.is_announcing:
                tasks.start_soon(connection.watch_tools)  # before the list: no change is missed
            if not await self._refresh(connection):
                raise connect_timeout(self.server.name, limits.connect_deadline_s)
            self._era = "auto" if connection.is_modern else "legacy"
            await self._remember(self._registry.note_connected(self.server))
            await self._stay(connection)
            tasks.cancel_scope.cancel()

    async def _stay(self, connection: Connection) -> None:
        """Wait for the end; meanwhile look after the server every half minute."""
        ended = connection.faults.ended
        while not ended.is_set():
            await _first_of(
                self._settings.health_every_s, self._clock, ended, connection.needs_look
            )
            if ended.is_set():
                return
            was_called = connection.needs_look.is_set()
            # Before the look: what comes up during it needs another one.
            connection.needs_look = anyio.Event()
            if not await self._refresh(connection) and not connection.is_busy:
                deadline_s = self._settings.limits.connect_deadline_s
                raise Unavailable(
                    "SERVER_UNRESPONSIVE",
                    f"server {self.server.name!r} did not answer a health check in "
                    f"{deadline_s:g} s",
                )
            if was_called:
                await _first_of(LOOK_PAUSE_S, self._clock, ended)

    async def _refresh(self, connection: Connection) -> bool:
        """Ping, list the tools, and remember both; whether it answered in time."""
        started = self._clock.monotonic()
        with anyio.move_on_after(self._settings.limits.connect_deadline_s) as scope:
            await connection.ping()
            latency_ms = (self._clock.monotonic() - started) * 1000
            tools = await connection.list_tools()
            self._failures = 0
            self.health = Health(
                state="connected",
                last_ping_at=self._clock.now(),
                latency_ms=latency_ms,
                tool_count=len(tools),
                protocol_version=connection.protocol_version,
            )
            self._settle(Live(connection, {tool.name: tool for tool in tools}), None)
        if scope.cancelled_caught:
            return False
        await self._remember(self._pings.save(self.server.id, self._clock.now(), self.health))
        return True

    async def _failed(self, reason: ToolweaveError) -> None:
        error = masked(reason, self._opener.masker)
        self._failures += 1
        self.health = Health(
            state="error",
            last_ping_at=self.health.last_ping_at,
            consecutive_failures=min(self._failures, MAX_FAILURES),
            reason=error.message,
        )
        self._settle(None, error)
        logger.warning("server connection failed", extra={"server": self.server.name})
        await self._remember(self._registry.note_failure(self.server, error.message))
        await self._remember(self._pings.save(self.server.id, self._clock.now(), self.health))

    async def _waits_for_retry(self) -> bool:
        """Wait out the back-off; false when there is nothing left to wait for."""
        if not self._keeps_trying:
            return False
        waits = self._settings.retry.waits_s
        if self._failures > len(waits):
            self.health = replace(self.health, auto_disabled_at=self._clock.now())
            await self._remember(self._registry.auto_disable(self.server))
            return False
        wait_s = waits[self._failures - 1]
        retry = RetryState(True, self._failures, self._clock.now() + timedelta(seconds=wait_s))
        self.health = replace(self.health, retry=retry)
        await self._clock.sleep(wait_s)
        return True

    async def _remember(self, writing: Awaitable[object]) -> None:
        """Write down what happened, also when stopped meanwhile; a full disk ends nothing."""
        try:
            with anyio.CancelScope(shield=True):
                await writing
        except NotFound:
            self.stop()  # it was removed
        except ToolweaveError:
            logger.exception("server state not saved", extra={"server": self.server.name})

    def _settle(self, live: Live | None, error: ToolweaveError | None) -> None:
        self._live, self._error = live, error
        news, self._news = self._news, anyio.Event()
        news.set()

    def _gone(self) -> ToolweaveError:
        return Unavailable(
            "MCP_SERVER_DISCONNECTED", f"server {self.server.name!r} is not connected"
        )


async def _first_of(seconds: float, clock: Clock, *events: anyio.Event) -> None:
    """Return when the time is over or one of the events is set."""
    async with anyio.create_task_group() as tasks:

        async def wait(event: anyio.Event) -> None:
            await event.wait()
            tasks.cancel_scope.cancel()

        for event in events:
            tasks.start_soon(wait, event)
        await clock.sleep(seconds)
        tasks.cancel_scope.cancel()


def _reason(error: BaseException, faults: DisconnectReason) -> ToolweaveError:
    """The one typed error in what a transport's task groups raised."""
    found = faults.first or failure_in(error)
    if found is not None or faults.ended.is_set():
        return found or faults.closed()
    logger.error("server connection broke", extra={"server": faults.server}, exc_info=error)
    return Unavailable(
        "SERVER_UNREACHABLE",
        f"server {faults.server!r} cannot be reached: {type(error).__name__}",
    )
