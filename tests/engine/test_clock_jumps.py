"""Leases while wall clocks jump or differ by a day: nothing is stolen, nothing is stranded."""

import os
import signal
from datetime import timedelta
from pathlib import Path

import anyio
import pytest
from tests.engine.building import EchoTools, Kinds, until_silent, workflow
from tests.engine.laborer import GRAPH, Marks, engine_on, laborer
from tests.security.controls import Control

from toolweave.clock import timestamp
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.heartbeats import Heartbeats
from toolweave.engine.journal import Journal
from toolweave.engine.lease_owner import HOLD_S
from toolweave.engine.runs import RunRequest
from toolweave.errors import Conflict
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.clock import FakeClock
from toolweave.testing.unchecked import Unchecked

pytestmark = pytest.mark.anyio

DAY = timedelta(days=1)
LINE = workflow({"s": "start", "a": "keyed"}, ["s > a"])
AWAY = "another-machine:boot/1/1/x"


def process(database: Database, clock: FakeClock) -> Engine:
    """An engine with a clock of its own, as on another machine."""
    services = EngineServices(EchoTools(), clock)
    journal = Journal(database, clock)
    return Engine(database, journal, Kinds(), services=services, checker=Unchecked())


@pytest.mark.parametrize("jump", [DAY, -DAY], ids=["ahead", "behind"])
async def test_a_lease_is_lost_by_silence_and_not_by_a_clock(
    database: Database, jump: timedelta, control: Control
) -> None:
    holder_clock, clock = FakeClock(), FakeClock()
    holder, other = process(database, holder_clock), process(database, clock)
    async with holder.journal.writing(), other.journal.writing():
        run = await holder.runs.start(RunRequest(LINE, 1))
        lease, _ = await holder.journal.take(run)
        clock.jump(jump)
        # Renewed every third of its time, as a process does while a step runs.
        for _ in range(9):
            assert await other.unfinished() == []
            with pytest.raises(Conflict) as refused:
                await other.journal.take(run)
            assert refused.value.code == "RUN_HELD"
            for one in (holder_clock, clock):
                await one.advance(HOLD_S / 3)
            await holder.journal.keep(lease)
        await until_silent(other, clock)
        control("a silent one is taken", await other.unfinished() == [run])
        assert await other.advance(run) == "success"


@pytest.mark.parametrize("jump", [DAY, -DAY], ids=["forward", "back"])
async def test_a_holder_whose_clock_jumps_keeps_its_run(
    database: Database, jump: timedelta, control: Control
) -> None:
    holder_clock, clock = FakeClock(), FakeClock()
    holder, other = process(database, holder_clock), process(database, clock)
    async with holder.journal.writing(), other.journal.writing():
        run = await holder.runs.start(RunRequest(LINE, 1))
        lease, _ = await holder.journal.take(run)
        holder_clock.jump(jump)
        await holder.journal.keep(lease)
        assert await other.unfinished() == []
        await clock.advance(HOLD_S / 3)
        await holder.journal.keep(lease)
        assert await other.unfinished() == []
        await until_silent(other, clock)
        control("a silent one is taken", await other.unfinished() == [run])


async def test_an_observer_that_stood_still_itself_takes_nothing(
    database: Database, control: Control
) -> None:
    holder_clock, clock = FakeClock(), FakeClock()
    holder, other = process(database, holder_clock), process(database, clock)
    async with holder.journal.writing(), other.journal.writing():
        run = await holder.runs.start(RunRequest(LINE, 1))
        await holder.journal.take(run)
        assert await other.unfinished() == []
        await clock.advance(3600)  # both were stopped: a virtual machine that was paused
        assert await other.unfinished() == []
        await until_silent(other, clock)
        control("a silent one is taken", await other.unfinished() == [run])


async def test_processes_a_day_apart_do_every_step_once_and_leave_none(
    tmp_path: Path, control: Control
) -> None:
    """Real processes of seemingly different machines; one is killed in the middle."""
    address = f"sqlite:///{tmp_path / 'runs.db'}"
    marks, hold_s = Marks(tmp_path), 1.5
    async with open_database(address) as database:
        await migrate(database)
        engine = engine_on(database, marks, hold_s)
        async with engine.running():
            with (
                laborer(address, tmp_path, hold_s, "ahead", days=1) as ahead,
                laborer(address, tmp_path, hold_s, "behind", days=-1) as behind,
            ):
                runs: list[str] = []
                with anyio.fail_after(60):
                    while {pid for pid, _ in marks.under_way()} != {ahead.pid, behind.pid}:
                        runs.append(await engine.runs.start(RunRequest(GRAPH, len(runs))))
                        await anyio.sleep(0.05)
                os.kill(behind.pid, signal.SIGKILL)
                killed = {key for pid, key in marks.under_way() if pid == behind.pid}
                with anyio.fail_after(60):
                    asked = await _settle(engine, runs)
            statuses = [(await engine.get(run)).status for run in runs]
    control("the killed process was in the middle of a step", killed)
    assert set(statuses) == {"success"}
    repeated = {key for key, count in marks.count("begin").items() if count > 1}
    # Also one that had ended, if the kill came before its result was stored.
    begun_there = {key for pid, what, key in marks.read() if (pid, what) == (behind.pid, "begin")}
    assert repeated <= asked & begun_there


async def _settle(engine: Engine, runs: list[str]) -> set[str]:
    """Wait for all runs; a step that was interrupted by the kill is tried again, and returned."""
    asked = set[str]()
    while True:
        found = [await engine.get(run) for run in runs]
        if all(one.finished_at for one in found):
            return asked
        for one in found:
            if one.status == "uncertain":
                for key in (await engine.state(one.id)).uncertain:
                    asked.add(f"{one.id}/{key}")
                    await engine.resolve(one.id, key, "retry", resume=False)
        await anyio.sleep(0.1)


@pytest.mark.parametrize("jump", [DAY, -DAY], ids=["forward", "back"])
async def test_a_heartbeat_of_another_machine_ages_by_any_clock(
    database: Database, jump: timedelta, control: Control
) -> None:
    clock = FakeClock()
    beats = Heartbeats(database, clock, "here")
    beat = "INSERT INTO keepers (holder, seen_at) VALUES (?, ?)"
    await database.execute(beat, AWAY, timestamp(clock.now()))
    control("a fresh heartbeat counts", bool(await beats.others()))
    clock.jump(jump)
    assert not await beats.others()
