"""Runs on a real Temporal server and a real Postgres: everything a run does works there too."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import timedelta
from functools import partial
from pathlib import Path

import anyio
import pytest
from temporalio.client import Client, WorkflowExecutionStatus, WorkflowHandle
from temporalio.worker import Replayer
from tests.engine.building import Behaviour, EchoTools, waits, workflow
from tests.engine.laborer import GRAPH, ONCE, Marks, engine_on, laborer
from tests.engine.temporal_server import TemporalServer
from tests.engine.test_calls import INNER, OUTER, WithCalls, over
from tests.servers.rooms import eventually
from tests.storage.postgres import Postgres

from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.catalog.resources.record import Resources
from toolweave.clock import SystemClock
from toolweave.engine.backend import AdvanceResult
from toolweave.engine.backend_choice import choose_backend
from toolweave.engine.backends import temporal as temporal_backend
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.events import CancelAsked, RunStatus, StepWaiting
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.engine.subworkflows import SubWorkflows
from toolweave.engine.temporal.connection import RunWorkflows
from toolweave.engine.temporal.reconciler import Reconciler
from toolweave.engine.temporal.run_workflow import RunWorkflow
from toolweave.engine.temporal.worker import TemporalWorker, retry_delay
from toolweave.errors import Unavailable
from toolweave.storage.database import open_database
from toolweave.storage.migrations import migrate
from toolweave.storage.workflow_files import WorkflowFiles
from toolweave.testing.unchecked import Unchecked
from toolweave.workflow.store import WorkflowStore

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("postgres")]

LEASE_S = 2
CHAIN = workflow({"s": "start", "a": "once", "b": "keyed"}, ["s > a", "a > b"])

Process = Callable[..., Awaitable[Engine]]


class Slow:
    """A step that says when it begins, and ends when it may."""

    def __init__(self) -> None:
        self.begun = anyio.Event()
        self.may_end = anyio.Event()
        self.stopped = anyio.Event()
        self.tries = 0

    async def behave(self, context: NodeContext) -> Outcome:
        self.tries += 1
        self.begun.set()
        try:
            await self.may_end.wait()
        except BaseException:
            self.stopped.set()
            raise
        return Outcome(context.given.incoming)


class HastyWorker(TemporalWorker):
    """A positive control: it stops a run when Temporal gives its activity up."""

    async def wait(self, driving: "asyncio.Future[AdvanceResult]") -> None:
        try:
            await super().wait(driving)
        except asyncio.CancelledError:
            driving.cancel()
            raise


@pytest.fixture
def address(postgres: Postgres) -> str:
    return postgres.with_tables()


@pytest.fixture
async def process(
    address: str,
    postgres: Postgres,
    temporal: TemporalServer,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> AsyncGenerator[Process]:
    """Engines with connections of their own; several are several processes."""
    store = WorkflowStore(WorkflowFiles(tmp_path / "workflows"))
    await store.save(INNER, over=None)
    async with AsyncExitStack() as stack:

        async def opened(
            *,
            drives_runs: bool = True,
            drain_s: float = 0.0,
            queue: str = "",
            **behaviours: Behaviour,
        ) -> Engine:
            # A queue for each test: no worker of another one takes its runs.
            place = temporal.address(lease_s=LEASE_S, queue=request.node.name + queue)
            chosen = choose_backend(place)
            # A fleet has one queue and one database: another queue is another fleet.
            shared = postgres.with_tables() if queue else address
            database = await stack.enter_async_context(open_database(shared))
            await migrate(database)
            clock = SystemClock()
            services = EngineServices(EchoTools(), clock)
            engine = Engine(
                database,
                Journal(database, clock, hold_s=chosen.lease_s),
                WithCalls(**behaviours),
                services=services,
                checker=Unchecked(),
                open_backend=chosen.open,
            )
            services.resources = Resources(workflows=SubWorkflows(engine, store))
            running = engine.running(drives_runs=drives_runs, drain_s=drain_s)
            await stack.enter_async_context(running)
            return engine

        yield opened


async def until(engine: Engine, run: str, *wanted: RunStatus) -> None:
    with anyio.fail_after(40), engine.journal.notifications.listening():
        while True:
            news = engine.journal.notifications.of(run)
            if (await engine.get(run)).status in wanted:
                return
            with anyio.move_on_after(1):
                await news.wait()


async def handle_of(server: TemporalServer, run: str) -> "WorkflowHandle[object, object]":
    return (await Client.connect(server.target)).get_workflow_handle(run)


async def ended(server: TemporalServer, run: str) -> WorkflowExecutionStatus | None:
    """The status of the run's workflow, once it has ended."""
    handle = await handle_of(server, run)
    with anyio.fail_after(40):
        while True:
            found = (await handle.describe()).status
            if found != WorkflowExecutionStatus.RUNNING:
                return found
            await anyio.sleep(0.05)


