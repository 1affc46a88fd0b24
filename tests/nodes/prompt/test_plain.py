"""Nodes of the visual editor and of flows, in real runs."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.engine.building import EchoTools, workflow

from toolweave.clock import SystemClock
from toolweave.engine.context import EngineServices
from toolweave.engine.decide import result_of
from toolweave.engine.engine import Engine
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.json_text import Json
from toolweave.nodes.registry import NodeRegistry
from toolweave.storage.database import open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.unchecked import Unchecked
from toolweave.workflow.question import choice_schema, question_id

pytestmark = pytest.mark.anyio


@pytest.fixture
async def runs(tmp_path: Path) -> AsyncGenerator[Engine]:
    """An engine with all real kinds of nodes."""
    clock = SystemClock()
    async with open_database(tmp_path / "runs.db") as database:
        await migrate(database)
        services = EngineServices(EchoTools(), clock)
        engine = Engine(
            database,
            Journal(database, clock),
            NodeRegistry(),
            services=services,
            checker=Unchecked(),
        )
        async with engine.running():
            yield engine


async def result(runs: Engine, nodes: dict[str, Any], edges: list[str], inputs: Json) -> Json:
    run = await runs.runs.start(RunRequest(workflow(nodes, edges), inputs))
    assert await runs.advance(run) == "success", (await runs.state(run)).failures
    return result_of(await runs.state(run))


async def test_a_prompt_fills_names_once_and_leaves_unknown_ones(runs: Engine) -> None:
    prompt = {
        "prompt": "{{name}} of {{ trigger.city }}: {{own}} {{unknown}}",
        "variables": {"own": 1},
    }
    filled = await result(
        runs,
        {"s": "start", "p": ("prompt", prompt)},
        ["s > p"],
        {"name": "{{own}}", "city": "Rome"},
    )
    assert filled == "{{own}} of Rome: 1 {{unknown}}"


async def test_a_flow_hands_results_on_by_both_names(runs: Engine) -> None:
    nodes = {
        "node-1": ("multi_input", {"variables": [{"key": "market", "value": "AI"}, "budget"]}),
        "node-2": ("template", {"template": "Position in {market} for {budget}."}),
        "node-3": ("template", {"template": "{node2_result} | {node-2_result}"}),
        "node-4": "result",
    }
    edges = ["node-1 > node-2", "node-2 > node-3", "node-3 > node-4"]
    text = "Position in AI for 100K."
    assert await result(runs, nodes, edges, {"budget": "100K"}) == f"{text} | {text}"


async def test_a_template_without_its_variables_fails_with_their_names(runs: Engine) -> None:
    graph = workflow({"t": ("template", {"template": "{a} {b} {a}"})}, [])
    run = await runs.runs.start(RunRequest(graph, {"b": 1}))
    assert await runs.advance(run) == "failed"
    (failure,) = (await runs.state(run)).failures.values()
    assert (failure.code, failure.message.endswith(": a")) == ("MISSING_VARIABLES", True)


@pytest.mark.parametrize(("n", "way"), [(1, "first"), (5, "second"), (9, "other")])
async def test_a_switch_takes_the_first_branch_that_holds(runs: Engine, n: int, way: str) -> None:
    branches = [
        {"label": "small", "condition": "data.n < 3"},
        {"label": "medium", "condition": "data.n < 7"},
        {"label": "default", "condition": "", "isDefault": True},
    ]
    nodes = {
        "s": "start",
        "w": ("switch", {"branches": branches}),
        **{name: ("prompt", {"prompt": name}) for name in ("first", "second", "other")},
    }
    edges = ["s > w", "w.branch-0 > first", "w.branch-1 > second", "w.branch-2 > other"]
    assert await result(runs, nodes, edges, {"n": n}) == way


async def test_a_condition_in_plain_words_asks_for_a_model(runs: Engine) -> None:
    branches = [{"label": "a", "condition": "it looks friendly"}, {"label": "b", "condition": "x"}]
    run = await runs.runs.start(
        RunRequest(workflow({"i": ("ifElse", {"branches": branches})}, []), {})
    )
    assert await runs.advance(run) == "failed"
    (failure,) = (await runs.state(run)).failures.values()
    assert failure.code == "MODEL_NEEDED"


@pytest.mark.parametrize("reply", ["Blue", "blue ", 1, {"answer": "Blue"}, "b"])
async def test_a_question_waits_and_goes_the_way_of_the_answer(runs: Engine, reply: Json) -> None:
    options = [{"label": "Red", "id": "r"}, {"label": "Blue", "id": "b"}]
    graph = workflow(
        {
            "q": ("askUserQuestion", {"questionText": "Which?", "options": options}),
            "red": ("prompt", {"prompt": "red"}),
            "blue": ("prompt", {"prompt": "blue"}),
        },
        ["q.branch-0 > red", "q.branch-1 > blue"],
    )
    run = await runs.runs.start(RunRequest(graph, {}))
    assert await runs.advance(run) == "waiting"
    state = await runs.state(run)
    assert state.waiting["q"].question == {
        "id": question_id(f"{run}/q"),
        "kind": "choice",
        "text": "Which?",
        "schema": choice_schema(["Red", "Blue"]),
        "options": ["Red", "Blue"],
        "channel": "inbox",
    }
    await runs.answer(run, "q", reply)
    async for _ in runs.follow(run):
        pass
    assert result_of(await runs.state(run)) == "blue"


async def test_a_tool_by_its_name_in_the_catalog_is_called_with_its_inputs(runs: Engine) -> None:
    tool = ("TOOL", {"subtype": "MCP:demo/greet", "inputParams": {"name": "{{ trigger.who }}"}})
    given = await result(runs, {"s": "start", "t": tool}, ["s > t"], {"who": "Ada"})
    assert given == {"name": "Ada"}
