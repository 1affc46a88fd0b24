"""Runs from beginning to end, on SQLite and Postgres."""

from datetime import timedelta
from itertools import pairwise

import anyio
import pytest
from tests.engine.building import (
    Barrier,
    EchoTools,
    Kinds,
    busy,
    catalog,
    fails,
    gives,
    meets,
    until_silent,
    waits,
    workflow,
)
from tests.engine.conftest import Opened

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.node_kind import NodeKind
from toolweave.engine.context import EngineServices
from toolweave.engine.decide import result_of
from toolweave.engine.engine import Engine
from toolweave.engine.events import PureStepsDone, StepFailed, StepStarted
from toolweave.engine.journal import Journal
from toolweave.engine.journal_rows import written
from toolweave.engine.runs import RunRequest
from toolweave.errors import Conflict, Invalid, NotFound
from toolweave.json_text import Json
from toolweave.storage.database import Database
from toolweave.testing.clock import FakeClock
from toolweave.testing.unchecked import Unchecked
from toolweave.workflow.model import Node

pytestmark = pytest.mark.anyio

LINE = workflow({"s": "start", "a": "once", "b": "keyed", "e": "end"}, ["s > a", "a > b", "b > e"])


async def test_a_line_of_steps_gives_what_its_end_gets(engine: Opened) -> None:
    runs = await engine(b=gives({"answer": 42}))
    run = await runs.runs.start(RunRequest(LINE, {"city": "London"}))
    assert await runs.advance(run) == "success"
    state = await runs.state(run)
    assert result_of(state) == {"answer": 42}
    assert (await runs.get(run)).status == "success"


async def test_only_the_branch_that_was_taken_runs(engine: Opened) -> None:
    graph = workflow(
        {
            "s": "start",
            "if": catalog("IF", condition_expression="data.n > 3"),
            "big": "once",
            "small": "once",
            "after_small": "once",
            "e": "end",
        },
        ["s > if", "if.true > big", "if.false > small", "small > after_small", "big > e",
         "after_small > e"],
    )  # fmt: skip
    runs = await engine()
    run = await runs.runs.start(RunRequest(graph, {"n": 5}))
    assert await runs.advance(run) == "success"
    state = await runs.state(run)
    assert {key for key, _ in state.outcomes()} == {"s", "if", "big", "e"}
    assert result_of(state) == {"n": 5}


async def test_branches_run_at_the_same_time(engine: Opened) -> None:
    graph = workflow(
        {"s": "start", **dict.fromkeys("abc", "once"), "e": "end"},
        [*(f"s > {name}" for name in "abc"), *(f"{name} > e" for name in "abc")],
    )
    meeting = meets(Barrier(3))
    runs = await engine(a=meeting, b=meeting, c=meeting)
    run = await runs.runs.start(RunRequest(graph, 1))
    with anyio.fail_after(60):
        assert await runs.advance(run) == "success"
    assert result_of(await runs.state(run)) == {"a": 1, "b": 1, "c": 1}


async def test_a_failure_leaves_what_was_done_and_tells_where(engine: Opened) -> None:
    runs = await engine(b=fails(9))
    graph = workflow(
        {"s": "start", "a": "once", "b": "once", "e": "end"}, ["s > a", "a > b", "b > e"]
    )
    run = await runs.runs.start(RunRequest(graph, {"n": 1}))
    assert await runs.advance(run) == "partial"
    state = await runs.state(run)
    assert state.finished is not None
    assert state.finished.result == {"s": {"n": 1}, "a": {"n": 1}}
    assert state.finished.error is not None
    assert (state.finished.error["code"], state.finished.error["failedAt"]) == ("TEST_FAILED", "b")


async def test_a_run_that_fails_at_its_first_step_has_failed(engine: Opened) -> None:
    runs = await engine(a=fails(9))
    run = await runs.runs.start(RunRequest(LINE, {}))
    assert await runs.advance(run) == "failed"


async def test_other_branches_go_on_after_a_failure(engine: Opened) -> None:
    graph = workflow({"s": "start", "bad": "once", "good": "once"}, ["s > bad", "s > good"])
    runs = await engine(bad=fails(9), good=gives("done"))
    run = await runs.runs.start(RunRequest(graph, {}))
    assert await runs.advance(run) == "partial"
    assert dict((await runs.state(run)).outcomes())["good"].value == "done"


async def test_an_error_port_takes_a_failure_on(engine: Opened) -> None:
    graph = workflow(
        {"s": "start", "a": "once", "rescue": "once", "next": "once"},
        ["s > a", "a.error > rescue", "a > next"],
    )
    runs = await engine(a=fails(9))
    run = await runs.runs.start(RunRequest(graph, {}))
    assert await runs.advance(run) == "success"
    found = dict((await runs.state(run)).outcomes())
    assert found.keys() == {"s", "a", "rescue"}
    value = found["rescue"].value
    assert isinstance(value, dict)
    assert value["error"] == {
        "code": "TEST_FAILED",
        "message": "the test wants it to fail",
        "node": "a",
    }


