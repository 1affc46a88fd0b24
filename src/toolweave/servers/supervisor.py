"""Keep one connection to one server open: ping it, reconnect it, or disable the server.

Pings every 30 s; after a loss, retries after 1, 5 and 15 s; the registry then disables the server.
Without `keeps_trying` it retries only while a caller waits for it.
"""

import logging
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from datetime import timedelta

import anyio
import anyio.lowlevel

from toolweave.access.mask import Masker, secrets_in_use
from toolweave.clock import Clock
from toolweave.errors import NotFound, ToolweaveError, Unavailable
from toolweave.servers.connection import Connection, Era, open_connection
from toolweave.servers.definition import HttpServer, Server
from toolweave.servers.disconnect_reason import DisconnectReason, connect_timeout, mask_error
from toolweave.servers.health import Health, Pings, RetryState
from toolweave.servers.registry import MAX_FAILURES, Registry
from toolweave.servers.retry import is_temporary
from toolweave.servers.transport import open_transport
from toolweave.servers.transport_factory import TransportFactory
from toolweave.servers.transports.failures import typed_error_in
from toolweave.settings import Settings
from toolweave.tools.tool import Tool

logger = logging.getLogger(__name__)

UNLIMITED = 1_000_000_000

# The statuses after which the protocol asks a client to try server-sent events.
NO_MESSAGES_HERE = frozenset({400, 404, 405})

# Limits how often tools are listed, however often the server reports changes.
LOOK_PAUSE_S = 1.0


@dataclass(frozen=True, slots=True)
class LiveConnection:
    """An open connection and its latest tool list."""

    connection: Connection
    tools: dict[str, Tool]
    # What the server was given, and may repeat in its results.
    secrets: Masker


