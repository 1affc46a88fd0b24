"""A service that died comes back: to waits, clocks, files and databases not as they were.

Every engine here is another process: it has a holder of its own.
"""

import shutil
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest
from tests.engine.building import (
    Behaviour,
    EchoTools,
    Kinds,
    fails,
    gives,
    until_silent,
    waits,
    workflow,
)
from tests.engine.conftest import Opened
from tests.engine.test_faults import stuck
from tests.storage.disks import read_only

from toolweave.engine.context import EngineServices
from toolweave.engine.decide import result_of
from toolweave.engine.engine import Engine
from toolweave.engine.events import StepFailed, StepStarted
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.errors import ToolweaveError, Unavailable
from toolweave.storage.backup import copy_database
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.clock import FakeClock
from toolweave.testing.unchecked import Unchecked

pytestmark = pytest.mark.anyio

ONE = workflow({"s": "start", "a": "once"}, ["s > a"])
ASKED = waits(question={"text": "May it?"})


def engine_on(database: Database, clock: FakeClock, **behaviours: Behaviour) -> Engine:
    """Another process, which may have another clock."""
    kinds = Kinds(**behaviours)
    return Engine(
        database,
        Journal(database, clock),
        kinds,
        services=EngineServices(EchoTools(), clock),
        checker=Unchecked(),
    )


async def test_a_back_off_wait_goes_on_with_its_moment_and_its_tries(
    engine: Opened, clock: FakeClock
) -> None:
    graph = workflow({"a": ("keyed", {"configurations": {"retry_attempts": 3}})}, [])
    flaky = fails(9)
    one = await engine(a=flaky)
    run = await one.runs.start(RunRequest(graph, 1))
    assert await one.advance(run) == "waiting"
    moments: list[str | None] = []
    for attempt in (1, 2, 3):
        other = await engine(a=flaky)  # the one before is dead
        failed = (await other.state(run)).retrying["a"]
        assert failed.attempt == attempt
        moments.append(failed.retry_at)
        # Its jitter was thrown once: every reader finds the same moment.
        assert (await other.get(run)).wake_at == failed.retry_at
        assert await other.unfinished() == []
        assert await other.advance(run) == "waiting"
        assert (await other.state(run)).retrying["a"].retry_at == failed.retry_at
        await clock.advance(3600)
        assert await other.unfinished() == [run]
        status = await other.advance(run)
    assert status == "failed"
    assert len(set(moments)) == 3
    events = [entry.event for entry in await one.journal.read(run)]
    assert [event.attempt for event in events if isinstance(event, StepStarted)] == [1, 2, 3, 4]
    assert [event.attempt for event in events if isinstance(event, StepFailed)] == [1, 2, 3, 4]


async def test_an_answer_given_by_a_clock_that_is_ahead_counts_at_once(
    engine: Opened, database: Database, clock: FakeClock
) -> None:
    """Of two machines, or of one before and after its clock was set back."""
    behind = await engine(a=ASKED)
    run = await behind.runs.start(RunRequest(ONE, 1))
    assert await behind.advance(run) == "waiting"
    ahead = engine_on(database, FakeClock(datetime(2027, 1, 1, tzinfo=UTC)), a=ASKED)
    async with ahead.running():
        await ahead.answer(run, "a", "yes", resume=False)
    assert await behind.unfinished() == [run]
    found = await behind.get(run)
    assert found.wake_at == found.changed_at
    assert await behind.advance(run) == "success"


async def test_a_clock_that_was_set_back_makes_a_pause_longer_and_loses_nothing(
    engine: Opened, database: Database, clock: FakeClock
) -> None:
    one = await engine(a=waits(60))
    run = await one.runs.start(RunRequest(ONE, 1))
    assert await one.advance(run) == "waiting"
    back = FakeClock(datetime(2025, 12, 31, 23, tzinfo=UTC))
    other = engine_on(database, back, a=waits(60))
    async with other.running():
        assert await other.unfinished() == []
        assert await other.advance(run) == "waiting"
        await back.advance(3600 + 61)
        assert await other.unfinished() == [run]
        assert await other.advance(run) == "success"


async def test_a_row_that_cannot_be_read_stops_its_run_and_no_other(
    engine: Opened, database: Database
) -> None:
    runs = await engine()
    broken, whole = (
        await runs.runs.start(RunRequest(ONE, 1)),
        await runs.runs.start(RunRequest(ONE, 1)),
    )
    for body in ('{"inputs":', "[]", "null"):
        await database.execute("UPDATE journal SET body = ? WHERE run = ?", body, broken)
        with pytest.raises(ToolweaveError) as refused:
            await runs.advance(broken)
        assert refused.value.code == "JOURNAL_UNREADABLE"
    assert await runs.advance(whole) == "success"


