"""FLOW.IF, SWITCH, STOP, TIMEOUT and SUBWORKFLOW: which way a run goes, and where it ends."""

import pytest
from tests.engine.building import workflow
from tests.nodes.flow.conftest import Opened
from tests.nodes.flow.running import REAL, alone, computed, fields, finish, flow, outcome_of

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.catalog.resources.record import Resources
from toolweave.engine.decide import result_of
from toolweave.engine.events import PureStepsDone, Started, StepFinished
from toolweave.engine.plan import make_plan
from toolweave.engine.runs import RunRequest
from toolweave.engine.state import RunState
from toolweave.errors import Invalid, NotFound
from toolweave.json_text import Json, JsonObject
from toolweave.testing.clock import FakeClock

CASES: Json = [{"when": "data.n > 10"}, {"when": "data.n > 5"}, {"when": "data.n > 7"}]


@pytest.mark.parametrize(("n", "port"), [(4, "true"), (3, "false")])
def test_a_condition_sends_its_data_one_of_two_ways(n: int, port: str) -> None:
    config: JsonObject = {"condition_expression": "data.n > 3"}
    outcome = computed("FLOW.IF", config, {"data": {"n": n}})
    assert outcome.ports == (port,)
    assert fields(outcome) == {"data": {"n": n}, "condition_result": n > 3}


@pytest.mark.parametrize(
    ("text", "code"),
    [("data.n", "CONDITION_FAILED"), ("data.gone > 1", "EXPRESSION_FAILED")],
)
def test_what_is_no_condition_is_refused(text: str, code: str) -> None:
    with pytest.raises(Invalid) as refused:
        computed("FLOW.IF", {"condition_expression": text}, {"data": {"n": 1}})
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("n", "takes_all", "ports"),
    [
        (11, False, ("case-0",)),
        (9, False, ("case-1",)),
        (1, False, ("default",)),
        (9, True, ("case-1", "case-2")),
        (1, True, ("default",)),
    ],
)
def test_a_switch_takes_the_first_case_that_holds_or_all(
    n: int, takes_all: bool, ports: tuple[str, ...]
) -> None:
    outcome = computed("FLOW.SWITCH", {"cases": CASES, "takes_all": takes_all}, {"data": {"n": n}})
    assert outcome.ports == ports
    assert fields(outcome) == {"data": {"n": n}, "matched": list(ports)}


@pytest.mark.parametrize(
    ("cases", "code"),
    [
        ([], "SWITCH_CASE_INVALID"),
        ([{"when": "true"}] * 17, "SWITCH_CASE_INVALID"),
        ([{"if": "data.n > 1"}], "SWITCH_CASE_INVALID"),
        (["data.n > 1"], "SWITCH_CASE_INVALID"),
        ([{"when": "data.n"}], "CONDITION_FAILED"),
    ],
)
def test_cases_that_cannot_be_judged_are_refused(cases: list[Json], code: str) -> None:
    with pytest.raises(Invalid) as refused:
        computed("FLOW.SWITCH", {"cases": cases}, {"data": {"n": 1}})
    assert refused.value.code == code


@pytest.mark.anyio
async def test_a_switch_hands_its_data_to_the_case_and_a_template_may_decide(
    engine: Opened,
) -> None:
    graph = workflow(
        {
            "s": "start",
            "w": flow("SWITCH", cases=[{"when": "{{ data.n > 10 }}"}, {"when": "data.n > 5"}]),
            "a": "once",
            "b": "once",
            "c": "once",
        },
        ["s > w", "w.case-0 > a", "w.case-1 > b", "w.default > c"],
    )
    runs = await engine()
    run = await runs.runs.start(RunRequest(graph, {"n": 7}))
    assert await runs.advance(run) == "success"
    assert result_of(await runs.state(run)) == {"n": 7}
    assert {key for key, _ in (await runs.state(run)).outcomes()} == {"s", "w", "b"}


@pytest.mark.anyio
async def test_a_stop_ends_the_run_with_a_result_and_nothing_else_begins(engine: Opened) -> None:
    graph = workflow(
        {
            "s": "start",
            "stop": flow("STOP", {"result": "{{ data.n + 1 }}"}, outcome="result"),
            "after": "once",
            "other": "once",
        },
        ["s > stop", "stop > after", "s > other"],
    )
    runs = await engine()
    run = await runs.runs.start(RunRequest(graph, {"n": 7}))
    assert await runs.advance(run) == "success"
    state = await runs.state(run)
    assert state.finished is not None
    assert state.finished.result == 8
    assert {key for key, _ in state.outcomes()} == {"s", "stop"}


