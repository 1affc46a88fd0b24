"""Finished runs are pruned by age and number; what runs or waits stays."""

import pytest
from tests.engine.building import waits, workflow
from tests.engine.conftest import Opened

from toolweave.engine.metrics import Meter, metrics
from toolweave.engine.retention import Retention, prune
from toolweave.engine.runs import RunRequest
from toolweave.storage.database import Database
from toolweave.testing.clock import FakeClock

pytestmark = pytest.mark.anyio

LINE = workflow({"s": "start", "a": "once", "e": "end"}, ["s > a", "a > e"])
DAY_S = 86_400.0


async def test_old_runs_go_and_what_waits_stays(
    engine: Opened, database: Database, clock: FakeClock
) -> None:
    done, waiting = await engine(), await engine(a=waits(1000 * DAY_S))
    old = await done.runs.start(RunRequest(LINE, {"text": "x" * 200_000}))
    await done.advance(old)
    asleep = await waiting.runs.start(RunRequest(LINE, 1))
    await waiting.advance(asleep)
    await clock.advance(40 * DAY_S)
    new = await done.runs.start(RunRequest(LINE, 2))
    await done.advance(new)
    assert await prune(database, Retention(days=30), clock.now()) == 1
    assert {run.id for run in await done.newest()} == {asleep, new}
    assert await database.rows("SELECT run FROM journal WHERE run = ?", old) == []
    assert await database.rows("SELECT hash FROM blobs") == []
    assert len(await database.rows("SELECT hash FROM documents")) == 1


async def test_only_so_many_are_kept_and_none_is_for_ever(
    engine: Opened, database: Database, clock: FakeClock
) -> None:
    runs = await engine()
    started: list[str] = []
    for _ in range(5):
        started.append(await runs.runs.start(RunRequest(LINE, 1)))
        await runs.advance(started[-1])
        await clock.advance(1)
    assert await prune(database, Retention(days=None, runs=None), clock.now()) == 0
    assert await prune(database, Retention(days=None, runs=2), clock.now()) == 3
    assert {run.id for run in await runs.newest()} == set(started[-2:])


async def test_metrics_count_runs_and_tell_how_long_steps_took(
    engine: Opened, database: Database, clock: FakeClock
) -> None:
    done, waiting = await engine(), await engine(a=waits(10))
    await done.advance(await done.runs.start(RunRequest(LINE, 1)))
    await waiting.advance(await waiting.runs.start(RunRequest(LINE, 1)))
    await done.runs.start(RunRequest(LINE, 1))
    await clock.advance(5)
    meter = Meter()
    meter.observe("mcp", 0.02)
    meter.observe("mcp", 400.0)
    lines = (await metrics(database, meter, clock.now())).splitlines()
    assert 'toolweave_runs{status="success"} 1' in lines
    assert 'toolweave_runs{status="waiting"} 1' in lines
    assert "toolweave_oldest_waiting_seconds 5.000" in lines
    assert "toolweave_queue_depth 1" in lines
    assert 'toolweave_step_seconds_bucket{kind="mcp",le="0.025"} 1' in lines
    assert 'toolweave_step_seconds_bucket{kind="mcp",le="+Inf"} 2' in lines
    assert 'toolweave_step_seconds_count{kind="mcp"} 2' in lines