async def test_a_step_is_tried_again_after_a_while_and_its_tries_are_kept(
    engine: Opened, clock: FakeClock
) -> None:
    graph = workflow(
        {"s": "start", "a": ("once", {"configurations": {"retry_attempts": 2}})}, ["s > a"]
    )
    runs = await engine(a=busy(2))
    run = await runs.runs.start(RunRequest(graph, 1))
    assert await runs.advance(run) == "waiting"
    for _ in range(2):
        assert (await runs.get(run)).wake_at is not None
        await clock.advance(10)
        await runs.advance(run)
    assert (await runs.get(run)).status == "success"
    events = [entry.event for entry in await runs.journal.read(run)]
    assert [event.attempt for event in events if isinstance(event, StepStarted)] == [1, 2, 3]
    assert [bool(event.retry_at) for event in events if isinstance(event, StepFailed)] == [True] * 2


async def test_a_step_that_must_happen_once_is_not_tried_again_when_it_may_have_happened(
    engine: Opened,
) -> None:
    graph = workflow(
        {"s": "start", "a": ("once", {"configurations": {"retry_attempts": 5}})}, ["s > a"]
    )
    runs = await engine(a=fails(1))
    run = await runs.runs.start(RunRequest(graph, 1))
    assert await runs.advance(run) == "failed"


async def test_a_wait_ends_at_its_moment(engine: Opened, clock: FakeClock) -> None:
    graph = workflow({"s": "start", "a": "keyed", "e": "end"}, ["s > a", "a > e"])
    runs = await engine(a=waits(3600))
    run = await runs.runs.start(RunRequest(graph, 1))
    assert await runs.advance(run) == "waiting"
    assert await runs.unfinished() == []
    assert await runs.advance(run) == "waiting"
    await clock.advance(3601)
    assert await runs.unfinished() == [run]
    assert await runs.advance(run) == "success"
    assert result_of(await runs.state(run)) == {"by": "timer", "reply": None, "memory": "kept"}


async def test_an_answer_ends_a_wait_and_a_second_one_is_refused(engine: Opened) -> None:
    graph = workflow({"s": "start", "a": "once", "e": "end"}, ["s > a", "a > e"])
    runs = await engine(a=waits(question={"text": "Really?"}))
    run = await runs.runs.start(RunRequest(graph, 1))
    assert await runs.advance(run) == "waiting"
    with pytest.raises(Conflict) as refused:
        await runs.answer(run, "e", True)
    assert refused.value.code == "STEP_NOT_WAITING"
    await runs.answer(run, "a", {"yes": True}, by="Ada")
    with anyio.fail_after(60):
        kinds = [entry.event.kind async for entry in runs.follow(run)]
    assert kinds[-1] == "finished"
    result = {"by": "answer", "reply": {"yes": True}, "memory": "kept"}
    assert result_of(await runs.state(run)) == result
    with pytest.raises(Conflict):
        await runs.answer(run, "a", {"yes": False})


async def test_a_cancelled_run_stops_its_steps(engine: Opened) -> None:
    begun, ended = anyio.Event(), anyio.Event()

    async def forever(_context: object) -> None:
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()

    runs = await engine(a=forever)  # type: ignore[arg-type] # it never gives anything
    run = await runs.runs.start(RunRequest(LINE, 1))
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(runs.advance, run)
            await begun.wait()
            await runs.cancel(run)
        assert ended.is_set()
    assert (await runs.get(run)).status == "cancelled"
    await runs.cancel(run)
    assert (await runs.get(run)).status == "cancelled"


async def test_a_run_goes_on_from_any_node_with_another_input(engine: Opened) -> None:
    runs = await engine(b=gives({"first": True}))
    run = await runs.runs.start(RunRequest(LINE, {"n": 1}))
    await runs.advance(run)
    again = await engine()
    forked = await again.runs.fork(run, "b", lambda came_in: {"was": came_in, "n": 2})
    assert await again.advance(forked) == "success"
    assert result_of(await again.state(forked)) == {"was": {"n": 1}, "n": 2}
    assert (await again.get(forked)).fork_of == run
    events = [entry.event for entry in await again.journal.read(forked)]
    assert [event.key for event in events if isinstance(event, StepStarted)] == ["b"]
    with pytest.raises(NotFound, match="no node"):
        await again.runs.fork(run, "nowhere")


async def test_of_two_starts_with_the_same_key_one_runs(engine: Opened) -> None:
    runs = await engine()
    first = await runs.runs.start(RunRequest(LINE, 1, once_key="delivery-1"))
    second = await runs.runs.start(RunRequest(LINE, 2, once_key="delivery-1"))
    assert first == second
    assert len(await runs.newest()) == 1


