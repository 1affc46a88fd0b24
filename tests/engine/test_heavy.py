"""Heavy code that no other process can find computes in a thread: the event loop stays free."""

import threading
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from tests.engine.building import EchoTools, workflow

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.node_kind import NodeKind
from toolweave.clock import SystemClock
from toolweave.engine.context import EngineServices
from toolweave.engine.decide import result_of
from toolweave.engine.engine import Engine
from toolweave.engine.heavy_work import LARGE, size_of
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.nodes.action import parse
from toolweave.nodes.registry import NodeRegistry
from toolweave.storage.database import open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.unchecked import Unchecked
from toolweave.workflow.model import Node

pytestmark = pytest.mark.anyio

PARSE = ("ACTION", {"subtype": "PARSE", "configurations": {"format": "csv"},
                    "inputParams": {"text": "{{ data.text }}"}})  # fmt: skip


class Watched:
    """The real PARSE, which notes where it computes and lets a test act meanwhile."""

    may_be_heavy = True

    def __init__(self, *, meets: bool = False, error: Exception | None = None) -> None:
        self.threads: list[bool] = []
        self.has_begun = threading.Event()
        self.loop_is_free = threading.Event()
        self._meets = meets
        self._error = error

    def compute(self, given: NodeInput) -> Outcome:
        self.threads.append(threading.current_thread() is threading.main_thread())
        self.has_begun.set()
        if self._meets:
            # Only the event loop sets it: a step computed there would wait in vain.
            assert self.loop_is_free.wait(30)
        if self._error:
            raise self._error
        return parse.node.compute(given)


class WithParse(NodeRegistry):
    def __init__(self, watched: Watched) -> None:
        super().__init__()
        self._watched = watched

    def of(self, node: Node) -> NodeKind | None:
        if node.ref == parse.node.spec.ref:
            return NodeKind(self._watched, "pure", parse.node.spec)
        return super().of(node)


async def ran(folder: Path, watched: Watched, text: str) -> tuple[str, Json, str | None]:
    clock = SystemClock()
    async with open_database(folder / "runs.db") as database:
        await migrate(database)
        services = EngineServices(EchoTools(), clock)
        engine = Engine(
            database,
            Journal(database, clock),
            WithParse(watched),
            services=services,
            checker=Unchecked(),
        )
        graph = workflow({"s": "start", "p": PARSE, "e": "end"}, ["s > p", "p > e"])
        async with engine.running():
            run = await engine.runs.start(RunRequest(graph, {"text": text}))
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_frees, watched)
                with anyio.fail_after(60):
                    await engine.advance(run)
            found = await engine.get(run)
            return found.status, result_of(await engine.state(run)), found.error


async def _frees(watched: Watched) -> None:
    """The event loop turns while a thread computes: it has its turn after the thread began."""
    await anyio.to_thread.run_sync(watched.has_begun.wait, 30)
    watched.loop_is_free.set()


def table(rows: int) -> str:
    return "\n".join(["name,number", *(f"row number {index},{index}" for index in range(rows))])


async def test_a_large_text_is_parsed_apart_while_the_event_loop_is_free(tmp_path: Path) -> None:
    watched = Watched(meets=True)
    text = table(10_000)
    assert len(text) > LARGE
    status, value, _ = await ran(tmp_path, watched, text)
    assert (status, watched.threads) == ("success", [False])
    assert isinstance(value, list)
    assert value[-1] == {"name": "row number 9999", "number": 9999}


async def test_a_small_text_is_parsed_at_once(tmp_path: Path) -> None:
    watched = Watched()
    watched.loop_is_free.set()
    status, _, _ = await ran(tmp_path, watched, table(3))
    assert (status, watched.threads) == ("success", [True])


@pytest.mark.parametrize(
    ("error", "told"),
    [(Invalid("TEXT_INVALID", "no table"), "no table"), (ValueError("odd"), "failed unexpectedly")],
)
async def test_what_fails_apart_fails_its_step(tmp_path: Path, error: Exception, told: str) -> None:
    status, _, message = await ran(tmp_path, Watched(error=error), table(10_000))
    assert status == "failed"
    assert message is not None
    assert told in message


@pytest.mark.parametrize(
    ("value", "large"),
    [
        ("x" * LARGE, False),
        ("x" * (LARGE + 1), True),
        ([], False),
        ([1] * 100, False),
        ([{"a": 1, "b": 2}] * 5_000, True),
        ({"rows": ["x" * 50_000] * 2}, True),
        (None, False),
    ],
)
def test_how_much_there_is_to_do_is_seen_at_a_glance(value: Json, large: bool) -> None:
    assert (size_of(value) > LARGE) is large
