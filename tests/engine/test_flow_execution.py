"""A run reported as a `FlowExecution`: what it has when it worked, half worked, failed."""

import re
from datetime import datetime

import pytest
from tests.engine.building import fails, gives, workflow
from tests.engine.conftest import Opened

from toolweave.engine.decide import result_of
from toolweave.engine.engine import Engine
from toolweave.engine.events import PureStepsDone, StepFinished, StepStarted
from toolweave.engine.execution_report import execution
from toolweave.engine.runs import RunRequest
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject

pytestmark = pytest.mark.anyio

CHAIN = workflow(
    {"in": "start", "one": "once", "two": "once", "out": "end"},
    ["in > one", "one > two", "two > out"],
)


async def told(runs: Engine, inputs: Json = None) -> JsonObject:
    run = await runs.runs.start(RunRequest(CHAIN, {"city": "London"} if inputs is None else inputs))
    await runs.advance(run)
    return execution(run, await runs.plan(run), await runs.journal.read(run))


def results(shown: JsonObject) -> list[JsonObject]:
    listed = shown["intermediateResults"]
    assert isinstance(listed, list)
    return [one for one in listed if isinstance(one, dict)]


async def test_a_run_that_worked_tells_everything(engine: Opened) -> None:
    shown = await told(await engine(one=gives("first"), two=gives("second")))
    assert (shown["flowId"], shown["flowName"]) == ("test", "test")
    assert re.fullmatch(r"test_\d{13}", str(shown["executionId"]))
    assert shown["initialVariables"] == {"city": "London"}
    assert [one["nodeId"] for one in results(shown)] == ["in", "one", "two", "out"]
    assert (shown["status"], shown["finalResult"]) == ("success", "second")
    assert isinstance(shown["totalExecutionTimeMs"], int)
    assert shown["totalExecutionTimeMs"] > 0
    assert "error" not in shown


async def test_each_result_names_its_node_its_output_and_its_time(engine: Opened) -> None:
    for result in results(await told(await engine(one=gives(""), two=gives("x")))):
        assert result["templateName"] == result["nodeId"]
        assert isinstance(result["executionTimeMs"], int)
        assert result["executionTimeMs"] > 0
        assert datetime.fromisoformat(str(result["timestamp"])).tzinfo is not None
        assert "output" in result
        if result["nodeId"] == "one":
            assert result["output"] == ""


async def test_a_run_that_fails_half_way_keeps_its_results_and_tells_where(engine: Opened) -> None:
    shown = await told(await engine(one=gives("first"), two=fails(1)))
    assert (shown["status"], shown["finalResult"]) == ("partial", None)
    assert [one["nodeId"] for one in results(shown)] == ["in", "one"]
    error = shown["error"]
    assert isinstance(error, dict)
    assert (error["code"], error["message"]) == ("TEST_FAILED", "the test wants it to fail")
    assert error["failedAt"] == {"nodeId": "two", "templateName": "two"}
    assert error["partialResults"] == shown["intermediateResults"]


async def test_nodes_that_wait_for_each_other_are_refused_before_anything_runs(
    engine: Opened,
) -> None:
    runs = await engine()
    circle = workflow({"a": "once", "b": "once", "c": "once"}, ["a > b", "b > c", "c > a"])
    with pytest.raises(Invalid) as refused:
        await runs.runs.start(RunRequest(circle))
    assert refused.value.code == "CIRCULAR_DEPENDENCY"
    assert await runs.newest() == []


async def test_a_node_begins_after_all_it_depends_on_are_done(engine: Opened) -> None:
    graph = workflow(
        {"s": "start", "c": "once", "a": "once", "b": "once", "e": "end"},
        ["s > a", "a > b", "a > c", "b > c", "c > e"],
    )
    runs = await engine()
    run = await runs.runs.start(RunRequest(graph, 1))
    assert await runs.advance(run) == "success"
    done: set[str] = set()
    needs = {"a": {"s"}, "b": {"a"}, "c": {"a", "b"}}
    for entry in await runs.journal.read(run):
        match entry.event:
            case PureStepsDone(steps):
                done.update(str(step[0]) for step in steps)
            case StepFinished(key):
                done.add(key)
            case StepStarted(key):
                assert needs[key] <= done
            case _:
                pass
    assert result_of(await runs.state(run)) == {"a": 1, "b": 1}
