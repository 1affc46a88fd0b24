"""Runs held from their first moment: begun without a commit of their own, fenced all the same."""

import anyio
import anyio.lowlevel
import pytest
from tests.engine.building import Behaviour, gives, until_silent, waits, workflow
from tests.engine.conftest import Opened

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.engine import journal as journal_module
from toolweave.engine.decide import result_of
from toolweave.engine.engine import Engine
from toolweave.engine.events import CancelAsked, Finished
from toolweave.engine.runs import RunRequest
from toolweave.errors import Conflict
from toolweave.json_text import JsonObject
from toolweave.storage.database import Database
from toolweave.testing.clock import FakeClock

pytestmark = pytest.mark.anyio

ONE = workflow({"s": "start", "a": "once"}, ["s > a"])
PURE = workflow({"s": "start", "e": "end"}, ["s > e"])


def noting(tried: list[str], name: str) -> Behaviour:
    """Notes that it was tried."""

    async def behave(_context: NodeContext) -> Outcome:
        tried.append(name)
        return Outcome(name)

    return behave


async def epoch_of(database: Database, run: str) -> int:
    row = await database.row("SELECT epoch FROM runs WHERE id = ?", run)
    assert row is not None
    return int(row[0])


async def test_a_run_that_is_held_from_the_start_is_never_taken(
    engine: Opened, database: Database
) -> None:
    runs = await engine(a=gives("done"))
    held, free = (
        await runs.runs.start(RunRequest(ONE, 1, hold=True)),
        await runs.runs.start(RunRequest(ONE, 1)),
    )
    assert await runs.advance(held) == await runs.advance(free) == "success"
    assert (await epoch_of(database, held), await epoch_of(database, free)) == (0, 1)
    kinds = [[entry.event for entry in await runs.journal.read(run)] for run in (held, free)]
    assert kinds[0] == kinds[1]


async def test_whoever_takes_it_meanwhile_wins_and_no_effect_happens_twice(
    engine: Opened, database: Database
) -> None:
    tried: list[str] = []
    runs, other = await engine(a=noting(tried, "first")), await engine(a=noting(tried, "other"))
    run = await runs.runs.start(RunRequest(ONE, 1, hold=True))
    # A machine whose clock is ahead holds the run for silent.
    await database.execute("UPDATE runs SET held_until = NULL WHERE id = ?", run)
    lease, _ = await other.journal.take(run)
    assert lease.epoch == 1
    with pytest.raises(Conflict) as refused:
        await runs.advance(run)
    assert refused.value.code == "RUN_TAKEN"
    assert await other.advance(run) == "success"
    assert tried == ["other"]


async def test_after_its_time_it_is_looked_up(engine: Opened, clock: FakeClock) -> None:
    runs, other = await engine(), await engine(a=gives("by the other"))
    run = await runs.runs.start(RunRequest(ONE, 1, hold=True))
    await until_silent(other, clock)
    await other.journal.take(run)
    with pytest.raises(Conflict) as refused:
        await runs.advance(run)
    assert refused.value.code == "RUN_HELD"
    assert await other.advance(run) == "success"


async def test_a_wish_before_its_first_step_is_heard(engine: Opened) -> None:
    tried: list[str] = []
    runs, other = await engine(a=noting(tried, "a")), await engine()
    run = await runs.runs.start(RunRequest(ONE, 1, hold=True))
    await other.journal.add(run, CancelAsked("Ada"))
    assert await runs.advance(run) == "cancelled"
    assert tried == []


async def test_what_becomes_of_the_inputs_later_changes_nothing(engine: Opened) -> None:
    runs = await engine()
    inputs: JsonObject = {"city": "London"}
    run = await runs.runs.start(RunRequest(PURE, inputs, hold=True))
    inputs["city"] = "Paris"
    assert await runs.advance(run) == "success"
    assert result_of(await runs.state(run)) == {"city": "London"}


async def test_of_very_many_the_oldest_are_looked_up(
    engine: Opened, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "MAX_NEW_LEASES", 2)
    runs = await engine()
    started = [await runs.runs.start(RunRequest(PURE, n, hold=True)) for n in range(3)]
    assert [await runs.advance(run) for run in started] == ["success"] * 3
    assert [await epoch_of(database, run) for run in started] == [1, 0, 0]


async def test_whoever_waits_for_the_end_hears_of_it_here_and_elsewhere(engine: Opened) -> None:
    runs, other = await engine(a=gives("done")), await engine()
    run = await runs.runs.start(RunRequest(ONE, 1, hold=True))
    ended: list[Finished | None] = []
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for process in (runs, runs, other):
                tasks.start_soon(into, ended, process, run)
            await anyio.lowlevel.checkpoint()
            await runs.advance(run)
        await into(ended, runs, run)  # and after it
    assert ended == [Finished("success", "done")] * 4


async def test_whoever_waits_for_a_run_that_rests_hears_of_its_end_later(engine: Opened) -> None:
    runs = await engine(a=waits(question={"text": "May it?"}))
    run = await runs.runs.start(RunRequest(ONE, 1, hold=True))
    ended: list[Finished | None] = []
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(into, ended, runs, run)
            await anyio.lowlevel.checkpoint()
            assert await runs.advance(run) == "waiting"
            await runs.answer(run, "a", "yes")
    assert [one.status for one in ended if one] == ["success"]


async def into(ended: list[Finished | None], engine: Engine, run: str) -> None:
    ended.append(await engine.end_of(run))