class Supervisor:
    """Owns the connection; `run` is its one task, callers await `live`."""

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
        self._secrets = Masker()
        self._pings = pings
        self._clock = clock
        self._settings = settings
        self._keeps_trying = keeps_trying
        self._era: Era = "auto"
        self._is_sse = False  # an HTTP address that turned out to be one of an older server
        self._live: LiveConnection | None = None
        self._error: ToolweaveError | None = None
        self._news = anyio.Event()  # set and replaced whenever one of these two changes
        self._scope = anyio.CancelScope()
        self._failures = 0
        self._patient = 0  # callers that wait for a retry
        self._recorded = anyio.Event()  # set when the end of this connection is counted
        self._faults: DisconnectReason | None = None

    @property
    def log(self) -> tuple[str, ...]:
        """The server's last stderr lines, of this connection or the previous one."""
        return tuple(self._faults.stderr) if self._faults is not None else ()

    @property
    def is_over(self) -> bool:
        """Whether it has ended, or will end without another attempt."""
        if self.ended.is_set() or self._scope.cancel_called:
            return True
        is_lost = not self._never_met and self._up is None
        is_retrying = self._keeps_trying or self.health.retry.is_retrying
        return not is_retrying and (is_lost or self._error is not None)

    @property
    def error(self) -> ToolweaveError | None:
        """Why there is no connection, with secrets masked."""
        return mask_error(self._error, self._opener.masker) if self._error else None

    async def live(self, *, patient: bool = False) -> LiveConnection:
        """Return the connection, waiting while it opens.

        Raises the last failure; a patient caller first waits for the retries before its deadline.
        """
        self._patient += patient
        try:
            while True:
                if (live := self._up) is not None:
                    return live
                if self._error is not None and not (patient and self._retries_in_time()):
                    raise mask_error(self._error, self._opener.masker)
                # Not open yet, or closed and not yet noticed.
                await self._news.wait()
        finally:
            self._patient -= patient

    def _retries_in_time(self) -> bool:
        """Whether the next attempt is before the caller's deadline."""
        retry = self.health.retry
        if not retry.is_retrying or retry.next_retry_at is None or self._error is None:
            return False
        left_s = anyio.current_effective_deadline() - anyio.current_time()
        wait_s = (retry.next_retry_at - self._clock.now()).total_seconds()
        return is_temporary(self._error) and wait_s < left_s

    async def refreshed(self) -> LiveConnection:
        """Return the connection after a new health check; opening it counts as one."""
        if self._up is None:
            return await self.live()
        news = self._news
        self._up.connection.needs_check.set()
        with anyio.move_on_after(self._settings.limits.connect_deadline_s):
            await news.wait()
        return await self.live()

    async def confirm_loss(self) -> None:
        """Find out whether the connection is lost, and wait until the failure is recorded."""
        recorded, news = self._recorded, self._news
        with anyio.move_on_after(self._settings.limits.connect_deadline_s):
            if self._up is not None:  # an HTTP server: only its own call has failed so far
                self._up.connection.needs_check.set()
                await news.wait()
            if self._up is None and not self.ended.is_set():
                await recorded.wait()

    def stop(self) -> None:
        """Close the connection and end `run`."""
        self._scope.cancel()

    async def run(self, after: anyio.Event | None = None) -> None:
        """Connect and reconnect after a loss, until stopped or out of attempts."""
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
        """Run one connection to its end; return whether to reconnect."""
        self._recorded = anyio.Event()
        self._settle(None, None)
        self.health = replace(
            self.health, state="connecting", retry=RetryState(attempt=self._failures)
        )
        reason = await self._until_lost(self._era)
        if self._may_have_crashed(reason):
            # Some old servers crash on an unknown message: use the legacy handshake.
            reason = await self._until_lost("legacy")
        if self._never_met and self._may_be_sse(reason):
            reason = await self._until_lost_with_sse(reason)
        if self._never_met:
            self._era, self._is_sse = "auto", False  # it may be a different program now
        # The SDK's session swallows our cancellation on exit: that is not a failure.
        await anyio.lowlevel.checkpoint_if_cancelled()
        await self._failed(reason)
        return await self._waits_for_retry()

    @property
    def _up(self) -> LiveConnection | None:
        is_gone = self._live is None or self._live.connection.faults.ended.is_set()
        return None if is_gone else self._live

    @property
    def _never_met(self) -> bool:
        return self.health.state in ("disconnected", "connecting")

    def _may_have_crashed(self, reason: ToolweaveError) -> bool:
        """Whether the first message may have ended the server; not if it never read one."""
        is_first = self._never_met and self._era == "auto"
        is_lost = reason.code == "MCP_SERVER_DISCONNECTED"
        return is_first and is_lost and not (self._faults and self._faults.is_unread)

    def _may_be_sse(self, reason: ToolweaveError) -> bool:
        """Whether the server refused a message as one with server-sent events does."""
        is_http = isinstance(self.server.definition, HttpServer) and not self._is_sse
        return is_http and reason.facts.get("status") in NO_MESSAGES_HERE

    async def _until_lost_with_sse(self, refusal: ToolweaveError) -> ToolweaveError:
        """Hold a connection with SSE; a server without it is described by its first refusal."""
        self._is_sse = True
        reason = await self._until_lost("auto")
        return refusal if self._never_met else reason

    async def _until_lost(self, era: Era) -> ToolweaveError:
        """Hold a connection while it lasts; return why it ended."""
        faults = self._faults = DisconnectReason(self.server.name)
        try:
            with secrets_in_use() as self._secrets:
                await self._connected(faults, era)
        except Exception as error:  # whatever a server causes ends only its own connection
            return _reason(error, faults)
        finally:
            self._live = None
        return faults.closed()

    async def _connected(self, faults: DisconnectReason, era: Era) -> None:
        limits = self._settings.limits
        transport = await open_transport(self._opener, self.server, faults, is_sse=self._is_sse)
        async with (
            open_connection(transport, faults, limits=limits, era=era) as connection,
            anyio.create_task_group() as tasks,
        ):
            if connection.is_announcing:
                tasks.start_soon(
                    connection.watch_tools
                )  # before listing, so that no change is missed
            if not await self._refresh(connection):
                raise connect_timeout(self.server.name, limits.connect_deadline_s)
            self._era = "auto" if connection.is_modern else "legacy"
            await self._remember(self._registry.note_connected(self.server))
            await self._stay(connection)
            tasks.cancel_scope.cancel()

    async def _stay(self, connection: Connection) -> None:
        """Wait for the end; check the server's health every half minute."""
        ended = connection.faults.ended
        while not ended.is_set():
            await _first_of(
                self._settings.health_every_s, self._clock, ended, connection.needs_check
            )
            if ended.is_set():
                return
            was_called = connection.needs_check.is_set()
            # Before the check: a change during it needs another check.
            connection.needs_check = anyio.Event()
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
        """Ping, list the tools, and record both; return whether it responded in time."""
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
            by_name = {tool.name: tool for tool in tools}
            self._settle(LiveConnection(connection, by_name, self._secrets), None)
        if scope.cancelled_caught:
            return False
        await self._remember(self._pings.save(self.server.id, self._clock.now(), self.health))
        return True

    async def _failed(self, reason: ToolweaveError) -> None:
        """Count a failure, then report it to those who wait."""
        error = mask_error(reason, self._opener.masker)
        self._failures += 1
        waits = self._settings.retry.waits_s
        is_awaited = self._patient > 0 and is_temporary(error)
        will_retry = (self._keeps_trying or is_awaited) and self._failures <= len(waits)
        logger.warning("server connection failed", extra={"server": self.server.name})
        threshold = min(MAX_FAILURES, len(waits) + 1)
        if error.code == "SERVER_SIGN_IN_REQUIRED":
            threshold = UNLIMITED  # it works as soon as somebody signs in
        noted = await self._remember(
            self._registry.note_failure(
                self.server, error.message, will_retry=will_retry, threshold=threshold
            )
        )
        now, attempt = self._clock.now(), min(self._failures, MAX_FAILURES)
        is_disabled = isinstance(noted, Server) and noted.auto_disabled
        wait_s = waits[self._failures - 1] if will_retry else 0
        health = Health(
            state="error",
            last_ping_at=self.health.last_ping_at,
            consecutive_failures=attempt,
            reason=error.message,
            retry=RetryState(will_retry, attempt, now + timedelta(seconds=wait_s))
            if will_retry
            else RetryState(attempt=attempt),
            auto_disabled_at=now if is_disabled else None,
        )
        await self._remember(self._pings.save(self.server.id, now, health))
        self.health = health
        self._settle(None, error)
        self._recorded.set()

    async def _waits_for_retry(self) -> bool:
        """Wait for the backoff; return false if no attempts are left."""
        if not self.health.retry.is_retrying:
            return False
        await self._clock.sleep(self._settings.retry.waits_s[self._failures - 1])
        return True

    async def _remember(self, writing: Awaitable[object]) -> object:
        """Store the state, also during a stop; a full disk is only logged."""
        try:
            with anyio.CancelScope(shield=True):
                return await writing
        except NotFound:
            self.stop()  # it was removed
        except ToolweaveError:
            logger.exception("server state not saved", extra={"server": self.server.name})
        return None

    def _settle(self, live: LiveConnection | None, error: ToolweaveError | None) -> None:
        self._live, self._error = live, error
        news, self._news = self._news, anyio.Event()
        news.set()

    def _gone(self) -> ToolweaveError:
        return Unavailable(
            "MCP_SERVER_DISCONNECTED", f"server {self.server.name!r} is not connected"
        )


async def _first_of(seconds: float, clock: Clock, *events: anyio.Event) -> None:
    """Return after the timeout or when one of the events is set."""
    async with anyio.create_task_group() as tasks:

        async def wait(event: anyio.Event) -> None:
            await event.wait()
            tasks.cancel_scope.cancel()

        for event in events:
            tasks.start_soon(wait, event)
        await clock.sleep(seconds)
        tasks.cancel_scope.cancel()


def _reason(error: BaseException, faults: DisconnectReason) -> ToolweaveError:
    """Return the one typed error in a transport's exception group."""
    found = faults.first or typed_error_in(error)
    if found is not None or faults.ended.is_set():
        return found or faults.closed()
    logger.error("server connection broke", extra={"server": faults.server}, exc_info=error)
    return Unavailable(
        "SERVER_UNREACHABLE",
        f"server {faults.server!r} cannot be reached: {type(error).__name__}",
    )
