"""A process that stops lets its steps finish and leaves its runs to others; callers share a run."""

from collections.abc import Collection

import anyio
import anyio.lowlevel
import pytest
from tests.engine.building import Behaviour, EchoTools, Kinds, until_silent, workflow

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.events import StepUncertain
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.storage.database import Database
from toolweave.testing.clock import FakeClock
from toolweave.testing.unchecked import Unchecked

pytestmark = pytest.mark.anyio

CHAIN = workflow({"s": "start", "a": "once", "b": "once"}, ["s > a", "a > b"])


class Slow:
    """A step that begins, and ends when it may."""

    def __init__(self) -> None:
        self.begun = anyio.Event()
        self.may_end = anyio.Event()
        self.times = 0

    async def behave(self, context: NodeContext) -> Outcome:
        self.times += 1
        self.begun.set()
        await self.may_end.wait()
        return Outcome(context.given.incoming)


def an_engine(
    database: Database, clock: FakeClock, **behaviours: Behaviour
) -> tuple[Engine, Collection[str]]:
    kinds = Kinds(**behaviours)
    services = EngineServices(EchoTools(), clock)
    engine = Engine(database, Journal(database, clock), kinds, services=services,
                    checker=Unchecked())  # fmt: skip
    return engine, kinds.scripted.tried


async def interrupted(database: Database, clock: FakeClock, drain_s: float) -> tuple[str, Slow]:
    """A run whose process stopped during its first step."""
    slow = Slow()
    engine, _ = an_engine(database, clock, a=slow.behave)
    run = ""
    with anyio.fail_after(60):
        async with (
            anyio.create_task_group() as tasks,
            engine.running(drives_runs=True, drain_s=drain_s),
        ):
            run = await engine.runs.start(RunRequest(CHAIN, {"n": 1}))
            await slow.begun.wait()
            tasks.start_soon(end_when_stopping, engine, slow)
    return run, slow


async def end_when_stopping(engine: Engine, slow: Slow) -> None:
    while engine.backend.begins_here:
        await anyio.lowlevel.checkpoint()
    slow.may_end.set()


async def test_a_drained_process_finishes_its_steps_and_another_continues(
    database: Database, clock: FakeClock
) -> None:
    run, slow = await interrupted(database, clock, drain_s=50.0)
    (left,) = await database.rows("SELECT status, held_until FROM runs WHERE id = ?", run)
    assert tuple(left) == ("running", None)
    other, tried = an_engine(database, clock)
    async with other.running():
        assert await other.advance(run) == "success"
        entries = await other.journal.read(run)
    assert (slow.times, list(tried)) == (1, ["b"])
    assert not any(isinstance(entry.event, StepUncertain) for entry in entries)


async def test_without_draining_the_interrupted_step_is_uncertain(
    database: Database, clock: FakeClock
) -> None:
    run, _ = await interrupted(database, clock, drain_s=0.0)
    other, _ = an_engine(database, clock)
    async with other.running():
        await until_silent(other, clock)
        assert await other.advance(run) == "uncertain"


async def test_a_second_caller_joins_the_execution_and_gets_its_result(
    database: Database, clock: FakeClock
) -> None:
    slow = Slow()
    engine, _ = an_engine(database, clock, a=slow.behave)
    found: list[str] = []

    async def advance(run: str) -> None:
        found.append(await engine.advance(run))

    async with engine.running():
        run = await engine.runs.start(RunRequest(CHAIN, {"n": 1}, hold=True))
        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(advance, run)
                await slow.begun.wait()
                tasks.start_soon(advance, run)
                await anyio.wait_all_tasks_blocked()
                assert found == []
                slow.may_end.set()
    assert found == ["success", "success"]
    assert slow.times == 1
