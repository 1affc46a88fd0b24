"""Steps that compute one behind the other are taken in one go, and told as any others."""

from itertools import pairwise

import pytest
from tests.engine.building import workflow
from tests.engine.conftest import Opened

from toolweave.engine.decide import result_of
from toolweave.engine.events import PureStepsDone
from toolweave.engine.pure_steps import MAX_STEPS
from toolweave.engine.runs import RunRequest
from toolweave.engine.steps import PlannedStep
from toolweave.workflow.model import Workflow

pytestmark = pytest.mark.anyio


def chain(length: int) -> Workflow:
    names = ["s", *(f"n{index}" for index in range(length))]
    nodes = {"s": "start", **dict.fromkeys(names[1:], "end")}
    return workflow(nodes, [f"{one} > {other}" for one, other in pairwise(names)])


async def test_a_chain_that_is_too_long_for_one_go_is_taken_in_several(engine: Opened) -> None:
    runs = await engine()
    run = await runs.runs.start(RunRequest(chain(2 * MAX_STEPS), {"n": 1}))
    assert await runs.advance(run) == "success"
    events = [entry.event for entry in await runs.journal.read(run)]
    rows = [len(event.steps) for event in events if isinstance(event, PureStepsDone)]
    assert rows == [MAX_STEPS, MAX_STEPS, 1]
    state = await runs.state(run)
    assert result_of(state) == {f"n{at}": {"n": 1} for at in range(2 * MAX_STEPS)}
    assert not (state.ready)
    assert not (state.computable)
    assert state.top.open_steps == 0


async def test_whoever_may_be_followed_by_more_than_one_is_followed_by_none(
    engine: Opened,
) -> None:
    runs = await engine()
    graph = workflow(
        {"s": "start", "a": "end", "b": "end", "c": "end", "l": "each", "d": "end", "o": "once"},
        ["s > a", "a > b", "a > c", "b > l", "l.loop > d", "c > o"],
    )
    run = await runs.runs.start(RunRequest(graph, []))
    plan = await runs.plan(run)
    followed: dict[str, PlannedStep | None] = dict(
        zip((step.id for step in plan.steps), plan.followers, strict=True)
    )
    found = {name: step.id for name, step in followed.items() if step is not None}
    assert found == {"s": "a"}
