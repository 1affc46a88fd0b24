"""What the engine's benches run: an engine, kinds of nodes, and workflows of several shapes."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

from tests.engine.building import EchoTools, Kinds, catalog, workflow

from toolweave.catalog.node_kind import NodeKind
from toolweave.clock import SystemClock
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.journal import Journal
from toolweave.json_text import Json
from toolweave.nodes.action import set_fields
from toolweave.nodes.flow import for_each
from toolweave.storage.database import open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.unchecked import Unchecked
from toolweave.workflow.model import Node, Workflow

INPUT: Json = {"city": "London", "n": 7, "text": "x" * 60}


class BenchKinds:
    """The kinds of the engine's tests, and the real nodes that are measured."""

    def __init__(self) -> None:
        self._tested = Kinds()
        self._real = {
            node.spec.ref: NodeKind(node, node.spec.effect, node.spec)
            for node in (set_fields.node, for_each.node)
        }

    def of(self, node: Node) -> NodeKind | None:
        """The code of a node."""
        return self._real.get(node.ref or "") or self._tested.of(node)


@asynccontextmanager
async def opened(address: str | Path, *, drives_runs: bool = False) -> AsyncGenerator[Engine]:
    """An engine on a database."""
    async with open_database(address) as database:
        await migrate(database)
        clock = SystemClock()
        services = EngineServices(EchoTools(), clock)
        engine = Engine(
            database, Journal(database, clock), BenchKinds(), services=services, checker=Unchecked()
        )
        async with engine.running(drives_runs=drives_runs):
            yield engine


def chain(length: int, make: Callable[[int], object]) -> Workflow:
    """A start and so many nodes in a row."""
    names = ["s", *(f"n{index}" for index in range(length))]
    nodes = {"s": "start", **{name: make(index) for index, name in enumerate(names[1:])}}
    return workflow(nodes, [f"{one} > {other}" for one, other in pairwise(names)])


def wide(width: int) -> Workflow:
    """A start, and everything else behind it at once."""
    names = [f"n{index}" for index in range(width)]
    return workflow(
        {"s": "start", **dict.fromkeys(names, "once")}, [f"s > {name}" for name in names]
    )


def loop(body: str) -> Workflow:
    """A loop over what comes in, with one node in it."""
    return workflow({"s": "start", "l": "each", "b": body}, ["s > l", "l.loop > b"])


def setting(_index: int) -> tuple[str, dict[str, Json]]:
    """A node that sets one field by an expression."""
    return ("ACTION", catalog("SET_FIELDS", set={"n": "{{ data.n + 1 }}"})[1])