async def test_a_service_lives_beside_a_run_that_cannot_be_read(
    database: Database, clock: FakeClock
) -> None:
    behind = engine_on(database, clock)
    async with behind.running():
        broken, whole = (
            await behind.runs.start(RunRequest(ONE, 1)),
            await behind.runs.start(RunRequest(ONE, 1)),
        )
    await database.execute("UPDATE journal SET body = '{' WHERE run = ?", broken)
    service = engine_on(database, clock)
    with anyio.fail_after(60):
        async with service.running(drives_runs=True):
            async for _ in service.follow(whole):
                pass
    assert (await behind.get(whole)).status == "success"
    assert (await behind.get(broken)).status == "running"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "runs.db"


async def test_a_commit_that_was_half_written_is_none_and_the_run_goes_on(
    file: Path, tmp_path: Path, clock: FakeClock
) -> None:
    """The disk as a power cut leaves it: the last frames of the log are not whole."""
    graph = workflow({"s": "start", "a": "keyed", "b": "keyed"}, ["s > a", "a > b"])
    async with open_database(file) as database:
        await migrate(database)
        engine = engine_on(database, clock, b=ASKED)
        async with engine.running():
            run = await engine.runs.start(RunRequest(graph, 1))
            assert await engine.advance(run) == "waiting"
            before = await engine.journal.read(run)
            await engine.answer(run, "b", "yes", resume=False)
            after_cut = tmp_path / "after"
            shutil.copytree(file.parent, after_cut)
    log = after_cut / f"{file.name}-wal"
    log.write_bytes(log.read_bytes()[:-100])
    async with open_database(after_cut / file.name) as database:
        await migrate(database)
        engine = engine_on(database, clock, b=ASKED)
        async with engine.running():
            assert await engine.journal.read(run) == before
            assert (await engine.get(run)).status == "waiting"
            await engine.answer(run, "b", "again", resume=False)
            assert await engine.advance(run) == "success"


async def test_a_database_that_cannot_be_written_is_told_and_goes_on_when_it_can(
    file: Path, clock: FakeClock
) -> None:
    async with open_database(file) as database:
        await migrate(database)
        engine = engine_on(database, clock, a=ASKED)
        async with engine.running():
            run = await engine.runs.start(RunRequest(ONE, 1))
            assert await engine.advance(run) == "waiting"
    with read_only(file.parent):
        async with open_database(file) as database:
            engine = engine_on(database, clock, a=ASKED)
            async with engine.running(drives_runs=True):
                assert list((await engine.state(run)).waiting) == ["a"]
                attempts: list[Callable[[], Awaitable[object]]] = [
                    lambda: engine.runs.start(RunRequest(ONE, 1)),
                    lambda: engine.answer(run, "a", "yes"),
                    lambda: engine.cancel(run),
                    lambda: engine.advance(run),
                ]
                for attempt in attempts:
                    with pytest.raises(Unavailable) as refused:
                        await attempt()
                    assert refused.value.code == "STORAGE_READ_ONLY"
    async with open_database(file) as database:
        engine = engine_on(database, clock, a=ASKED)
        async with engine.running():
            await engine.answer(run, "a", "yes", resume=False)
            assert await engine.advance(run) == "success"


async def test_a_copy_made_while_runs_go_on_is_whole_and_goes_on_by_itself(
    file: Path, tmp_path: Path, clock: FakeClock
) -> None:
    begun = anyio.Event()
    async with open_database(file) as database:
        await migrate(database)
        engine = engine_on(database, clock, a=stuck(begun), b=ASKED)
        asks = workflow({"s": "start", "b": "once"}, ["s > b"])
        async with engine.running():
            waiting = await engine.runs.start(RunRequest(asks, 1))
            assert await engine.advance(waiting) == "waiting"
            running = await engine.runs.start(RunRequest(ONE, 1))
            with anyio.fail_after(60):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(engine.advance, running)
                    await begun.wait()
                    copy_database(file, tmp_path / "copy.db")
                    tasks.cancel_scope.cancel()
    async with open_database(tmp_path / "copy.db") as database:
        await migrate(database)
        engine = engine_on(database, clock, a=gives(1), b=ASKED)
        async with engine.running():
            await until_silent(engine, clock)
            assert await engine.unfinished() == [running]
            assert await engine.advance(running) == "uncertain"
            await engine.resolve(running, "a", "retry", resume=False)
            assert await engine.advance(running) == "success"
            await engine.answer(waiting, "b", "yes", resume=False)
            assert await engine.advance(waiting) == "success"
            found = result_of(await engine.state(waiting))
    assert found == {"by": "answer", "reply": "yes", "memory": "kept"}