@pytest.mark.anyio
async def test_a_stop_may_end_with_an_error_if_its_condition_holds(engine: Opened) -> None:
    stop = flow("STOP", outcome="error", when="data.n > 5", message="{{ data.n }} is too much")
    graph = workflow({"s": "start", "stop": stop, "after": "once"}, ["s > stop", "stop > after"])
    runs = await engine()
    run = await runs.runs.start(RunRequest(graph, {"n": 7}))
    assert await runs.advance(run) == "failed"
    finished = (await runs.state(run)).finished
    assert finished is not None
    assert finished.error is not None
    assert (finished.error["code"], finished.error["message"]) == ("FLOW_STOPPED", "7 is too much")
    run = await runs.runs.start(RunRequest(graph, {"n": 3}))
    assert await runs.advance(run) == "success"
    assert result_of(await runs.state(run)) == {"n": 3}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("config", "port", "remaining_s"),
    [
        ({"deadline": "2026-01-01T00:01:00Z"}, "output", 50),
        ({"deadline": "2026-01-01T00:00:05"}, "expired", -5),
        ({"max_age_seconds": 10}, "output", 0),
        ({"max_age_seconds": 9.5}, "expired", -0.5),
        ({"max_age_seconds": 60, "since": "{{ data.at }}"}, "expired", -3540),
    ],
)
async def test_a_timeout_looks_whether_it_is_too_late(
    engine: Opened, clock: FakeClock, config: JsonObject, port: str, remaining_s: float
) -> None:
    runs = await engine()
    data: JsonObject = {"at": "2025-12-31T23:00:10Z"}
    run = await runs.runs.start(RunRequest(alone("FLOW.TIMEOUT", config, {}), data))
    await clock.advance(10)
    assert await runs.advance(run) == "success"
    outcome = await outcome_of(runs, run)
    assert outcome.ports == (port,)
    assert fields(outcome)["remaining_seconds"] == remaining_s
    assert fields(outcome)["data"] == data


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("config", "code"),
    [
        ({"deadline": "2001-01-01T00:00:00Z", "when_late": "fail"}, "DEADLINE_PASSED"),
        ({"deadline": "tomorrow"}, "NODE_INPUT_INVALID"),
        ({"since": "yesterday"}, "NODE_INPUT_INVALID"),
    ],
)
async def test_a_timeout_fails_where_it_should_and_is_not_tried_again(
    engine: Opened, config: JsonObject, code: str
) -> None:
    runs = await engine()
    run = await runs.runs.start(RunRequest(alone("FLOW.TIMEOUT", config, {}), {}))
    assert await runs.advance(run) == "failed"
    finished = (await runs.state(run)).finished
    assert finished is not None
    assert finished.error is not None
    assert finished.error["code"] == code


class Stored:
    """Workflows that double a number; what was asked for is noted."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Json, str]] = []

    async def run(self, name: str, inputs: Json, key: str) -> tuple[Json, None]:
        self.asked.append((name, inputs, key))
        if name != "double-it":
            raise NotFound("WORKFLOW_UNKNOWN", f"no workflow {name!r}")
        assert isinstance(inputs, dict)
        return {"n": int(str(inputs["n"])) * 2}, None


@pytest.mark.anyio
async def test_another_workflow_is_run_as_a_step_under_the_key_of_the_step(
    engine: Opened, clock: FakeClock
) -> None:
    stored = Stored()
    runs = await engine(Resources(workflows=stored))
    graph = alone("FLOW.SUBWORKFLOW", {"workflow": "double-{{ data.what }}"}, {})
    run = await runs.runs.start(RunRequest(graph, {"what": "it", "n": 4}))
    assert await finish(runs, clock, run) == "success"
    assert fields(await outcome_of(runs, run)) == {"result": {"n": 8}, "workflow": "double-it"}
    assert stored.asked == [("double-it", {"what": "it", "n": 4}, f"{run}/n")]
    run = await runs.runs.start(RunRequest(graph, {"what": "nothing", "n": 4}))
    assert await finish(runs, clock, run) == "failed"
    assert (await runs.get(run)).error == "no workflow 'double-nothing'"


@pytest.mark.anyio
async def test_without_stored_workflows_a_step_says_what_is_missing(
    engine: Opened, clock: FakeClock
) -> None:
    runs = await engine()
    graph = alone("FLOW.SUBWORKFLOW", {"workflow": "double-it", "retry_attempts": 0}, {})
    run = await runs.runs.start(RunRequest(graph, {"n": 4}))
    assert await finish(runs, clock, run) == "failed"
    finished = (await runs.state(run)).finished
    assert finished is not None
    assert finished.error is not None
    assert finished.error["code"] == "RESOURCE_MISSING"


def test_a_step_that_leaves_by_no_port_does_so_when_it_is_read_again() -> None:
    graph = workflow({"s": "start", "a": "end", "b": "end"}, ["s > a", "a > b"])
    for events in (
        [PureStepsDone([["s", 0], ["a", 0, None]], [1])],
        [PureStepsDone([["s", 0]], [1]), StepFinished("a", 1, [])],
    ):
        state = RunState(make_plan(graph, REAL))
        for event in (Started(1), *events):
            state.apply(event)
        assert dict(state.outcomes())["a"].ports == ()
        assert state.ready == {}


@pytest.mark.anyio
async def test_a_step_that_left_by_no_port_is_not_followed(engine: Opened) -> None:
    async def ends(_context: NodeContext) -> Outcome:
        return Outcome("over", ())

    runs = await engine(a=ends)
    graph = workflow({"s": "start", "a": "once", "b": "once"}, ["s > a", "a > b"])
    run = await runs.runs.start(RunRequest(graph, 1))
    assert await runs.advance(run) == "success"
    state = await runs.state(run)
    assert {key for key, _ in state.outcomes()} == {"s", "a"}
    assert result_of(state) == "over"
