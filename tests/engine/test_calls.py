"""A run that another one called: who waits for it, what its end does, on both databases."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from tests.engine.building import Behaviour, EchoTools, Kinds, catalog, waits, workflow

from toolweave.catalog.node_kind import NodeKind
from toolweave.catalog.resources.record import Resources
from toolweave.engine.called_runs import BY_CALLER, once_key
from toolweave.engine.context import EngineServices
from toolweave.engine.decide import decide
from toolweave.engine.engine import Engine
from toolweave.engine.events import (
    CallEnded,
    CancelAsked,
    PureStepsDone,
    Started,
    StepStarted,
    StepWaiting,
)
from toolweave.engine.journal import Journal
from toolweave.engine.journal_rows import written
from toolweave.engine.plan import make_plan
from toolweave.engine.retention import Retention, prune
from toolweave.engine.runs import RunRequest
from toolweave.engine.state import RunState
from toolweave.engine.subworkflows import SubWorkflows
from toolweave.nodes.flow import stop, subworkflow
from toolweave.storage.database import Database
from toolweave.storage.workflow_files import WorkflowFiles
from toolweave.testing.clock import FakeClock
from toolweave.testing.unchecked import Unchecked
from toolweave.workflow.model import Node
from toolweave.workflow.store import WorkflowStore

pytestmark = pytest.mark.anyio

INNER = replace(
    workflow({"s": "start", "person": "once", "e": "end"}, ["s > person", "person > e"]),
    name="inner",
)
OUTER = workflow(
    {"s": "start", "call": catalog("SUBWORKFLOW", workflow="inner"), "e": "end"},
    ["s > call", "call > e"],
)
DAYS_S = 10 * 86_400.0

House = Callable[..., Awaitable[Engine]]


class WithCalls(Kinds):
    """The kinds of the tests, and the real nodes that call and stop."""

    def of(self, node: Node) -> NodeKind | None:
        for real in (subworkflow.node, stop.node):
            if node.ref == real.spec.ref:
                return NodeKind(real, real.spec.effect, real.spec)
        return super().of(node)


@pytest.fixture
async def store(tmp_path: Path) -> WorkflowStore:
    made = WorkflowStore(WorkflowFiles(tmp_path / "workflows"))
    await made.save(INNER, over=None)
    return made


@pytest.fixture
async def house(
    database: Database, clock: FakeClock, store: WorkflowStore
) -> AsyncGenerator[House]:
    """Engines that call stored workflows; several are several processes."""
    async with AsyncExitStack() as stack:

        async def opened(**behaviours: Behaviour) -> Engine:
            services = EngineServices(EchoTools(), clock)
            kinds = WithCalls(**{"person": waits(question={"text": "May it?"}), **behaviours})
            engine = Engine(
                database, Journal(database, clock), kinds, services=services, checker=Unchecked()
            )
            services.resources = Resources(workflows=SubWorkflows(engine, store))
            await stack.enter_async_context(engine.running())
            return engine

        yield opened


async def over(engine: Engine, run: str) -> str:
    with anyio.fail_after(60):
        async for _ in engine.follow(run):
            pass
    return (await engine.get(run)).status


async def called(engine: Engine, run: str) -> str:
    found = await engine.find(once_key(run, "call"))
    assert found is not None
    return found


async def test_a_caller_waits_for_days_at_no_cost_and_goes_on_in_any_process(
    house: House, clock: FakeClock
) -> None:
    one = await house()
    run = await one.runs.start(RunRequest(OUTER, {"n": 1}))
    assert await one.advance(run) == "waiting"
    assert (await one.get(run)).wake_at is None
    assert list((await one.state(run)).waiting) == ["call"]
    child = await called(one, run)
    await clock.advance(DAYS_S)
    other = await house()
    assert await other.unfinished() == []
    await other.answer(child, "person", "yes")
    assert await over(other, run) == "success"
    finished = (await one.state(run)).finished
    assert finished is not None
    reply = {"by": "answer", "reply": "yes", "memory": "kept"}
    assert finished.result == {"result": reply, "workflow": "inner"}


async def test_the_end_of_a_called_run_is_kept_for_its_caller_whoever_dies_then(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = await house(), await house()
    run = await one.runs.start(RunRequest(OUTER, {}))
    assert await one.advance(run) == "waiting"
    child = await called(one, run)

    killed_after_the_end(one, monkeypatch)
    await one.answer(child, "person", "yes", resume=False)
    assert await one.advance(child) == "success"
    assert await other.unfinished() == [run]
    assert await other.advance(run) == "success"


async def test_cancelling_a_caller_that_waits_cancels_the_called_run(house: House) -> None:
    one, other = await house(), await house()
    run = await one.runs.start(RunRequest(OUTER, {}))
    assert await one.advance(run) == "waiting"
    await other.cancel(run)
    assert await over(one, run) == "cancelled"
    assert await over(one, await called(one, run)) == "cancelled"


async def test_a_stop_of_the_caller_ends_the_called_run(house: House) -> None:
    graph = workflow(
        {
            "s": "start",
            "call": catalog("SUBWORKFLOW", workflow="inner"),
            "pause": "once",
            "stop": catalog("STOP", outcome="result"),
        },
        ["s > call", "s > pause", "pause > stop"],
    )
    engine = await house(pause=waits(question={"text": "Stop?"}))
    run = await engine.runs.start(RunRequest(graph, {}))
    assert await engine.advance(run) == "waiting"
    await engine.answer(run, "pause", "yes")
    assert await over(engine, run) == "success"
    assert await over(engine, await called(engine, run)) == "cancelled"


async def test_a_called_run_that_is_cancelled_fails_the_step_that_called_it(house: House) -> None:
    engine = await house()
    run = await engine.runs.start(RunRequest(OUTER, {}))
    assert await engine.advance(run) == "waiting"
    await engine.cancel(await called(engine, run))
    assert await over(engine, run) == "failed"
    (failure,) = (await engine.state(run)).failures.values()
    assert failure.code == "SUBWORKFLOW_FAILED"


def killed_after_the_end(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the process would do after the end of a run, it does not come to."""

    async def dies(*_: object) -> None:
        pass

    monkeypatch.setattr(engine, "_after", dies)


