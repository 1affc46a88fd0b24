"""A merge with a time limit, and loops whose bodies need something from outside."""

from datetime import timedelta
from typing import Any

import anyio
import pytest
from tests.engine.building import Behaviour, EchoTools, Kinds, catalog, gives, waits, workflow

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.catalog.node_kind import NodeKind
from toolweave.clock import timestamp
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.events import StepWaiting
from toolweave.engine.execution_report import records
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.nodes.flow import merge
from toolweave.storage.database import Database
from toolweave.testing.clock import FakeClock
from toolweave.testing.unchecked import Unchecked
from toolweave.workflow.model import Node

pytestmark = pytest.mark.anyio


class WithMerge(Kinds):
    """The kinds of the tests, and FLOW.MERGE."""

    def of(self, node: Node) -> NodeKind | None:
        if node.ref == "FLOW.MERGE":
            return NodeKind(merge.node, merge.node.spec.effect, merge.node.spec)
        return super().of(node)


def an_engine(database: Database, clock: FakeClock, **behaviours: Behaviour) -> Engine:
    services = EngineServices(EchoTools(), clock)
    return Engine(
        database,
        Journal(database, clock),
        WithMerge(**behaviours),
        services=services,
        checker=Unchecked(),
    )


def merging(**config: Any) -> Any:
    return workflow(
        {
            "s": "start",
            "fast": "keyed",
            "slow": "keyed",
            "merge": catalog("MERGE", merge_strategy="concatenate", **config),
            "after": "keyed",
        },
        ["s > fast", "s > slow", "fast > merge", "slow > merge", "merge > after"],
    )


async def merged(engine: Engine, run: str) -> Any:
    value = dict((await engine.state(run)).outcomes())["merge"].value
    assert isinstance(value, dict)
    return value["merged_data"]


@pytest.mark.exercises("FLOW.MERGE.timeout_seconds")
async def test_a_merge_with_a_limit_goes_on_without_a_branch_that_is_late(
    database: Database, clock: FakeClock
) -> None:
    behaviours = {"fast": gives([1, 2]), "slow": waits(question={"text": "More?"})}
    engine = an_engine(database, clock, **behaviours)
    async with engine.running():
        run = await engine.runs.start(RunRequest(merging(timeout_seconds=60), {}))
        assert await engine.advance(run) == "waiting"
        due = timestamp(clock.now() + timedelta(seconds=60))
        assert (await engine.get(run)).wake_at == due
        await clock.advance(59)
        assert await engine.advance(run) == "waiting"
        assert "after" not in dict((await engine.state(run)).outcomes())
        await clock.advance(2)
    # The timer is in the journal: another process goes on with it.
    other = an_engine(database, clock, **behaviours)
    async with other.running():
        assert await other.unfinished() == [run]
        assert await other.advance(run) == "waiting"  # for the person, whose branch goes on
        assert await merged(other, run) == [1, 2]
        assert "after" in dict((await other.state(run)).outcomes())
        await other.answer(run, "slow", [3])
        with anyio.fail_after(60):
            async for _ in other.follow(run):
                pass
        assert (await other.get(run)).status == "success"
        assert await merged(other, run) == [1, 2]
        told = [record.key for record in records(await other.journal.read(run))]
    assert sorted(told) == ["after", "fast", "merge", "s", "slow"]


