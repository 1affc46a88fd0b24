"""What a model chose in a run becomes detailed nodes, or is refused with the reason."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest
from tests.assistant.desk import SERVER, Desk, a_desk
from tests.engine.building import workflow

from toolweave.authoring.locked_choices import LockedWorkflow, freeze_node
from toolweave.engine.runs import RunRequest
from toolweave.errors import Conflict, Invalid, NotFound
from toolweave.testing.model import Turn, calls, says, together
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.modes import mode_of

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def shared_desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Desk]:
    async with a_desk(tmp_path_factory.mktemp("desk")) as opened:
        yield opened


@pytest.fixture
def desk(shared_desk: Desk) -> Desk:
    # What an earlier test told its tools to answer is forgotten.
    shared_desk.server.change(answers={})
    return shared_desk


def node(words: str, tool: str | None = None) -> dict[str, Any]:
    stamp = "2026-01-01T00:00:00.000Z"
    if tool is not None:
        config = {"description": words, "timestamp": stamp}
        data: dict[str, Any] = {"mode": "naturalLanguageParam", "toolName": tool}
        return data | {"serverId": SERVER, "naturalLanguageParamConfig": config}
    config = {"taskDescription": words, "timestamp": stamp}
    return {"mode": "fullNaturalLanguage", "serverId": SERVER, "fullNaturalLanguageConfig": config}


async def frozen(desk: Desk, data: dict[str, Any], *turns: Turn) -> LockedWorkflow:
    desk.model.answers(*turns)
    ended = await desk.run(data)
    graph = workflow({"s": "start", "n": ("mcp", data), "e": "end"}, ["s > n", "n > e"])
    loaded = read(convert(graph, "toolweave"))
    return await freeze_node(desk.studio.home, ended.run, "n", loaded)


async def test_filled_parameters_become_fixed_values(desk: Desk) -> None:
    wrong, right = calls("add", {"a": "1"}), calls("add", {"a": 1, "b": 2})
    made = await frozen(desk, node("Add one and two.", "add"), wrong, right)
    found = made.workflow.node("n")
    assert found is not None
    assert mode_of(found.data) == "detailed"
    assert found.data["parameterValues"] == {"a": 1, "b": 2}
    # The words come back when somebody switches again.
    assert "Add one and two." in str(found.data)
    again = await desk.run(dict(found.data))
    assert (again.status, again.value) == ("success", {"a": 1, "b": 2})


async def test_a_task_with_one_call_becomes_that_call(desk: Desk) -> None:
    made = await frozen(desk, node("Say hi, please."), calls("echo", {"text": "hi"}), says("Done."))
    found = made.workflow.node("n")
    assert found is not None
    assert (found.data["toolName"], found.data["parameterValues"]) == ("echo", {"text": "hi"})


async def test_a_task_with_several_calls_becomes_a_chain(desk: Desk) -> None:
    both = together(calls("add", {"a": 1, "b": 2}), calls("echo", {"text": "hi"}))
    made = await frozen(desk, node("Add, say hi, count."), both, calls("counter"), says("Done."))
    flow = made.workflow
    order = [one.data.get("toolName") for one in flow.nodes if one.type == "mcp"]
    assert order == ["add", "echo", "counter"]
    assert [(edge.source, edge.target) for edge in flow.edges] == [
        ("s", "add"),
        ("n", "e"),
        ("add", "echo"),
        ("echo", "n"),
    ]
    run = await desk.engine.runs.start(RunRequest(flow, {}))
    assert await desk.engine.advance(run) == "success"


async def test_braces_in_a_value_stay_braces(desk: Desk) -> None:
    text = "look: {{ nodes.x }} and {{"
    made = await frozen(desk, node("Echo the braces.", "echo"), calls("echo", {"text": text}))
    found = made.workflow.node("n")
    assert found is not None
    again = await desk.run(dict(found.data))
    assert again.status == "success"
    assert desk.called()[-1] == ("echo", {"text": text})


async def test_what_an_earlier_call_gave_is_not_made_a_constant(desk: Desk) -> None:
    desk.server.on_call(
        "recall", [{"result": {"content": [{"type": "text", "text": "order-778899"}]}}]
    )
    turns = (calls("recall", {"key": "k"}), calls("echo", {"text": "order-778899"}), says("Done."))
    with pytest.raises(Invalid) as caught:
        await frozen(desk, node("Recall k and echo it."), *turns)
    assert caught.value.code == "FREEZE_IMPOSSIBLE"
    assert "order-778899" in caught.value.message


async def test_what_was_never_chosen_cannot_be_frozen(desk: Desk) -> None:
    with pytest.raises(Invalid) as caught:
        await frozen(desk, node("Do nothing at all."), says("There was nothing to do."))
    assert caught.value.code == "FREEZE_IMPOSSIBLE"
    desk.model.answers(says("I would rather not."))
    ended = await desk.run(node("Add one and two.", "add"))
    graph = workflow({"s": "start", "n": ("mcp", node("Add it.", "add"))}, ["s > n"])
    loaded = read(convert(graph, "toolweave"))
    with pytest.raises(Conflict) as failed:
        await freeze_node(desk.studio.home, ended.run, "n", loaded)
    assert failed.value.code == "STEP_NOT_REACHED"
    with pytest.raises(NotFound):
        await freeze_node(desk.studio.home, ended.run, "nobody", loaded)
