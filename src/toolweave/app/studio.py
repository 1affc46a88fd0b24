"""An open home with live connections and the gate."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from toolweave.engine.lease_owner import is_gone, new_holder
from toolweave.home import Home
from toolweave.servers.call_list import CallList
from toolweave.servers.connections import Connections
from toolweave.servers.gate import Gate
from toolweave.servers.guardian import Guardian
from toolweave.servers.history import History
from toolweave.servers.limits import ExecutionLimits
from toolweave.servers.transport_factory import TransportFactory
from toolweave.storage.shared_limits import SharedLimits
from toolweave.tasks import background, keep_going


@dataclass(frozen=True, slots=True)
class Studio:
    """The open parts of a studio; no logic of its own."""

    home: Home
    connections: Connections
    gate: Gate
    transports: TransportFactory
    shared_limits: SharedLimits


@asynccontextmanager
async def open_studio(home: Home, *, keeps_trying: bool = False) -> AsyncGenerator[Studio]:
    """Open connections and the gate for an open home."""
    settings, clock = home.settings, home.clock
    history = History(home.database, clock)
    async with Guardian(environ=home.environ) as guardian, history.writing():
        transports = TransportFactory(
            environ=home.environ,
            vault=home.vault,
            guardian=guardian,
            masker=home.masker,
            limits=settings.limits,
            client_url=settings.oauth_client_url,
        )
        connections = Connections(
            home.registry,
            transports,
            home.pings,
            clock=clock,
            settings=settings,
            keeps_trying=keeps_trying,
        )
        shared_limits = SharedLimits(home.database, new_holder(), is_gone=is_gone)
        gate = Gate(
            home.registry,
            connections,
            home.lockfile,
            limits=ExecutionLimits(settings.limits),
            shared_limits=shared_limits,
            history=history,
            masker=home.masker,
            clock=clock,
            settings=settings,
        )
        async with connections.running(), shared_limits.running(), background() as tasks:
            tasks.start_soon(keep_going, gate.follow_stops, CallList(home.database, clock))
            yield Studio(
                home=home,
                connections=connections,
                gate=gate,
                transports=transports,
                shared_limits=shared_limits,
            )
