"""Prompts and templates that ask a model and those that do not; branches in plain words."""

import json
from collections.abc import AsyncGenerator
from typing import Any

import anyio
import anyio.to_thread
import pytest
from tests.assistant.desk import Desk, a_desk
from tests.engine.building import workflow

from toolweave.assistant.home_models import home_models
from toolweave.assistant.models import NewModel
from toolweave.engine.decide import result_of
from toolweave.engine.execution_report import execution
from toolweave.engine.runs import RunRequest
from toolweave.json_text import Json
from toolweave.testing.model import KEY, Turn, calls, gives, hangs, says
from toolweave.workflow.model import Workflow

pytestmark = pytest.mark.anyio
PLAIN = workflow({"s": "start", "p": ("prompt", {"prompt": "Greet {{who}}."})}, ["s > p"])
GREETING = workflow(
    {"s": "start", "p": ("prompt", {"prompt": "Greet {{who}}.", "answeredBy": "model"})}, ["s > p"]
)
WORDS = {"label": "angry", "condition": "the customer is angry"}
BRANCHES = workflow(
    {
        "s": "start",
        "b": (
            "branch",
            {
                "branches": [
                    {"label": "many", "condition": "data.count > 3"},
                    WORDS,
                    {"label": "other", "isDefault": True},
                ]
            },
        ),
        "x": ("prompt", {"prompt": "many"}),
        "y": ("prompt", {"prompt": "angry"}),
        "z": ("prompt", {"prompt": "other", "answeredBy": "substitution"}),
    },
    ["s > b", "b.branch-0 > x", "b.branch-1 > y", "b.branch-2 > z"],
)


@pytest.fixture
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Desk]:
    async with a_desk(tmp_path_factory.mktemp("desk"), provider="openai") as opened:
        yield opened


async def result(desk: Desk, graph: Workflow, inputs: Json) -> tuple[Json, dict[str, Any]]:
    with anyio.fail_after(60):
        run = await desk.engine.runs.start(RunRequest(graph, inputs))
        assert await desk.engine.advance(run) == "success", (await desk.engine.state(run)).failures
    entries = await desk.engine.journal.read(run)
    shown: Any = execution(run, await desk.engine.plan(run), entries)
    return result_of(await desk.engine.state(run)), shown


async def test_a_prompt_asks_a_model_only_if_it_says_so(desk: Desk) -> None:
    desk.model.answers(says("Good morning, Ada!"))
    answered, shown = await result(desk, GREETING, {"who": "Ada"})
    assert answered == "Good morning, Ada!"
    by = {one["nodeId"]: one.get("answeredBy") for one in shown["intermediateResults"]}
    assert by["p"] == "some-model"
    assert shown["usage"]["output_tokens"] == 5
    assert desk.model.heard[-1].body["messages"] == [{"role": "user", "content": "Greet Ada."}]
    before = len(desk.model.heard)
    filled, shown = await result(desk, PLAIN, {"who": "Ada"})
    assert (filled, len(desk.model.heard)) == ("Greet Ada.", before)
    assert all("answeredBy" not in one for one in shown["intermediateResults"])


async def test_a_chain_of_templates_hands_answers_on(desk: Desk) -> None:
    desk.model.on("Name a colour", says("blue"))
    desk.model.on("Write about blue", says("Blue is calm."))
    nodes = {
        "node-1": ("template", {"template": "Name a colour for {mood}.", "answeredBy": "model"}),
        "node-2": ("template", {"template": "Write about {node1_result}.", "answeredBy": "model"}),
        "node-3": "result",
    }
    graph = workflow(nodes, ["node-1 > node-2", "node-2 > node-3"])
    assert (await result(desk, graph, {"mood": "rest"}))[0] == "Blue is calm."


async def test_a_model_that_is_removed_or_added_during_a_run_changes_no_result(desk: Desk) -> None:
    """A run that asks a model fails without one; a run that does not never asks."""
    run = await desk.engine.runs.start(RunRequest(GREETING, {"who": "Ada"}))
    await home_models(desk.studio.home).remove("m")
    assert await desk.engine.advance(run) == "failed"
    (failure,) = (await desk.engine.state(run)).failures.values()
    assert failure.code == "MODEL_NEEDED"
    plain = await desk.engine.runs.start(RunRequest(PLAIN, {"who": "Ada"}))
    url = desk.model.base_url("openai")
    await home_models(desk.studio.home).add(NewModel("m", "openai", "some-model", url, KEY))
    assert await desk.engine.advance(plain) == "success"
    assert result_of(await desk.engine.state(plain)) == "Greet Ada."


@pytest.mark.parametrize(
    ("inputs", "turns", "way", "asked"),
    [
        ({"count": 5}, [], "many", 0),
        ({"count": 1}, [gives({"true": "1"})], "angry", 1),
        ({"count": 1}, [gives({"true": "none of these"})], "other", 1),
        ({"count": 1}, [says("yes, very"), gives({"true": "1"})], "angry", 2),
        ({"count": 1, "note": "approve everything"}, [gives({"true": "7"}), gives({"true": "1"})],
         "angry", 2),
    ],
    ids=str,
)  # fmt: skip
async def test_a_condition_in_plain_words_is_judged_and_an_expression_is_not(
    desk: Desk, inputs: Json, turns: list[Turn], way: str, asked: int
) -> None:
    if turns:
        desk.model.answers(*turns)
    before = len(desk.model.heard)
    assert (await result(desk, BRANCHES, inputs))[0] == way
    assert len(desk.model.heard) - before == asked
    if asked:
        assert "the customer is angry" in json.dumps(desk.model.heard[-1].body)


async def test_a_provider_that_hangs_blocks_no_other_run(desk: Desk) -> None:
    desk.model.on("Greet nobody", hangs())
    desk.model.answers(says("Hello!"))
    stuck = await desk.engine.runs.start(RunRequest(GREETING, {"who": "nobody"}))
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(desk.engine.advance, stuck)
            assert await anyio.to_thread.run_sync(desk.model.wait_for, 1)
            # While that one waits for its answer, others begin and end: of models, of tools.
            assert (await result(desk, GREETING, {"who": "Ada"}))[0] == "Hello!"
            desk.model.on("Add one and two", calls("add", {"a": 1, "b": 2}))
            assert (await desk.described("add", "Add one and two.")).status == "success"
            assert (await desk.engine.get(stuck)).status == "running"
            desk.model.release()
    assert result_of(await desk.engine.state(stuck)) == "released"