async def cancelled_by(engine: Engine, run: str) -> list[str | None]:
    entries = await engine.journal.read(run)
    return [entry.event.by for entry in entries if isinstance(entry.event, CancelAsked)]


async def test_a_run_with_a_question_and_a_delay_is_one_workflow(
    process: Process, temporal: TemporalServer
) -> None:
    graph = workflow(
        {"s": "start", "ask": "once", "delay": "once", "last": "keyed"},
        ["s > ask", "ask > delay", "delay > last"],
    )
    behaviours = {
        "ask": waits(question={"text": "May it?"}),
        "delay": waits(seconds=0.2),
    }
    await process(**behaviours)
    command = await process(drives_runs=False)
    run = await command.runs.start(RunRequest(graph, {"n": 1}, hold=True))
    await until(command, run, "waiting")
    handle = await handle_of(temporal, run)
    with anyio.fail_after(40):
        while True:  # written after the journal
            memo = await (await handle.describe()).memo()
            if memo["status"] != "running":
                break
            await anyio.sleep(0.05)
    assert memo == {"workflow": graph.name, "status": "waiting"}
    await command.answer(run, "ask", "yes")
    assert await over(command, run) == "success"
    found = dict((await command.state(run)).outcomes())
    assert found["ask"].value == {"by": "answer", "reply": "yes", "memory": "kept"}
    assert await ended(temporal, run) == WorkflowExecutionStatus.COMPLETED
    assert (await (await handle.describe()).memo())["status"] == "success"
    # Its code accepts the history that it made.
    await Replayer(workflows=[RunWorkflow]).replay_workflow(await handle.fetch_history())


async def test_a_run_that_outlives_its_history_continues_as_new(
    process: Process, temporal: TemporalServer
) -> None:
    answers = 14

    async def asks_again(context: NodeContext) -> Outcome | Wait:
        asked = context.resumed.memory if context.resumed is not None else 0
        assert isinstance(asked, int)
        if asked == answers:
            return Outcome(asked)
        return Wait(question={"text": f"May it? ({asked})"}, memory=asked + 1)

    engine = await process(a=asks_again)
    run = await engine.runs.start(RunRequest(CHAIN, {}))
    for number in range(answers):
        await eventually(partial(has_asked, engine, run, number + 1))
        # The signal may arrive just when the workflow continues as new.
        await engine.answer(run, "a", "yes")
    assert await over(engine, run) == "success"
    assert await ended(temporal, run) == WorkflowExecutionStatus.COMPLETED
    client = await Client.connect(temporal.target)
    parts: list[WorkflowExecutionStatus | None] = []

    async def all_parts() -> bool:
        found = client.list_workflows(f"WorkflowId = '{run}'")
        parts[:] = [one.status async for one in found]
        return WorkflowExecutionStatus.COMPLETED in parts

    await eventually(all_parts)
    assert parts.count(WorkflowExecutionStatus.CONTINUED_AS_NEW) >= 1
    async for part in client.list_workflows(f"WorkflowId = '{run}'"):
        handle = client.get_workflow_handle(run, run_id=part.run_id)
        await Replayer(workflows=[RunWorkflow]).replay_workflow(await handle.fetch_history())
        assert (await (await handle.describe()).memo())["workflow"] == CHAIN.name


async def has_asked(engine: Engine, run: str, times: int) -> bool:
    entries = await engine.journal.read(run)
    return sum(isinstance(entry.event, StepWaiting) for entry in entries) >= times


async def test_a_called_workflow_that_waits_wakes_its_caller(
    process: Process, temporal: TemporalServer
) -> None:
    engine = await process(person=waits(question={"text": "May it?"}))
    run = await engine.runs.start(RunRequest(OUTER, {"n": 1}))
    await until(engine, run, "waiting")
    (child,) = await engine.called_by(run)
    await until(engine, child, "waiting")
    await engine.answer(child, "person", "yes")
    assert await over(engine, run) == "success"
    assert await ended(temporal, run) == WorkflowExecutionStatus.COMPLETED
    assert await ended(temporal, child) == WorkflowExecutionStatus.COMPLETED


