"""Everything joined: the ground, live connections and the gate."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from toolweave.home import Home
from toolweave.servers.connections import Connections
from toolweave.servers.gate import Gate
from toolweave.servers.guardian import Guardian
from toolweave.servers.history import History
from toolweave.servers.limits import ExecutionLimits
from toolweave.servers.transport_factory import TransportFactory
from toolweave.settings import Settings
from toolweave.storage.workflow_files import WorkflowFiles
from toolweave.workflow.store import WorkflowStore

WORKFLOWS = "workflows"


def workflow_store(settings: Settings) -> WorkflowStore:
    """The named workflows of this home; nothing is opened or made before the first is saved."""
    return WorkflowStore(WorkflowFiles(settings.home / WORKFLOWS))


@dataclass(frozen=True, slots=True)
class Studio:
    """The open rooms; no logic of its own."""

    ground: Home
    connections: Connections
    gate: Gate
    opener: TransportFactory
    workflows: WorkflowStore


@asynccontextmanager
async def open_studio(ground: Home, *, keeps_trying: bool = False) -> AsyncGenerator[Studio]:
    """Join connections and the gate to an open ground."""
    settings, clock = ground.settings, ground.clock
    history = History(ground.database, clock)
    async with Guardian(environ=ground.environ) as guardian, history.writing():
        opener = TransportFactory(
            environ=ground.environ,
            vault=ground.vault,
            guardian=guardian,
            masker=ground.masker,
            limits=settings.limits,
        )
        connections = Connections(
            ground.registry,
            opener,
            ground.pings,
            clock=clock,
            settings=settings,
            keeps_trying=keeps_trying,
        )
        gate = Gate(
            ground.registry,
            connections,
            ground.lockfile,
            limits=ExecutionLimits(settings.limits),
            history=history,
            masker=ground.masker,
            clock=clock,
            settings=settings,
        )
        async with connections.running():
            yield Studio(
                ground=ground,
                connections=connections,
                gate=gate,
                opener=opener,
                workflows=workflow_store(settings),
            )
