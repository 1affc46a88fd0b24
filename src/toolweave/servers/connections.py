"""The warm connections of this process: one supervisor per server, all in one task group."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from anyio.abc import TaskGroup

from toolweave.clock import Clock
from toolweave.errors import Denied
from toolweave.servers.definition import Server
from toolweave.servers.health import Health, Pings
from toolweave.servers.opening import Opener, refuse_unapproved
from toolweave.servers.registry import Registry
from toolweave.servers.supervisor import Live, Supervisor
from toolweave.settings import Settings
from toolweave.tasks import background


class Connections:
    """Connects on first use; with `keeps_trying`, brings lost servers back by itself."""

    def __init__(
        self,
        registry: Registry,
        opener: Opener,
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

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Hold the connections for as long as this is entered."""
        async with background() as tasks:
            self._tasks = tasks
            try:
                yield
            finally:
                self._supervisors.clear()
                self._tasks = None

    async def use(self, server: Server) -> Live:
        """The live connection to `server`, made now if there is none.

        Raises:
            Denied: not approved, or disabled.
            ToolweaveError: why it cannot be reached.
        """
        refuse_unapproved(server)
        refuse_disabled(server)
        return await self._supervisor(server).live()

    def health(self, server: Server) -> Health:
        """What this process knows of `server`'s health."""
        supervisor = self._supervisors.get(server.name)
        return supervisor.health if supervisor is not None else Health()

    def drop(self, name: str) -> None:
        """Close the connection to `name`, if there is one."""
        if (supervisor := self._supervisors.pop(name, None)) is not None:
            supervisor.stop()

    async def follow(self) -> None:
        """Keep every enabled and approved server connected, and no other, until cancelled."""
        while True:
            servers = {server.name: server for server in await self._registry.list()}
            for server in servers.values():
                if server.enabled and server.is_approved and not server.auto_disabled:
                    self._supervisor(server)
            for name in [name for name in self._supervisors if name not in servers]:
                self.drop(name)
            for name, server in servers.items():
                if not server.enabled or not server.is_approved:
                    self.drop(name)
            await self._clock.sleep(1.0)

    def _supervisor(self, server: Server) -> Supervisor:
        known = self._supervisors.get(server.name)
        is_same = known is not None and known.server.definition == server.definition
        if known is not None and is_same and not known.is_over:
            return known
        if known is not None:
            known.stop()
        supervisor = Supervisor(
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
        self._tasks.start_soon(supervisor.run)
        return supervisor


def refuse_disabled(server: Server) -> None:
    """Raises `Denied` (`SERVER_DISABLED`) for a server somebody, or failures, switched off."""
    if server.enabled:
        return
    why = f" after failures: {server.last_failure}" if server.auto_disabled else ""
    raise Denied(
        "SERVER_DISABLED",
        f"server {server.name!r} is disabled{why}",
        hint=f"`toolweave servers enable {server.name}` switches it on",
    )
