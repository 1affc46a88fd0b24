"""An answer of a drawn workflow leads back to an earlier step, which runs again."""

from pathlib import Path

import pytest
from tests.engine.building import Behaviour, gives, passes, workflow
from tests.engine.conftest import Opened

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.engine.decide import result_of
from toolweave.engine.engine import Engine
from toolweave.engine.events import StepStarted
from toolweave.engine.runs import RunRequest
from toolweave.engine.state import RunState
from toolweave.errors import Invalid
from toolweave.workflow.model import Workflow

pytestmark = pytest.mark.anyio

REVIEW = workflow(
    {"s": "start", "draft": "once", "ask": "askUserQuestion", "publish": "once", "e": "end"},
    ["s > draft", "draft > ask", "ask.branch-0 > publish", "ask.branch-1 > draft", "publish > e"],
)


@pytest.fixture
def address(tmp_path: Path) -> str:
    """One database is enough: turns are decided before anything is written."""
    return f"sqlite:///{tmp_path / 'runs.db'}"


def answers(*ports: str) -> Behaviour:
    """Leave by these ports, one after the other."""
    left = list(ports)

    async def behave(context: NodeContext) -> Outcome:
        return Outcome({"seen": context.given.incoming}, (left.pop(0),))

    return behave


async def _run(runs: Engine, graph: Workflow) -> tuple[str, RunState, list[str]]:
    run = await runs.runs.start(RunRequest(graph, {"topic": "lamps"}))
    status = await runs.advance(run)
    started = [
        entry.event.key
        for entry in await runs.journal.read(run, 0)
        if isinstance(entry.event, StepStarted)
    ]
    return status, await runs.state(run), started


async def test_an_answer_leads_back_until_another_one_goes_on(engine: Opened) -> None:
    runs = await engine(
        draft=passes, ask=answers("branch-1", "branch-1", "branch-0"), publish=passes
    )
    status, state, started = await _run(runs, REVIEW)
    assert status == "success"
    assert started == [
        *("draft", "ask", "draft#1/draft", "draft#1/ask", "draft#2/draft", "draft#2/ask"),
        "draft#2/publish",
    ]
    # What each turn is given is what led back to it.
    last = {"seen": {"seen": {"seen": {"topic": "lamps"}}}}
    assert result_of(state) == last


async def test_an_answer_that_goes_on_at_once_runs_each_step_once(engine: Opened) -> None:
    runs = await engine(draft=passes, ask=answers("branch-0"), publish=passes)
    status, _, started = await _run(runs, REVIEW)
    assert (status, started) == ("success", ["draft", "ask", "publish"])


async def test_the_bound_on_turns_is_said(engine: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolweave.engine.repeats.MAX_TURNS", 3)
    runs = await engine(draft=passes, ask=answers(*["branch-1"] * 9), publish=passes)
    status, state, started = await _run(runs, REVIEW)
    assert status == "partial"
    assert started.count("draft#3/ask") == 1
    assert state.finished is not None
    error = state.finished.error
    assert error is not None
    assert (error["code"], error["failedAt"]) == ("TURNS_EXCEEDED", "draft#3/ask")
    assert error["message"] == "'ask' led back to 'draft' 3 times; the run ended there"


async def test_a_branch_of_an_earlier_turn_does_not_reach_a_join(engine: Opened) -> None:
    graph = workflow(
        {
            "s": "start",
            "pick": "askUserQuestion",
            "a": "once",
            "b": "once",
            "join": "once",
            "ask": "askUserQuestion",
            "e": "end",
        },
        [
            *("s > pick", "pick.branch-0 > a", "pick.branch-1 > b", "a > join", "b > join"),
            *("join > ask", "ask.branch-0 > e", "ask.branch-1 > pick"),
        ],
    )
    runs = await engine(
        pick=answers("branch-0", "branch-1"),
        a=gives("from a"),
        b=gives("from b"),
        join=passes,
        ask=answers("branch-1", "branch-0"),
    )
    status, state, _ = await _run(runs, graph)
    assert status == "success"
    assert result_of(state) == {"seen": "from b"}


async def test_replaying_the_journal_gives_the_same_state_at_every_event(engine: Opened) -> None:
    runs = await engine(draft=passes, ask=answers("branch-1", "branch-0"), publish=passes)
    run = await runs.runs.start(RunRequest(REVIEW, 1))
    assert await runs.advance(run) == "success"
    entries = await runs.journal.read(run, 0)
    whole = await runs.state(run)
    replayed = RunState(whole.plan)
    for entry in entries:
        replayed.apply(entry.event)
    assert replayed.finished == whole.finished
    assert replayed.places.keys() == whole.places.keys()


async def test_a_cycle_without_a_decision_is_refused(engine: Opened) -> None:
    graph = workflow({"s": "start", "a": "once", "b": "once"}, ["s > a", "a > b", "b > a"])
    runs = await engine(a=passes, b=passes)
    with pytest.raises(Invalid) as refused:
        await runs.runs.start(RunRequest(graph, 1))
    assert refused.value.code == "CIRCULAR_DEPENDENCY"
