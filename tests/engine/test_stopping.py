"""A run that ends early, stopped by a node or cancelled: what was under way is told so."""

from typing import Any

import anyio
import pytest
from tests.engine.building import Behaviour, EchoTools, Kinds, gives, waits, workflow

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.catalog.node_kind import NodeKind
from toolweave.cli.run_display import Display
from toolweave.cli.run_report import as_line, timeline
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.events import StepCancelled, StepFailed
from toolweave.engine.execution_report import execution, records
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.nodes.flow import stop
from toolweave.storage.database import Database
from toolweave.testing.clock import FakeClock
from toolweave.testing.unchecked import Unchecked
from toolweave.workflow.model import Node

pytestmark = pytest.mark.anyio


class WithStop(Kinds):
    """The kinds of the tests, and FLOW.STOP."""

    def of(self, node: Node) -> NodeKind | None:
        if node.ref == "FLOW.STOP":
            return NodeKind(stop.node, stop.node.spec.effect, stop.node.spec)
        return super().of(node)


def stops(**config: Any) -> tuple[str, dict[str, Any]]:
    return ("FLOW", {"subtype": "STOP", "configurations": {"outcome": "result", **config}})


def hangs(begun: anyio.Event, ended: anyio.Event) -> Behaviour:
    """Runs until it is stopped."""

    async def behave(_context: NodeContext) -> Outcome:
        begun.set()
        try:
            await anyio.Event().wait()
        finally:
            ended.set()
        return Outcome(None)

    return behave


def after(event: anyio.Event) -> Behaviour:
    async def behave(context: NodeContext) -> Outcome:
        await event.wait()
        return Outcome(context.given.incoming)

    return behave


def an_engine(database: Database, clock: FakeClock, **behaviours: Behaviour) -> Engine:
    services = EngineServices(EchoTools(), clock)
    return Engine(
        database,
        Journal(database, clock),
        WithStop(**behaviours),
        services=services,
        checker=Unchecked(),
    )


def parallel(**config: Any) -> Any:
    """A branch that runs for ever, one that waits for a person, and one that stops the run."""
    return workflow(
        {
            "s": "start",
            "long": "once",
            "person": "once",
            "first": "once",
            "stop": stops(**config),
            "behind": "once",
        },
        ["s > long", "s > person", "s > first", "first > stop", "stop > behind",
         "stop.stopped > behind", "long > behind", "person > behind"],
    )  # fmt: skip


async def test_a_stop_cancels_what_runs_and_ends_what_waits(
    database: Database, clock: FakeClock
) -> None:
    begun, ended = anyio.Event(), anyio.Event()
    engine = an_engine(
        database,
        clock,
        long=hangs(begun, ended),
        person=waits(question={"text": "May it?"}),
        first=after(begun),
    )
    async with engine.running():
        run = await engine.runs.start(RunRequest(parallel(), {"n": 1}))
        with anyio.fail_after(60):
            assert await engine.advance(run) == "success"
        assert ended.is_set()
        entries = await engine.journal.read(run)
        shown = execution(run, await engine.plan(run), entries)
        assert (await engine.get(run)).status == "success"
    assert shown["finalResult"] == {"n": 1}
    told = {record.key: record.status for record in records(entries)}
    assert told.pop("person") == "cancelled"
    assert told == {
        "s": "success",
        "first": "success",
        "stop": "success",
        "long": "cancelled",
    }


async def test_a_stop_with_an_error_ends_the_run_with_its_message(
    database: Database, clock: FakeClock
) -> None:
    begun, ended = anyio.Event(), anyio.Event()
    engine = an_engine(database, clock, long=hangs(begun, ended), first=after(begun))
    graph = parallel(outcome="error", message="{{ data.n }} is too much")
    async with engine.running():
        run = await engine.runs.start(RunRequest(graph, {"n": 9}))
        with anyio.fail_after(60):
            assert await engine.advance(run) == "partial"
        found = await engine.get(run)
        finished = (await engine.state(run)).finished
    assert found.error == "9 is too much"
    assert finished is not None
    assert finished.error is not None
    assert (finished.error["code"], finished.error["failedAt"]) == ("FLOW_STOPPED", "stop")


async def test_a_stop_in_the_body_of_a_loop_ends_the_run(
    database: Database, clock: FakeClock
) -> None:
    engine = an_engine(database, clock)
    graph = workflow(
        {
            "s": "start",
            "each": ("each", {"items": [1, 2, 3]}),
            "work": "once",
            "stop": stops(when="data == 2"),
            "after": "once",
        },
        ["s > each", "each.loop > work", "work > stop", "each.done > after"],
    )
    async with engine.running():
        run = await engine.runs.start(RunRequest(graph, {}))
        assert await engine.advance(run) == "success"
        state = await engine.state(run)
        entries = await engine.journal.read(run)
    assert state.finished is not None
    assert state.finished.result == 2
    assert {record.key for record in records(entries)} == {
        "s", "each#0/work", "each#0/stop", "each#1/work", "each#1/stop"
    }  # fmt: skip


async def test_an_error_port_of_a_stop_takes_its_error_on_and_the_run_goes_on(
    database: Database, clock: FakeClock
) -> None:
    engine = an_engine(database, clock, rescue=gives("rescued"))
    graph = workflow(
        {"s": "start", "stop": stops(outcome="error"), "rescue": "once"},
        ["s > stop", "stop.error > rescue"],
    )
    async with engine.running():
        run = await engine.runs.start(RunRequest(graph, {}))
        assert await engine.advance(run) == "success"
        state = await engine.state(run)
    assert state.finished is not None
    assert state.finished.result == "rescued"


async def test_a_cancelled_step_is_told_as_cancelled_everywhere(
    database: Database, clock: FakeClock, capsys: pytest.CaptureFixture[str]
) -> None:
    begun, ended = anyio.Event(), anyio.Event()
    engine = an_engine(database, clock, a=hangs(begun, ended))
    graph = workflow({"s": "start", "a": "once", "e": "end"}, ["s > a", "a > e"])
    async with engine.running(drives_runs=True):
        run = await engine.runs.start(RunRequest(graph, {}))
        with anyio.fail_after(60):
            await begun.wait()
            await engine.cancel(run)
            entries = [entry async for entry in engine.follow(run)]
        assert (await engine.get(run)).status == "cancelled"
    assert not any(isinstance(entry.event, StepFailed) for entry in entries)
    assert StepCancelled("a") in [entry.event for entry in entries]
    found = {record.key: record for record in records(entries)}
    assert (found["a"].status, found["a"].error) == ("cancelled", None)
    drawn = ["".join(part if isinstance(part, str) else part[0] for part in line)
             for line in timeline(entries)]  # fmt: skip
    assert [line.split()[-1] for line in drawn if line.startswith("a")] == ["cancelled"]
    display = Display(as_json=False)
    for entry in entries:
        display.show(as_line(entry))
    assert "■ a  stopped" in capsys.readouterr().err