async def test_pure_steps_in_a_row_are_one_row_of_the_journal(engine: Opened) -> None:
    names = [f"n{index}" for index in range(50)]
    graph = workflow(
        {"n0": "start", **dict.fromkeys(names[1:], "end")},
        [f"{one} > {other}" for one, other in pairwise(names)],
    )
    runs = await engine()
    run = await runs.runs.start(RunRequest(graph, {"text": "x" * 100}))
    assert await runs.advance(run) == "success"
    rows = [
        one.event for one in await runs.journal.read(run) if isinstance(one.event, PureStepsDone)
    ]
    assert [len(row.steps) for row in rows] == [50]
    assert [len(row.values) for row in rows] == [1]


async def test_a_large_value_survives(engine: Opened) -> None:
    large: Json = {"text": "ä" * 300_000}
    runs = await engine(a=gives(large))
    run = await runs.runs.start(RunRequest(LINE, 1))
    assert await runs.advance(run) == "success"
    assert result_of(await runs.state(run)) == large


async def test_a_process_that_lost_a_run_cannot_write_to_it(
    engine: Opened, clock: FakeClock
) -> None:
    runs = await engine()
    run = await runs.runs.start(RunRequest(LINE, 1))
    lease, _ = await runs.journal.take(run)
    other = await engine()
    with pytest.raises(Conflict) as refused:
        await other.advance(run)
    assert refused.value.code == "RUN_HELD"
    assert await other.unfinished() == []
    await until_silent(other, clock)
    assert await other.unfinished() == [run]
    assert await other.advance(run) == "success"
    before = await runs.journal.read(run)
    with pytest.raises(Conflict) as refused:
        await runs.journal.append(lease, [written(StepStarted("late"))])
    assert refused.value.code == "RUN_TAKEN"
    assert await runs.journal.read(run) == before


async def test_a_journal_read_again_gives_the_same_state(engine: Opened) -> None:
    runs = await engine(a=gives([1, 2]))
    run = await runs.runs.start(RunRequest(LINE, {"n": 1}))
    await runs.advance(run)
    one, other = await runs.state(run), await runs.state(run)
    assert dict(one.outcomes()) == dict(other.outcomes())
    assert one.status == other.status == "success"


async def test_a_workflow_with_a_node_nobody_can_run_is_refused(engine: Opened) -> None:
    runs = await engine()
    with pytest.raises(Invalid) as refused:
        await runs.runs.start(RunRequest(workflow({"s": "start", "x": "nonsense"}, ["s > x"])))
    assert [problem.pointer for problem in refused.value.problems] == ["/nodes/1/type"]
    with pytest.raises(Invalid) as refused:
        await runs.runs.start(RunRequest(workflow({"a": "once", "b": "once"}, ["a > b", "b > a"])))
    assert refused.value.code == "CIRCULAR_DEPENDENCY"


async def test_a_disabled_node_passes_on_what_comes(engine: Opened) -> None:
    graph = workflow(
        {
            "s": "start",
            "if": catalog("IF", condition_expression="data.n > 3", enabled=False),
            "e": "end",
        },
        ["s > if", "if > e"],
    )
    runs = await engine()
    run = await runs.runs.start(RunRequest(graph, {"n": 5}))
    assert await runs.advance(run) == "success"
    assert result_of(await runs.state(run)) == {"n": 5}


async def test_time_passes_between_start_and_wake(engine: Opened, clock: FakeClock) -> None:
    runs = await engine(a=waits(60))
    run = await runs.runs.start(RunRequest(LINE, 1))
    await runs.advance(run)
    wake_at = (await runs.get(run)).wake_at
    assert wake_at is not None
    assert wake_at.startswith((clock.now() + timedelta(seconds=60)).isoformat()[:19])


class Broken:
    """A pure node whose code has a fault."""

    def compute(self, given: NodeInput) -> Outcome:
        raise ZeroDivisionError(given)


async def test_a_fault_in_a_nodes_code_fails_its_step_and_nothing_else(
    engine: Opened, database: Database, clock: FakeClock
) -> None:
    class WithBroken(Kinds):
        def of(self, node: Node) -> NodeKind | None:
            return NodeKind(Broken(), "pure") if node.type == "broken" else super().of(node)

    services = EngineServices(EchoTools(), clock)
    runs = Engine(
        database, Journal(database, clock), WithBroken(), services=services, checker=Unchecked()
    )
    graph = workflow({"s": "start", "bad": "broken", "good": "once"}, ["s > bad", "s > good"])
    async with runs.running():
        run = await runs.runs.start(RunRequest(graph, 1))
        assert await runs.advance(run) == "partial"
        (failure,) = (await runs.state(run)).failures.values()
    assert (failure.key, failure.code) == ("bad", "INTERNAL")


async def test_a_whole_number_of_over_64_bits_is_kept_as_a_number(engine: Opened) -> None:
    runs = await engine(a=gives({"n": 2**70}))
    run = await runs.runs.start(RunRequest(LINE, 1))
    assert await runs.advance(run) == "success"
    assert result_of(await runs.state(run)) == {"n": pytest.approx(2**70)}
