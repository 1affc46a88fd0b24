"""Runs that wait cost nothing: 100,000 of them hold no task and no thread, and slow no look."""

import threading
import time
from datetime import datetime, timedelta
from pathlib import Path

import anyio
import pytest
from tests.engine.building import EchoTools, Kinds, waits, workflow
from tests.engine.conftest import Opened

from toolweave.clock import SystemClock, timestamp
from toolweave.engine.compatibility import VERSION
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.engine.wakeups import BATCH, DUE, NEXT
from toolweave.errors import Unavailable
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.clock import FakeClock
from toolweave.testing.unchecked import Unchecked

pytestmark = pytest.mark.anyio

MANY = 100_000
ONE = workflow({"s": "start", "a": "keyed"}, ["s > a"])
# Columns of a run that waits, but for its name and its moment.
_COPY = (
    "INSERT INTO runs (id, workflow, document, status, seq, started_at, changed_at, wake_at) "
    "SELECT ?, workflow, document, 'waiting', seq, started_at, changed_at, ? "
    "FROM runs WHERE id = ?"
)


async def make_waiting(database: Database, like: str, now: datetime, number: int) -> None:
    """So many runs as `like` waits, most for months, every tenth without a moment."""
    moments = [timestamp(now + timedelta(days=30, seconds=index)) for index in range(number)]
    await database.executemany(
        _COPY,
        [(f"w{index}", moments[index] if index % 10 else None, like) for index in range(number)],
    )


async def plan_of(database: Database, sql: str, *values: str | int) -> list[str]:
    """How the database will find the rows."""
    how = "EXPLAIN QUERY PLAN" if database.dialect.name == "sqlite" else "EXPLAIN"
    return [str(row[-1]) for row in await database.rows(f"{how} {sql}", *values)]


async def test_a_look_at_many_runs_reads_only_those_that_are_due(
    engine: Opened, database: Database, clock: FakeClock
) -> None:
    number = MANY if database.dialect.name == "sqlite" else MANY // 10
    runs = await engine(a=waits(60))
    due = await runs.runs.start(RunRequest(ONE, 1))
    assert await runs.advance(due) == "waiting"
    await make_waiting(database, due, clock.now(), number)
    if database.dialect.name == "postgresql":
        await database.execute("ANALYZE runs")  # as a server does by itself in its time
    await clock.advance(61)
    at = timestamp(clock.now())
    here = (VERSION, "default")
    values = (*here, *here, BATCH, at, VERSION, BATCH)
    plan = await plan_of(database, DUE.format(queues="?"), *values)
    plan += await plan_of(database, NEXT, at)
    scans = [line for line in plan if "SCAN runs" in line or "Seq Scan on runs" in line]
    assert [line for line in scans if "USING INDEX" not in line] == []
    assert sum("runs_by_wake" in line for line in plan) == 2
    assert await runs.unfinished() == [due]
    assert await runs.advance(due) == "success"


async def test_a_hundred_thousand_waiting_runs_cost_no_cpu_no_task_and_no_thread(
    tmp_path: Path,
) -> None:
    clock = SystemClock()
    async with open_database(tmp_path / "runs.db") as database:
        await migrate(database)
        services = EngineServices(EchoTools(), clock)
        kinds = Kinds(a=waits(1.5))
        engine = Engine(
            database, Journal(database, clock), kinds, services=services, checker=Unchecked()
        )
        with anyio.fail_after(60):
            async with engine.running():
                run = await engine.runs.start(RunRequest(ONE, 1))
                assert await engine.advance(run) == "waiting"
            await make_waiting(database, run, clock.now(), MANY)
            threads = threading.active_count()
            async with engine.running(drives_runs=True):
                await anyio.sleep(0.2)  # it looks at once, and then sleeps
                before_s = time.process_time()
                await anyio.sleep(0.8)
                took_s = time.process_time() - before_s
                tasks = len(anyio.get_running_tasks())
                kinds_seen = [one.event.kind async for one in engine.follow(run)]
    assert kinds_seen[-1] == "finished"  # of all of them the one that was due went on
    assert kinds.scripted.tried == ["a", "a"]
    assert tasks < 10
    assert threading.active_count() <= threads
    # Of 0.8 s, and far more than it takes: reading 100,000 rows once would be as much.
    assert took_s < 0.1


async def test_more_due_runs_than_one_look_finds_are_all_brought_forward(tmp_path: Path) -> None:
    clock = SystemClock()
    async with open_database(tmp_path / "runs.db") as database:
        await migrate(database)
        kinds = Kinds()
        services = EngineServices(EchoTools(), clock)
        engine = Engine(
            database, Journal(database, clock), kinds, services=services, checker=Unchecked()
        )
        number = BATCH + 50
        with anyio.fail_after(60):
            async with engine.running():
                started = [await engine.runs.start(RunRequest(ONE, 1)) for _ in range(number)]
            async with engine.running(drives_runs=True):
                for run in started:
                    assert [one async for one in engine.follow(run)]
        rows = await database.rows("SELECT status, count(*) FROM runs GROUP BY status")
    assert rows == [("success", number)]
    assert len(kinds.scripted.tried) == number


class Broken(Journal):
    """A journal of which one run cannot be taken."""

    taken = 0

    async def take(self, run: str) -> object:  # type: ignore[override]
        self.taken += 1
        raise Unavailable("JOURNAL_UNREADABLE", f"run {run!r} cannot be read")


async def test_a_run_that_cannot_go_on_is_not_tried_again_and_again(tmp_path: Path) -> None:
    clock = SystemClock()
    async with open_database(tmp_path / "runs.db") as database:
        await migrate(database)
        journal = Broken(database, clock)
        engine = Engine(
            database,
            journal,
            Kinds(),
            services=EngineServices(EchoTools(), clock),
            checker=Unchecked(),
        )
        async with engine.running(drives_runs=True):
            await engine.runs.start(RunRequest(ONE, 1))
            await anyio.sleep(1.2)
    # At once, and after 0.25, 0.5 and 1 s; without a rest it would be thousands.
    assert 2 <= journal.taken <= 4