@pytest.mark.parametrize(
    ("door", "status", "by"),
    [
        ("toolweave", WorkflowExecutionStatus.COMPLETED, "ann"),
        ("temporal", WorkflowExecutionStatus.CANCELED, "Temporal (too slow)"),
    ],
)
async def test_a_cancelled_run_stops_its_step_and_closes_its_workflow(
    process: Process, temporal: TemporalServer, door: str, status: WorkflowExecutionStatus, by: str
) -> None:
    slow = Slow()
    engine = await process(a=slow.behave)
    run = await engine.runs.start(RunRequest(CHAIN, {}))
    with anyio.fail_after(40):
        await slow.begun.wait()
    if door == "toolweave":
        await engine.cancel(run, by="ann")
    else:
        await (await handle_of(temporal, run)).cancel(reason="too slow")
    assert await over(engine, run) == "cancelled"
    assert await cancelled_by(engine, run) == [by]
    assert await ended(temporal, run) == status


@pytest.mark.parametrize("state", ["executing", "waiting"])
async def test_a_terminated_workflow_cancels_its_run_with_the_reason(
    process: Process, temporal: TemporalServer, state: str
) -> None:
    slow = Slow()
    behaviour = slow.behave if state == "executing" else waits(question={"text": "May it?"})
    engine = await process(a=behaviour)
    run = await engine.runs.start(RunRequest(CHAIN, {}))
    if state == "executing":
        with anyio.fail_after(40):
            await slow.begun.wait()
    else:
        await until(engine, run, "waiting")
    await (await handle_of(temporal, run)).terminate(reason="too expensive")
    assert await over(engine, run) == "cancelled"
    assert await cancelled_by(engine, run) == ["Temporal (terminated: too expensive)"]


