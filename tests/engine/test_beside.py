"""Several processes on one database: they notify each other at once, and leave work to a service.

Looking by itself now and then is switched off here, so only notices can wake anybody.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack

import anyio
import anyio.lowlevel
import pytest
from tests.engine.building import Behaviour, EchoTools, Kinds, waits, workflow

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.engine import executor as advance
from toolweave.engine import journal
from toolweave.engine import wakeups as due
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.events import CancelAsked
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.storage.database import Database, open_database
from toolweave.testing.clock import FakeClock
from toolweave.testing.unchecked import Unchecked

pytestmark = pytest.mark.anyio

NEVER_S = 3600.0
ASKS = workflow({"s": "start", "a": "once", "b": "keyed"}, ["s > a", "a > b"])

Process = Callable[..., Awaitable[Engine]]


@pytest.fixture
async def process(
    database: Database, address: str, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[Process]:
    """Engines with connections of their own to one database, as processes have them."""
    for module in (advance, due, journal):
        monkeypatch.setattr(module, "LOOK_EVERY_S", NEVER_S)
    assert database  # its tables are there
    async with AsyncExitStack() as stack:

        async def opened(*, drives_runs: bool = False, **behaviours: Behaviour) -> Engine:
            own = await stack.enter_async_context(open_database(address))
            services = EngineServices(EchoTools(), clock)
            made = Engine(
                own,
                Journal(own, clock),
                Kinds(**behaviours),
                services=services,
                checker=Unchecked(),
            )
            await stack.enter_async_context(made.running(drives_runs=drives_runs))
            return made

        yield opened


async def over(engine: Engine, run: str) -> str:
    with anyio.fail_after(60):
        async for _ in engine.follow(run):
            pass
    return (await engine.get(run)).status


async def until(engine: Engine, run: str, status: str) -> None:
    with anyio.fail_after(60), engine.journal.notifications.listening():
        while True:
            news = engine.journal.notifications.of(run)
            if (await engine.get(run)).status == status:
                return
            await news.wait()


def hangs(begun: anyio.Event) -> Behaviour:
    async def behave(_context: NodeContext) -> Outcome:
        begun.set()
        await anyio.Event().wait()
        return Outcome(None)

    return behave


async def test_a_service_begins_a_run_that_another_process_started(process: Process) -> None:
    service, command = await process(drives_runs=True), await process()
    run = await command.runs.start(RunRequest(ASKS, {"n": 1}))
    assert await over(command, run) == "success"
    assert await over(service, run) == "success"


async def test_an_answer_of_a_command_goes_on_in_the_service(process: Process) -> None:
    service = await process(drives_runs=True, a=waits(question={"text": "May it?"}))
    command = await process()
    run = await service.runs.start(RunRequest(ASKS, {}))
    await until(command, run, "waiting")
    assert await command.is_served()
    await command.answer(run, "a", "yes", resume=False)
    assert await over(command, run) == "success"
    found = dict((await service.state(run)).outcomes())
    assert found["b"].value == {"by": "answer", "reply": "yes", "memory": "kept"}


async def test_a_step_held_elsewhere_is_cancelled_at_once(process: Process) -> None:
    begun = anyio.Event()
    service, command = await process(drives_runs=True, a=hangs(begun)), await process()
    run = await service.runs.start(RunRequest(ASKS, {}))
    with anyio.fail_after(60):
        await begun.wait()
        await command.cancel(run)
    assert await over(command, run) == "cancelled"


async def test_an_answer_reaches_a_run_of_which_another_branch_is_running(
    process: Process,
) -> None:
    begun = anyio.Event()
    asking = waits(question={"text": "May it?"})
    service = await process(drives_runs=True, long=hangs(begun), a=asking)
    command = await process()
    graph = workflow(
        {"s": "start", "long": "once", "a": "once", "b": "keyed"}, ["s > long", "s > a", "a > b"]
    )
    run = await service.runs.start(RunRequest(graph, {}))
    with anyio.fail_after(60):
        await begun.wait()
        while "a" not in (await command.state(run)).waiting:
            await anyio.lowlevel.checkpoint()
        assert (await command.get(run)).status == "running"
        await command.answer(run, "a", "yes", resume=False)
        async for entry in command.follow(run):
            if entry.event.kind == "step_finished" and getattr(entry.event, "key", "") == "b":
                break
        await command.cancel(run)
    assert await over(service, run) == "cancelled"


async def test_a_service_leaves_a_run_to_the_command_that_starts_it(process: Process) -> None:
    service, command = await process(drives_runs=True), await process()
    mine = await command.runs.start(RunRequest(ASKS, {}, hold=True))
    other = await command.runs.start(RunRequest(ASKS, {}))
    assert await over(service, other) == "success"
    assert (await service.get(mine)).status == "running"
    assert [entry.event.kind for entry in await service.journal.read(mine)] == ["started"]
    assert await command.advance(mine) == "success"


async def test_only_living_processes_that_keep_time_serve(
    process: Process, database: Database, clock: FakeClock
) -> None:
    command = await process()
    assert not await command.is_served()
    async with AsyncExitStack() as stack:
        services = EngineServices(EchoTools(), clock)
        service = Engine(
            database, Journal(database, clock), Kinds(), services=services, checker=Unchecked()
        )
        await stack.enter_async_context(service.running(drives_runs=True))
        with anyio.fail_after(60):
            while not await command.is_served():
                await anyio.lowlevel.checkpoint()
        assert not await service.is_served()  # not by itself
    assert not await command.is_served()
    dead = "INSERT INTO keepers (holder, seen_at) VALUES (?, ?)"
    away = "another-machine:boot/1/1/x"
    await database.execute(dead, away, "2020-01-01T00:00:00.000000+00:00")
    assert not await command.is_served()


async def test_processes_write_runs_at_the_same_time_and_lose_nothing(
    process: Process, database: Database
) -> None:
    """Both write to the same runs, in groups, in any order; each number is given out once."""
    one, two = await process(), await process()
    runs = [await one.runs.start(RunRequest(ASKS, {"n": n})) for n in range(10)]
    big = "x" * 150_000  # kept apart, and by both under the same name

    async def begins(engine: Engine) -> None:
        await engine.runs.start(RunRequest(ASKS, {"big": big}))

    async def asks(engine: Engine, order: list[str]) -> None:
        async with anyio.create_task_group() as tasks:
            for run in order:
                tasks.start_soon(engine.journal.add, run, CancelAsked())
            for _ in range(5):
                tasks.start_soon(begins, engine)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(asks, one, runs)
            tasks.start_soon(asks, two, runs[::-1])
    for run in runs:
        entries = await one.journal.read(run)
        assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    row = await database.row("SELECT count(*) FROM blobs")
    assert row == (1,)
