"""The open connections of this process: one supervisor per server, in one task group.

Supervisors need the MCP SDK, which is slow to load: the first connection loads it, in a thread.
"""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import anyio
from anyio.abc import TaskGroup

from toolweave.clock import Clock
from toolweave.errors import Denied, ToolweaveError
from toolweave.modules import load_in_thread
from toolweave.servers.definition import Server
from toolweave.servers.health import Health, Pings
from toolweave.servers.registry import Registry
from toolweave.servers.transport_factory import TransportFactory, require_approved
from toolweave.settings import Settings
from toolweave.tasks import background, internal_errors

if TYPE_CHECKING:  # loads the SDK
    from toolweave.servers.supervisor import LiveConnection, Supervisor

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 1.0
STAGGER_S = 0.2


class Connections:
    """Connects on first use; with `keeps_trying`, reconnects lost servers."""

    def __init__(
        self,
        registry: Registry,
        opener: TransportFactory,
        pings: Pings,
        *,
        clock: Clock,
        settings: Settings,
        keeps_trying: bool = False,
    ) -> None:
        self._registry = registry
        self._opener = opener
        self._pings = pings
        self._clock = clock
        self._settings = settings
        self._keeps_trying = keeps_trying
        self._tasks: TaskGroup | None = None
        self._supervisors: dict[str, Supervisor] = {}
        self._reconnecting: dict[str, anyio.Lock] = {}
        self._kind: type[Supervisor] | None = None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Keep the connections open while the context is active."""
        async with background() as tasks:
            self._tasks = tasks
            try:
                yield
            finally:
                self._supervisors.clear()
                self._tasks = None

    @property
    def is_loaded(self) -> bool:
        """Whether `load` has nothing to do."""
        return self._kind is not None

    async def load(self, server: Server) -> None:
        """Load the MCP SDK, so that no deadline of a call counts it, if `server` may be used."""
        self._require_usable(server)
        await self._loaded()

    async def refresh(self, server: Server) -> "LiveConnection":
        """Return the connection to `server` after a new ping and tool list."""
        return await (await self._usable(server)).refreshed()

    async def use(self, server: Server, *, patient: bool = False) -> "LiveConnection":
        """Return the connection to `server`, connecting if there is none.

        With `patient`, a failed connection is retried while the caller's deadline allows it.
        Raises `Denied` if the server is not approved, is disabled, or belongs to another queue.
        """
        return await (await self._usable(server)).live(patient=patient)

    async def reconnect(self, server: Server) -> "LiveConnection":
        """Connect anew after a sign-in; enables a server that was disabled because of failures."""
        # Two people may sign in at once; neither may drop what the other is waiting for.
        async with self._reconnecting.setdefault(server.name, anyio.Lock()):
            self.drop(server.name)  # the connection without the new tokens
            await self._registry.list()
            current = await self._registry.get(server.name)
            if current.auto_disabled:
                current = await self._registry.enable(server.name)
            return await self.use(current)

    async def start(self, server: Server) -> None:
        """Begin to connect to `server` in the background, if it is approved and enabled."""
        if server.enabled and server.is_approved and self._serves(server):
            await self._usable(server)

    async def confirm_loss(self, name: str) -> None:
        """Count a connection that a call found to be lost."""
        if (supervisor := self._supervisors.get(name)) is not None:
            await supervisor.confirm_loss()

    def error(self, name: str) -> ToolweaveError | None:
        """Return why the connection to `name` failed last, if it is not open."""
        supervisor = self._supervisors.get(name)
        return supervisor.error if supervisor is not None else None

    async def _usable(self, server: Server) -> "Supervisor":
        self._require_usable(server)
        kind = await self._loaded()
        known = self._supervisors.get(server.name)
        if known is not None and not _is_of(known, server):
            # One of the two is outdated, and an outdated definition must not be started.
            await self._registry.list()
            server = await self._registry.get(server.name)
            self._require_usable(server)
        return self._supervisor(server, kind)

    def health(self, server: Server) -> Health:
        """Return the health of `server` as this process knows it."""
        supervisor = self._supervisors.get(server.name)
        if supervisor is None or supervisor.server.id != server.id:
            return Health()
        return supervisor.health

    def log(self, server: Server) -> tuple[str, ...]:
        """Return the last stderr lines of `server` that this process received."""
        supervisor = self._supervisors.get(server.name)
        if supervisor is None or supervisor.server.id != server.id:
            return ()
        return supervisor.log

    def drop(self, name: str) -> None:
        """Close the connection to `name`, if there is one."""
        if (supervisor := self._supervisors.get(name)) is not None:
            supervisor.stop()

    async def follow(self) -> None:
        """Keep every enabled and approved server connected, and no other, until cancelled.

        Connections begin one after another, so that requests are answered meanwhile.
        """
        while True:
            try:
                await self._keep_only(await self._registry.list())
            except ToolweaveError:
                logger.exception("the registered servers cannot be read")
            await self._clock.sleep(LOOK_EVERY_S)

    async def _keep_only(self, servers: tuple[Server, ...]) -> None:
        usable = (server for server in servers if server.enabled and server.is_approved)
        wanted = {server.name for server in usable if self._serves(server)}
        for name in self._supervisors.keys() - wanted:
            self.drop(name)  # a failed one stays listed with its reason
        is_first = True
        for server in servers:
            if server.name in wanted:
                if server.name not in self._supervisors:
                    if not is_first:
                        await self._clock.sleep(STAGGER_S)
                    is_first = False
                self._supervisor(server, await self._loaded())

    def _serves(self, server: Server) -> bool:
        return server.queue is None or server.queue in self._settings.queues

    def _require_usable(self, server: Server) -> None:
        require_approved(server)
        require_enabled(server)
        self._require_served(server)

    def _require_served(self, server: Server) -> None:
        """Refuse a server whose queue other processes serve: it is started there."""
        if self._serves(server):
            return
        raise Denied(
            "SERVER_QUEUE_NOT_SERVED",
            f"server {server.name!r} belongs to queue {server.queue!r}, which this process "
            "does not serve",
            hint=f"bind the node to queue {server.queue!r}, or use a process that serves it: "
            f"TOOLWEAVE_QUEUES={server.queue}",
        )

    async def _loaded(self) -> "type[Supervisor]":
        if (kind := self._kind) is None:
            module = "toolweave.servers.supervisor"
            kind = self._kind = (await load_in_thread(module)).Supervisor
        return kind

    def _supervisor(self, server: Server, kind: "type[Supervisor]") -> "Supervisor":
        known = self._supervisors.get(server.name)
        if known is not None and _is_of(known, server) and not known.is_over:
            known.server = server  # the newest record, so that the next comparison is fast
            return known
        supervisor = kind(
            server,
            registry=self._registry,
            opener=self._opener,
            pings=self._pings,
            clock=self._clock,
            settings=self._settings,
            keeps_trying=self._keeps_trying,
        )
        self._supervisors[server.name] = supervisor
        assert self._tasks is not None, "Connections is used outside `running`"
        if known is not None:
            known.stop()
        # Only after the old one has stopped: both could need the same port or container.
        self._tasks.start_soon(_supervise, supervisor, known.ended if known is not None else None)
        return supervisor


async def _supervise(supervisor: "Supervisor", after: anyio.Event | None) -> None:
    with suppress(ToolweaveError), internal_errors(server=supervisor.server.name):
        await supervisor.run(after)


def _is_of(supervisor: "Supervisor", server: Server) -> bool:
    known = supervisor.server
    return known is server or (known.id == server.id and known.definition == server.definition)


def require_enabled(server: Server) -> None:
    """Raise `Denied` (`SERVER_DISABLED`) for a server disabled by a person or after failures."""
    if server.enabled:
        return
    why = f" after failures: {server.last_failure}" if server.auto_disabled else ""
    raise Denied(
        "SERVER_DISABLED",
        f"server {server.name!r} is disabled{why}",
        hint=f"run `toolweave servers enable {server.name}` to enable it",
    )