async def test_an_outage_of_temporal_makes_no_step_uncertain_and_loses_no_run(
    process: Process, temporal: TemporalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, cut_off = Slow(), Slow()
    engine = await process(a=slow.behave)
    run = await engine.runs.start(RunRequest(CHAIN, {"n": 1}))
    with monkeypatch.context() as control:
        control.setattr(temporal_backend, "TemporalWorker", HastyWorker)
        hasty = await process(a=cut_off.behave, queue="-hasty")
    stopped = await hasty.runs.start(RunRequest(CHAIN, {"n": 3}))
    with anyio.fail_after(40):
        await slow.begun.wait()
        await cut_off.begun.wait()
    temporal.kill()
    try:
        late = await process(a=slow.behave)
        unplaced = await late.runs.start(RunRequest(CHAIN, {"n": 2}))
        assert (await late.get(unplaced)).status == "running"
        with anyio.fail_after(40):
            await cut_off.stopped.wait()  # the activities are given up
    finally:
        temporal.start()
    await until(hasty, stopped, "uncertain")  # the control
    slow.may_end.set()
    assert await over(engine, run) == "success"
    # It was never announced to Temporal: the reconciler finds it.
    assert await over(engine, unplaced) == "success"
    assert slow.tries == 2  # one of each run
    assert await ended(temporal, run) == WorkflowExecutionStatus.COMPLETED


async def test_a_worker_polls_on_after_an_outage_while_nobody_reads_its_output(
    postgres: Postgres, temporal: TemporalServer, tmp_path: Path
) -> None:
    engines: list[Engine] = []
    async with AsyncExitStack() as stack:
        # The control: a worker whose SDK writes its log to standard output.
        for vice in ("", "talkative"):
            address = postgres.with_tables()
            place = temporal.address(lease_s=LEASE_S, queue=f"unread{vice}")
            database = await stack.enter_async_context(open_database(address))
            await migrate(database)
            engine = engine_on(database, Marks(tmp_path), LEASE_S, backend=place)
            worker = laborer(address, tmp_path, LEASE_S, vice=vice, backend=place, blocks=True)
            stack.enter_context(worker)
            await stack.enter_async_context(engine.running())
            engines.append(engine)
        temporal.kill()
        temporal.start()
        runs = [await engine.runs.start(RunRequest(CHAIN, {"n": 1})) for engine in engines]
        assert await over(engines[0], runs[0]) == "success"
        assert len(await engines[1].journal.read(runs[1])) == 1


async def test_a_lost_start_and_a_lost_answer_are_found_by_the_reconciler(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_check, check = anyio.Event(), Reconciler.check

    async def check_later(reconciler: Reconciler) -> None:
        await may_check.wait()
        await check(reconciler)

    async def lose(*_: object) -> None:
        raise Unavailable("BACKEND_UNAVAILABLE", "the request was lost")

    monkeypatch.setattr(Reconciler, "check", check_later)
    engine = await process(b=waits(question={"text": "May it?"}))
    answered = await engine.runs.start(RunRequest(CHAIN, {}))
    await until(engine, answered, "waiting")
    with monkeypatch.context() as network:
        network.setattr(RunWorkflows, "start_or_signal", lose)
        started = await engine.runs.start(RunRequest(CHAIN, {}))
        await engine.answer(answered, "b", "yes")
    later = await engine.runs.start(RunRequest(CHAIN, {}))
    await until(engine, later, "waiting")
    # The control: without the reconciler nothing continues them.
    assert (await engine.get(started)).status == "running"
    assert len(await engine.journal.read(started)) == 1
    assert (await engine.get(answered)).status == "waiting"
    may_check.set()
    await until(engine, started, "waiting")
    assert await over(engine, answered) == "success"


async def test_a_drained_worker_leaves_its_run_to_another(
    process: Process, temporal: TemporalServer
) -> None:
    slow, other_slow = Slow(), Slow()
    one = await process(drain_s=30.0, a=slow.behave, b=other_slow.behave)
    run = await one.runs.start(RunRequest(CHAIN, {"n": 1}))
    with anyio.fail_after(40):
        await slow.begun.wait()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(one.drain)
            slow.may_end.set()
    assert other_slow.tries == 0
    other = await process()
    assert await over(other, run) == "success"


async def test_a_killed_worker_leaves_uncertain_steps_and_another_takes_over(
    address: str, temporal: TemporalServer, tmp_path: Path
) -> None:
    marks = Marks(tmp_path)
    place = temporal.address(lease_s=LEASE_S, queue="killed")
    async with open_database(address) as database:
        await migrate(database)
        engine = engine_on(database, marks, LEASE_S, backend=place)
        with laborer(address, tmp_path, LEASE_S, "far-away", backend=place) as worker:
            async with engine.running():
                run = await engine.runs.start(RunRequest(GRAPH, {"n": 1}))
                with anyio.fail_after(40):
                    while not marks.under_way():  # noqa: ASYNC110  # another process marks them
                        await anyio.sleep(0.01)
            worker.kill()
        cut_off = {key for _, key in marks.under_way()}
        async with engine.running(drives_runs=True):
            await until(engine, run, "uncertain")
            assert cut_off
            for step in list((await engine.state(run)).uncertain):
                assert f"{run}/{step}" in cut_off
                await engine.resolve(run, step, "retry")
            assert await over(engine, run) == "success"
    begun = marks.count("begin")
    for step in ONCE:
        assert begun[f"{run}/{step}"] == (2 if f"{run}/{step}" in cut_off else 1)
    # The next worker that dies costs the run no more time than this one.
    history = await (await handle_of(temporal, run)).fetch_history()
    kind = "activity_task_scheduled_event_attributes"
    scheduled = [event for event in history.events if event.HasField(kind)]
    policies = [event.activity_task_scheduled_event_attributes.retry_policy for event in scheduled]
    assert {policy.backoff_coefficient for policy in policies} == {1.0}
    assert max(policy.initial_interval.ToTimedelta() for policy in policies) <= timedelta(seconds=1)


def test_an_activity_that_fails_again_and_again_is_tried_less_often() -> None:
    assert [retry_delay(attempt) for attempt in (1, 2, 3, 4, 5_000)] == [1, 2, 4, 5, 5]


async def test_a_request_with_a_key_starts_one_run_across_processes(process: Process) -> None:
    one, other = await process(), await process()
    started: list[str] = []

    async def start(engine: Engine) -> None:
        started.append(await engine.runs.start(RunRequest(CHAIN, {}, once_key="cron/1")))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(start, one)
        tasks.start_soon(start, other)
    assert started[0] == started[1]
    assert await over(one, started[0]) == "success"
    assert len(await one.newest()) == 1