@pytest.mark.parametrize("limit_s", [None, 60])
async def test_a_merge_waits_for_all_branches_within_its_limit_and_for_days_without(
    database: Database, clock: FakeClock, limit_s: int | None
) -> None:
    engine = an_engine(database, clock, fast=gives([1]), slow=waits(question={"text": "More?"}))
    config = {} if limit_s is None else {"timeout_seconds": limit_s}
    async with engine.running():
        run = await engine.runs.start(RunRequest(merging(**config), {}))
        assert await engine.advance(run) == "waiting"
        await clock.advance(59 if limit_s else 86_400 * 30)
        assert await engine.advance(run) == "waiting"
        await engine.answer(run, "slow", [2, 3])
        with anyio.fail_after(60):
            async for _ in engine.follow(run):
                pass
        assert (await engine.get(run)).status == "success"
        found = await merged(engine, run)
        events = [entry.event for entry in await engine.journal.read(run)]
    assert found == [1, {"by": "answer", "reply": [2, 3], "memory": "kept"}]
    timers = [one for one in events if isinstance(one, StepWaiting) and one.key == "merge"]
    assert len(timers) == (1 if limit_s else 0)


async def test_a_merge_whose_branches_all_come_at_once_has_no_timer(
    database: Database, clock: FakeClock
) -> None:
    engine = an_engine(database, clock)
    graph = workflow(
        {
            "s": "start",
            "a": "start",
            "b": "start",
            "merge": catalog("MERGE", merge_strategy="concatenate", timeout_seconds=1),
        },
        ["s > a", "s > b", "a > merge", "b > merge"],
    )
    async with engine.running():
        run = await engine.runs.start(RunRequest(graph, [1]))
        assert await engine.advance(run) == "success"
        kinds = [entry.event.kind for entry in await engine.journal.read(run)]
    assert "step_waiting" not in kinds


def after(event: anyio.Event) -> Behaviour:
    async def behave(_context: NodeContext) -> Outcome:
        await event.wait()
        return Outcome("ready")

    return behave


LOOP = workflow(
    {
        "s": "start",
        "slow": "keyed",
        "each": ("each", {"items": [1, 2]}),
        "body": "keyed",
        "inner": ("each", {"items": [7]}),
        "deep": "keyed",
        "e": "end",
    },
    ["s > slow", "s > each", "each.loop > body", "slow > body", "body > inner",
     "inner.loop > deep", "slow > deep", "each.done > e"],
)  # fmt: skip


async def test_the_body_of_a_loop_begins_when_what_it_needs_from_outside_is_there(
    database: Database, clock: FakeClock
) -> None:
    seen: list[object] = []

    async def sees(context: NodeContext) -> Outcome:
        seen.append(context.given.incoming)
        return Outcome(context.given.incoming)

    engine = an_engine(database, clock, slow=waits(question={"text": "Go?"}), body=sees, deep=sees)
    async with engine.running():
        run = await engine.runs.start(RunRequest(LOOP, {}))
        assert await engine.advance(run) == "waiting"
        assert not any(key.startswith("each#") for key in (await engine.state(run)).places)
        await engine.answer(run, "slow", "yes")
        with anyio.fail_after(60):
            async for _ in engine.follow(run):
                pass
        assert (await engine.get(run)).status == "success"
        forked = await engine.runs.fork(run, "slow")
        assert await engine.advance(forked) == "waiting"
    came = {"by": "answer", "reply": "yes", "memory": "kept"}
    assert seen == [
        {"each": 1, "slow": came},
        {"inner": 7, "slow": came},
        {"each": 2, "slow": came},
        {"inner": 7, "slow": came},
    ]


async def test_a_loop_goes_on_when_a_step_its_body_would_hear_from_is_passed_over(
    database: Database, clock: FakeClock
) -> None:
    graph = workflow(
        {
            "s": "start",
            "if": catalog("IF", condition_expression="data.n > 3"),
            "maybe": "keyed",
            "each": ("each", {"items": [1]}),
            "body": "keyed",
        },
        ["s > if", "if.true > maybe", "maybe > body", "s > each", "each.loop > body"],
    )
    engine = an_engine(database, clock)
    async with engine.running():
        for n, came in ((1, 1), (5, {"each": 1, "maybe": {"n": 5}})):
            run = await engine.runs.start(RunRequest(graph, {"n": n}))
            assert await engine.advance(run) == "success"
            assert dict((await engine.state(run)).outcomes())["each"].value == [came]
