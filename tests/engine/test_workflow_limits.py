"""A workflow's limit of runs holds over several processes; waiting runs cost nothing."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import datetime

import anyio
import pytest
from tests.engine.building import EchoTools, Kinds, workflow
from tests.engine.test_calls import over
from tests.servers.rooms import eventually

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.clock import SystemClock
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.events import SlotAwaited, SlotFreed
from toolweave.engine.journal import Journal
from toolweave.engine.lease_owner import is_gone, new_holder
from toolweave.engine.runs import RunRequest
from toolweave.engine.timeline import timeline_text
from toolweave.json_text import Json
from toolweave.storage.database import open_database
from toolweave.storage.migrations import migrate
from toolweave.storage.shared_limits import Limit, SharedLimits
from toolweave.testing.unchecked import Unchecked
from toolweave.workflow.model import Workflow

pytestmark = pytest.mark.anyio

GRAPH = workflow({"s": "start", "a": "once", "e": "end"}, ["s > a", "a > e"])


class Effects:
    """Steps that end when they may; how many are under way, now and at most."""

    def __init__(self) -> None:
        self.now = self.most = 0
        self.may_end = anyio.Event()

    async def behave(self, context: NodeContext) -> Outcome:
        self.now += 1
        self.most = max(self.most, self.now)
        await self.may_end.wait()
        self.now -= 1
        return Outcome(context.given.incoming)


Processes = Callable[[int], Awaitable[list[Engine]]]


@pytest.fixture
def effects() -> Effects:
    return Effects()


@pytest.fixture
async def processes(address: str, effects: Effects) -> AsyncGenerator[Processes]:
    """Engines with connections of their own, as several processes have them."""
    async with AsyncExitStack() as stack:

        async def opened(number: int) -> list[Engine]:
            engines: list[Engine] = []
            for _ in range(number):
                database = await stack.enter_async_context(open_database(address))
                await migrate(database)
                limits = SharedLimits(database, new_holder(), is_gone=is_gone)
                await stack.enter_async_context(limits.running())
                clock = SystemClock()
                engine = Engine(
                    database,
                    Journal(database, clock),
                    Kinds(a=effects.behave),
                    services=EngineServices(EchoTools(), clock, limits=limits),
                    checker=Unchecked(),
                )
                await stack.enter_async_context(engine.running(drives_runs=True))
                engines.append(engine)
            return engines

        yield opened


def limited(**limits: Json) -> Workflow:
    return replace(GRAPH, extras={"limits": limits})


async def started(engines: list[Engine], graph: Workflow, number: int) -> list[str]:
    requests = (RunRequest(graph, {"n": n}) for n in range(number))
    return [
        await engines[n % len(engines)].runs.start(request) for n, request in enumerate(requests)
    ]


async def test_runs_over_the_limit_wait_without_a_lease_and_follow_in_turn(
    processes: Processes, effects: Effects
) -> None:
    engines = await processes(3)
    engine = engines[0]
    runs = await started(engines, limited(concurrent=2), 6)

    async def statuses() -> list[str]:
        return sorted([(await engine.get(run)).status for run in runs])

    async def four_wait() -> bool:
        return await statuses() == ["running"] * 2 + ["waiting"] * 4

    await eventually(four_wait)

    async def two_are_held() -> bool:  # a lease is given back after the wait is written
        held = "SELECT id FROM runs WHERE held_until IS NOT NULL"
        return len(await engine.journal.database.rows(held)) == 2

    await eventually(two_are_held)
    waiting = [run for run in runs if (await engine.get(run)).status == "waiting"]
    entries = await engine.journal.read(waiting[0])
    assert "waits for a free slot of workflow" in timeline_text(entries)
    await engine.cancel(waiting[0])
    assert await over(engine, waiting[0]) == "cancelled"
    effects.may_end.set()
    for run in set(runs) - {waiting[0]}:
        assert await over(engine, run) == "success"
    assert effects.most == 2
    entries = await engine.journal.read(waiting[1])
    assert "for a free slot of workflow" in timeline_text(entries)
    assert sum(isinstance(entry.event, SlotAwaited) for entry in entries) == 1
    # Not the timer that helps if a process dies: the end of another run woke it.
    assert any(isinstance(entry.event, SlotFreed) for entry in entries)

    async def nothing_is_held() -> bool:  # a slot is freed after the end of its run is written
        held = "SELECT name FROM limit_holds UNION ALL SELECT name FROM limit_waiters"
        return await engine.journal.database.rows(held) == []

    await eventually(nothing_is_held)


async def test_runs_without_a_limit_all_begin(processes: Processes, effects: Effects) -> None:
    """The control of the test above."""
    engines = await processes(3)
    await started(engines, GRAPH, 6)
    await eventually(lambda: effects.most == 6)


async def test_runs_begin_at_the_rate_of_their_workflow(
    processes: Processes, effects: Effects
) -> None:
    engines = await processes(2)
    effects.may_end.set()
    graph = limited(per_second=10)
    runs = await started(engines, graph, 6)
    begun: list[datetime] = []
    for run in runs:
        assert await over(engines[0], run) == "success"
        entries = await engines[0].journal.read(run)
        first = next(entry for entry in entries if entry.event.kind == "step_started")
        begun.append(datetime.fromisoformat(first.at))
    assert (max(begun) - min(begun)).total_seconds() > 5 / 10 - 0.2


async def test_a_slot_of_a_silent_process_is_free_after_its_lease(address: str) -> None:
    async with open_database(address) as one, open_database(address) as other:
        await migrate(one)
        limit = Limit("server 'x'", concurrent=1)
        silent = SharedLimits(one, "far-away/1/1/a", is_gone=is_gone, hold_s=0.2)
        await silent.acquire(limit)  # and it does not renew it
        waiting: list[str] = []

        async def on_wait(text: str) -> None:
            waiting.append(text)

        with anyio.fail_after(60):
            await SharedLimits(other, "far-away/2/1/b", is_gone=is_gone).acquire(limit, on_wait)
        assert waiting == ["waits for a free slot of server 'x'"]
