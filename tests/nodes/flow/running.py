"""Nodes in real runs: an engine on SQLite, with a clock that a test moves."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tests.engine.building import Behaviour, EchoTools, Scripted, workflow

from toolweave.catalog.node import NodeInput, Outcome, Pure
from toolweave.catalog.node_kind import NodeKind
from toolweave.catalog.resources.record import Resources
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.journal import Journal
from toolweave.json_text import Json, JsonObject
from toolweave.nodes import discover
from toolweave.nodes.registry import NodeRegistry
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.clock import FakeClock
from toolweave.testing.unchecked import Unchecked
from toolweave.workflow.model import Node, Workflow

NODES = {node.spec.ref: node for node in discover()}
REAL = NodeRegistry()


class Kinds:
    """The real kinds, and `once` and `keyed`, which behave as a test says."""

    def __init__(self, behaviours: dict[str, Behaviour]) -> None:
        self._scripted = Scripted(behaviours)

    def of(self, node: Node) -> NodeKind | None:
        match node.type:
            case "once" | "keyed":
                return NodeKind(self._scripted, node.type)
            case _:
                return REAL.of(node)


@asynccontextmanager
async def opened_database(folder: Path) -> AsyncGenerator[Database]:
    async with open_database(f"sqlite:///{folder / 'runs.db'}") as database:
        await migrate(database)
        yield database


@asynccontextmanager
async def an_engine(
    database: Database,
    clock: FakeClock,
    resources: Resources | None = None,
    **behaviours: Behaviour,
) -> AsyncGenerator[Engine]:
    services = EngineServices(EchoTools(), clock, resources or Resources())
    journal = Journal(database, clock)
    engine = Engine(database, journal, Kinds(behaviours), services=services, checker=Unchecked())
    async with engine.running():
        yield engine


def flow(
    subtype: str, inputs: JsonObject | None = None, /, **config: Json
) -> tuple[str, JsonObject]:
    """A node of the type FLOW with inputs of its own."""
    return ("FLOW", {"subtype": subtype, "configurations": config, "inputParams": inputs or {}})


def alone(ref: str, config: JsonObject, inputs: JsonObject) -> Workflow:
    """A workflow of a start and one node, `n`."""
    kind, _, subtype = ref.partition(".")
    data: Any = {"subtype": subtype, "configurations": config, "inputParams": inputs}
    return workflow({"s": "start", "n": (kind, data)}, ["s > n"])


async def finish(engine: Engine, clock: FakeClock, run: str, *, rounds: int = 100) -> str:
    """Bring a run to its end, letting as much time pass as it waits for."""
    status = await engine.advance(run)
    for _ in range(rounds):
        wake_at = (await engine.get(run)).wake_at
        if status != "waiting" or wake_at is None:
            break
        ahead = datetime.fromisoformat(wake_at) - clock.now()
        await clock.advance((ahead + timedelta(milliseconds=1)).total_seconds())
        status = await engine.advance(run)
    return status


async def outcome_of(engine: Engine, run: str, key: str = "n") -> Outcome:
    return dict((await engine.state(run)).outcomes())[key]


def computed(ref: str, config: JsonObject, inputs: JsonObject, **names: Json) -> Outcome:
    """What a pure node computes, with its defaults."""
    node = NODES[ref]
    assert isinstance(node, Pure)
    defaults = {
        one.name: one.default for one in node.spec.all_configurations if one.default is not None
    }
    seen = {"data": inputs.get("data"), "context": inputs.get("context", {}), **names}
    return node.compute(NodeInput({**defaults, **config}, inputs, inputs.get("data"), seen))


def fields(outcome: Outcome) -> JsonObject:
    assert isinstance(outcome.value, dict)
    return outcome.value