async def test_a_caller_that_dies_right_after_its_end_leaves_no_called_run_going(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = await house(), await house()
    run = await one.runs.start(RunRequest(OUTER, {}))
    assert await one.advance(run) == "waiting"
    child = await called(one, run)
    # Killed before it told the called run, and again right after the end of the caller.
    await one.journal.add(run, CancelAsked())
    assert (await one.get(child)).status == "waiting"
    killed_after_the_end(one, monkeypatch)
    assert await one.advance(run) == "cancelled"
    assert await other.unfinished() == [child]
    assert await other.advance(child) == "cancelled"
    asked = [entry.event for entry in await other.journal.read(child)]
    assert [event.by for event in asked if isinstance(event, CancelAsked)] == [BY_CALLER]


async def test_cancelling_reaches_a_run_that_a_called_run_called(
    house: House, store: WorkflowStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.save(replace(OUTER, name="middle"), over=None)
    top = workflow({"call": catalog("SUBWORKFLOW", workflow="middle")}, [])
    one, other = await house(), await house()
    run = await one.runs.start(RunRequest(top, {}))
    assert await one.advance(run) == "waiting"
    middle = await called(one, run)
    inner = await called(one, middle)
    await one.journal.add(run, CancelAsked())
    killed_after_the_end(one, monkeypatch)
    assert await one.advance(run) == "cancelled"
    assert await other.advance(middle) == "cancelled"
    assert (await other.get(inner)).status == "cancelled"


@pytest.mark.parametrize("is_pruned", [False, True])
async def test_a_run_that_is_called_by_one_that_is_over_is_cancelled(
    house: House, database: Database, clock: FakeClock, is_pruned: bool
) -> None:
    """As a process does that was stopped just before it began the called run."""
    one, late = await house(), await house()
    run = await one.runs.start(RunRequest(OUTER, {}))
    await one.cancel(run, resume=False)
    assert await one.advance(run) == "cancelled"
    if is_pruned:
        await clock.advance(DAYS_S)
        assert await prune(database, Retention(days=1), clock.now()) == 1
    child = await late.runs.start(RunRequest(INNER, {}, once_key=once_key(run, "call")))
    assert await late.advance(child) == "cancelled"


async def test_what_a_called_run_gave_is_kept_until_its_caller_has_it(
    house: House, database: Database, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = await house(), await house()
    run = await one.runs.start(RunRequest(OUTER, {}))
    assert await one.advance(run) == "waiting"
    child = await called(one, run)
    killed_after_the_end(one, monkeypatch)
    await one.answer(child, "person", "yes", resume=False)
    assert await one.advance(child) == "success"
    await clock.advance(DAYS_S)  # while nobody is there
    for retention in (Retention(days=1), Retention(days=None, runs=0)):
        assert await prune(database, retention, clock.now()) == 0
    assert await other.advance(run) == "success"
    assert await called(other, run) == child
    await clock.advance(DAYS_S)
    assert await prune(database, Retention(days=1), clock.now()) == 2


async def test_a_caller_waits_while_nobody_knows_about_a_step_of_the_called_run(
    house: House, clock: FakeClock
) -> None:
    one = await house()
    run = await one.runs.start(RunRequest(OUTER, {}))
    child = await one.runs.start(RunRequest(INNER, {}, once_key=once_key(run, "call")))
    lease, _ = await one.journal.take(child)
    cut_off = [PureStepsDone([["s", 0]], [{}]), StepStarted("person")]
    await one.journal.append(lease, [written(event) for event in cut_off])
    assert await one.advance(run) == "waiting"
    assert (await one.get(child)).status == "uncertain"
    await clock.advance(DAYS_S)
    assert await one.advance(run) == "waiting"
    await one.resolve(child, "person", "skip")
    assert await over(one, run) == "success"


async def test_runs_go_on_as_their_workflows_were_when_they_began(
    house: House, store: WorkflowStore
) -> None:
    """Killed; meanwhile the file of the one is changed, and that of the other is deleted."""
    await store.save(replace(OUTER, name="outer"), over=None)
    one = await house()
    run = await one.runs.start(RunRequest((await store.load("outer")).workflow, {}))
    assert await one.advance(run) == "waiting"
    child = await called(one, run)
    changed = workflow({"s": "start", "e": "end"}, ["s > e"])
    before = (await store.load("outer")).revision
    await store.save(replace(changed, name="outer"), over=before)
    await store.delete("inner", over=(await store.load("inner")).revision)
    other = await house()
    await other.answer(child, "person", "yes")
    assert await over(other, run) == "success"
    finished = (await other.state(run)).finished
    assert finished is not None
    reply = {"by": "answer", "reply": "yes", "memory": "kept"}
    assert finished.result == {"result": reply, "workflow": "inner"}


def test_an_end_that_comes_before_the_caller_waits_is_not_missed(clock: FakeClock) -> None:
    state = RunState(make_plan(OUTER, WithCalls()))
    for event in (
        Started({}),
        PureStepsDone([["s", 0]], [{}]),
        StepStarted("call"),
        CallEnded("call", "r"),
        StepWaiting("call"),
    ):
        state.apply(event)
    (work,) = decide(state, clock.now()).work
    assert work.resumed is not None
    assert (work.place.key, work.resumed.reply) == ("call", {"run": "r"})
    assert work.place.step.timeout_s == float("inf")
