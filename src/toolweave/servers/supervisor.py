"""One warm connection to one server: kept up, pinged, brought back, or given up.

002: health every 30 s; after a loss, tries at 1, 5 and 15 s; then disabled, with a notice.
"""

import logging
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from datetime import timedelta

import anyio

from toolweave.clock import Clock
from toolweave.errors import ToolweaveError, Unavailable
from toolweave.servers.connection import Connection, Era, open_connection
from toolweave.servers.definition import Server
from toolweave.servers.faults import Faults
from toolweave.servers.health import Health, Pings, RetryState
from toolweave.servers.opening import Opener
from toolweave.servers.registry import MAX_FAILURES, Registry
from toolweave.servers.transports.failures import failure_in
from toolweave.settings import Settings
from toolweave.tools.tool import Tool

logger = logging.getLogger(__name__)


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
        opener: Opener,
        pings: Pings,
        clock: Clock,
        settings: Settings,
        keeps_trying: bool,
    ) -> None:
        self.server = server
        self.health = Health()
        self._registry = registry
        self._opener = opener
        self._pings = pings
        self._clock = clock
        self._settings = settings
        self._keeps_trying = keeps_trying
        self._era: Era = "auto"
        self._live: Live | None = None
        self._error: ToolweaveError | None = None
        self._settled = anyio.Event()  # set while there is a connection or a reason why not
        self._stop = anyio.Event()
        self._failures = 0
        self.is_over = False

    async def live(self) -> Live:
        """The connection, waiting while it is being made.

        Raises:
            ToolweaveError: the reason of the last failure, at once, while retrying.
        """
        while True:
            await self._settled.wait()
            if self._live is not None and not self._live.connection.faults.ended.is_set():
                return self._live
            if self._error is not None:
                raise self._error
            # The connection is gone and its owner has not noticed yet.
            await anyio.sleep(0.001)

    def stop(self) -> None:
        """Let `run` come to its end."""
        self._stop.set()

    async def run(self) -> None:
        """Connect, stay, and come back after a loss, until stopped or given up."""
        while not self._stop.is_set():
            self._unsettle()
            try:
                await self._converse()
            except ToolweaveError as error:
                await self._failed(error)
            if self._stop.is_set() or not await self._waits_for_retry():
                break
        self.is_over = True
        self._settle(None, self._error or self._gone())

    async def _converse(self) -> None:
        faults = Faults(self.server.name)
        era = self._era
        try:
            await self._connected(faults, era)
        except Exception as error:  # an edge: whatever a server provokes ends its connection only
            reason = _reason(error, faults)
            if era == "auto" and self._live is None and reason.code == "MCP_SERVER_DISCONNECTED":
                # Some old servers die of a message they do not know: greet them the old way.
                self._era = "legacy"
                return await self._converse()
            raise reason from None
        finally:
            self._live = None

    async def _connected(self, faults: Faults, era: Era) -> None:
        limits = self._settings.limits
        transport = await self._opener.open(self.server, faults)
        async with open_connection(transport, faults, limits=limits, era=era) as connection:
            self._era = "auto" if connection.is_modern else "legacy"
            await self._refresh(connection)
            await self._remember(self._registry.note_connected(self.server.name))
            async with anyio.create_task_group() as tasks:
                if connection.is_modern:
                    tasks.start_soon(connection.watch_tools)
                await self._stay(connection)
                tasks.cancel_scope.cancel()
        if not self._stop.is_set():
            raise faults.closed()

    async def _stay(self, connection: Connection) -> None:
        """Wait for the end; meanwhile look after the server every half minute."""
        while not self._stop.is_set() and not connection.faults.ended.is_set():
            connection.tools_changed = anyio.Event()
            await _first_of(
                self._settings.health_every_s,
                self._clock,
                self._stop,
                connection.faults.ended,
                connection.tools_changed,
            )
            if not self._stop.is_set() and not connection.faults.ended.is_set():
                await self._refresh(connection)

    async def _refresh(self, connection: Connection) -> None:
        """Ping, list the tools, and remember both."""
        deadline_s = self._settings.limits.connect_deadline_s
        started = self._clock.monotonic()
        try:
            with anyio.fail_after(deadline_s):
                await connection.ping()
                latency_ms = (self._clock.monotonic() - started) * 1000
                tools = await connection.list_tools()
        except TimeoutError:
            raise Unavailable(
                "SERVER_UNRESPONSIVE",
                f"server {self.server.name!r} did not answer a health check in {deadline_s:g} s",
            ) from None
        self._failures = 0
        self.health = Health(
            state="connected",
            last_ping_at=self._clock.now(),
            latency_ms=latency_ms,
            tool_count=len(tools),
            protocol_version=connection.protocol_version,
        )
        self._settle(Live(connection, {tool.name: tool for tool in tools}), None)
        await self._remember(self._pings.save(self.server.id, self._clock.now(), self.health))

    async def _failed(self, error: ToolweaveError) -> None:
        self._failures += 1
        self.health = Health(
            state="error",
            consecutive_failures=min(self._failures, MAX_FAILURES),
            reason=error.message,
        )
        self._settle(None, error)
        logger.warning("server connection failed", extra={"server": self.server.name})
        await self._remember(self._registry.note_failure(self.server.name, error.message))
        await self._remember(self._pings.save(self.server.id, self._clock.now(), self.health))

    async def _waits_for_retry(self) -> bool:
        """Wait out the back-off; false when there is nothing left to wait for."""
        if not self._keeps_trying:
            return False
        waits = self._settings.retry.waits_s
        if self._failures > len(waits):
            await self._remember(self._registry.auto_disable(self.server.name))
            self.health = replace(self.health, auto_disabled_at=self._clock.now())
            return False
        wait_s = waits[self._failures - 1]
        retry = RetryState(True, self._failures, self._clock.now() + timedelta(seconds=wait_s))
        self.health = replace(self.health, retry=retry)
        await _first_of(wait_s, self._clock, self._stop)
        return not self._stop.is_set()

    async def _remember(self, writing: Awaitable[object]) -> None:
        """Write down what happened; a server removed meanwhile, or a full disk, ends nothing."""
        try:
            await writing
        except ToolweaveError:
            logger.exception("server state not saved", extra={"server": self.server.name})

    def _unsettle(self) -> None:
        self._live, self._error = None, None
        if self._settled.is_set():
            self._settled = anyio.Event()
        if self.health.state != "error":
            self.health = replace(self.health, state="connecting")

    def _settle(self, live: Live | None, error: ToolweaveError | None) -> None:
        self._live, self._error = live, error
        self._settled.set()

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


def _reason(error: BaseException, faults: Faults) -> ToolweaveError:
    """The one typed error in what a transport's task groups raised."""
    found = faults.first or failure_in(error)
    if found is not None:
        return found
    logger.error("server connection broke", extra={"server": faults.server}, exc_info=error)
    return Unavailable(
        "SERVER_UNREACHABLE",
        f"server {faults.server!r} cannot be reached: {type(error).__name__}",
    )
