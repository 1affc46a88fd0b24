"""Postgres falls over and comes back while runs go on: nothing is lost, nothing happens twice.

A server of its own, stopped as a crash does (`-m immediate`). A journal that leaves out that a
step begins (`hasty`) must be seen to repeat steps by the same harness.
"""

import tempfile
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import suppress
from pathlib import Path

import anyio
import anyio.to_thread
import psutil
import pytest
from tests.engine.building import EchoTools, Kinds, workflow
from tests.storage.postgres import Postgres, get_server

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.clock import SystemClock
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.events import FINAL
from toolweave.engine.journal import Journal, Lease
from toolweave.engine.journal_rows import JournalChange, Written
from toolweave.engine.runs import RunRequest
from toolweave.errors import Conflict, Unavailable
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.unchecked import Unchecked

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("postgres")]

RUNS, EFFECT_S = 50, 0.15
STEPS = ("a", "b", "c", "d")
GRAPH = workflow(
    {"s": "start", "a": "once", "b": "keyed", "c": "once", "d": "once", "e": "end"},
    ["s > a", "a > b", "b > c", "s > d", "c > e", "d > e"],
)


@pytest.fixture
def own_postgres() -> Generator[Postgres]:
    """A server that may be stopped: nobody else uses it."""
    with tempfile.TemporaryDirectory(prefix="toolweave-pg-", ignore_cleanup_errors=True) as folder:
        data = Path(folder, "data")
        data.mkdir()
        server = get_server(data)
        running = Postgres(server)
        try:
            yield running
        finally:
            running.stop()
            with suppress(psutil.NoSuchProcess):  # it may be gone by itself
                server.cleanup()


class Hasty(Journal):
    """The control: leaves out that a step begins."""

    async def append(
        self, lease: Lease, events: Sequence[Written], change: JournalChange | None = None
    ) -> int:
        kept = [event for event in events if event.kind != "step_started"]
        return await super().append(lease, kept, change)


class World:
    """What really happened, whatever is journaled."""

    def __init__(self) -> None:
        self.begun: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()

    async def effect(self, context: NodeContext) -> Outcome:
        """Takes time: with an instant effect no harness would ever see a step twice."""
        self.begun[context.key] += 1
        await anyio.sleep(EFFECT_S)
        self.ended[context.key] += 1
        return Outcome(context.given.incoming)


async def start_all(engine: Engine, began: anyio.Event, number_of_runs: int) -> None:
    """Start every run once, however often the database is away."""
    for number in range(number_of_runs):
        while True:
            try:
                await engine.runs.start(RunRequest(GRAPH, number, once_key=f"run {number}"))
                break
            except (Unavailable, Conflict):
                await anyio.sleep(0.05)
        if number == number_of_runs // 5:
            began.set()


async def restart(server: Postgres, world: World, times: int) -> None:
    """Restart it while steps are under way, however fast the machine is."""
    for _ in range(times):
        with anyio.move_on_after(5):
            while world.begun.total() - world.ended.total() < 3:  # noqa: ASYNC110 (nodes count)
                await anyio.sleep(0.001)
        await anyio.to_thread.run_sync(server.stop)
        await anyio.to_thread.run_sync(server.start)


async def settle(engine: Engine, world: World, number_of_runs: int) -> None:
    """Let the engine go on by itself; a person decides about what is uncertain, once it rests."""
    while True:
        await anyio.sleep(0.05)
        try:
            found = await engine.newest(limit=number_of_runs + 1)
            for run in found:
                if run.status == "uncertain":
                    for key in list((await engine.state(run.id)).uncertain):
                        happened = world.ended[f"{run.id}/{key}"]
                        await engine.resolve(run.id, key, "skip" if happened else "retry")
        except (Unavailable, Conflict):
            continue
        if len(found) >= number_of_runs and all(run.status in FINAL for run in found):
            return


async def ordeal(
    server: Postgres, database: Database, journal: Journal, times: int, number_of_runs: int = RUNS
) -> World:
    """All runs, with the database falling over so many times; what happened."""
    await migrate(database)
    world, began = World(), anyio.Event()
    kinds = Kinds(**dict.fromkeys(STEPS, world.effect))
    engine = Engine(
        database,
        journal,
        kinds,
        services=EngineServices(EchoTools(), SystemClock()),
        checker=Unchecked(),
    )
    with anyio.fail_after(60 * number_of_runs / RUNS):
        async with engine.running(drives_runs=True), anyio.create_task_group() as tasks:
            tasks.start_soon(start_all, engine, began, number_of_runs)
            await began.wait()
            await restart(server, world, times)
            await settle(engine, world, number_of_runs)
        runs = await engine.newest(limit=number_of_runs + 1)
    assert [run.status for run in runs] == ["success"] * number_of_runs
    assert {key.partition("/")[0] for key in world.ended} == {run.id for run in runs}
    return world


def once_keys(world: World) -> list[str]:
    return [key for key in world.ended if not key.endswith("/b")]


async def test_restarts_of_postgres_lose_nothing_and_repeat_nothing(own_postgres: Postgres) -> None:
    async with open_database(own_postgres.new_database()) as database:
        journal = Journal(database, SystemClock())
        world = await ordeal(own_postgres, database, journal, 2)
        assert len(world.ended) == RUNS * len(STEPS)
        assert [key for key in once_keys(world) if world.ended[key] != 1] == []
        # Whatever began twice was uncertain, and somebody who looked said: again.
        again = sum(world.begun[key] - 1 for key in once_keys(world))
        rows = await database.rows("SELECT count(*) FROM journal WHERE kind = 'step_uncertain'")
    assert rows[0][0] > 0
    assert again <= rows[0][0]


async def test_a_journal_that_leaves_out_the_start_repeats_steps(own_postgres: Postgres) -> None:
    """The positive control: this harness sees a step that happens twice."""
    async with open_database(own_postgres.new_database()) as database:
        world = await ordeal(own_postgres, database, Hasty(database, SystemClock()), 1)
    assert [key for key in once_keys(world) if world.begun[key] != 1]
