"""Flows of a library run on the engine, reported in the exact shape of a `FlowExecution`."""

import re
from collections.abc import AsyncGenerator, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from tests.library.repo import GIVEN, MARKETING, Repo, flow

from toolweave.app.open_engine import open_engine
from toolweave.app.studio import open_studio
from toolweave.assistant.home_models import home_models
from toolweave.assistant.models import NewModel
from toolweave.home import Home
from toolweave.json_text import Json
from toolweave.library.flow_runner import FlowRequest, FlowRunner
from toolweave.library.home_libraries import flow_runner
from toolweave.library.store import LibraryStore
from toolweave.testing.model import KEY, ScriptedModel, says

pytestmark = pytest.mark.anyio

POSITION = "Position TechCorp in AI."


@pytest.fixture
async def runner(home: Home, team: LibraryStore) -> AsyncGenerator[FlowRunner]:
    async with open_studio(home) as studio, open_engine(studio) as engine:
        yield flow_runner(home, engine, team)


async def ran(
    runner: FlowRunner,
    name: str = "Marketing_Strategy",
    *,
    inputs: Mapping[str, Json] = GIVEN,
    may_read: bool = True,
) -> Any:
    # Any: looked at key by key.
    return await runner.execute(FlowRequest("team", name, inputs=inputs, may_read=may_read))


async def test_a_flow_that_works_is_told_as_the_seed_says(runner: FlowRunner) -> None:
    told = await ran(runner)
    assert re.fullmatch(r"Marketing_Strategy_\d{13}", told.pop("executionId"))
    for one in told["intermediateResults"]:
        assert one.pop("executionTimeMs") >= 1
        assert one.pop("outputOf") == "template"
        assert one.pop("timestamp").endswith("Z")
    assert told.pop("totalExecutionTimeMs") >= 1
    for ours in ("runId", "library", "ref", "commit", "checkedAt"):
        told.pop(ours)
    second = {"node2_result": POSITION, "budget": "100K", "node2_template": "Brand_Positioning"}
    final = f"{POSITION} Spend 100K, after Brand_Positioning."
    assert told == {
        "flowId": "Marketing_Strategy",
        "flowName": "Marketing_Strategy",
        "initialVariables": GIVEN,
        "intermediateResults": [
            {
                "nodeId": "node-2",
                "templateName": "Brand_Positioning",
                "inputVariables": {"company_name": "TechCorp", "market": "AI"},
                "output": POSITION,
            },
            {
                "nodeId": "node-3",
                "templateName": "Campaign",
                "inputVariables": second,
                "output": final,
            },
        ],
        "status": "success",
        "finalResult": final,
    }


async def test_every_form_of_template_runs(
    runner: FlowRunner, team: LibraryStore, repo: Repo
) -> None:
    older = {
        "metadata": {"name": "Older"},
        "variables": [{"name": "who", "default": "you"}],
        "results": [{"section": "Say", "content": "Hi {{who}}", "format": "text"}],
    }
    plain = {"title": "Plain", "template": "After {a_result}: {a_template}"}
    third = {
        "metadata": {"name": "Third", "version": "1.0.0"},
        "nodes": [
            {"id": "in", "type": "input", "label": "In", "config": {"variables": ["market"]}},
            {"id": "a", "type": "template", "label": "A", "config": {"templateId": "Older"}},
            {"id": "b", "type": "template", "label": "B", "config": {"templateId": "plain"}},
            {"id": "c", "type": "template", "label": "C", "config": {"template": "= {b_result}"}},
            {"id": "out", "type": "result", "label": "Out"},
        ],
        "edges": [
            {"source": source, "target": target}
            for source, target in (("in", "a"), ("a", "b"), ("b", "c"), ("c", "out"))
        ],
    }
    repo.commit(
        {"templates/older.json": older, "templates/plain.json": plain, "flows/Third.json": third}
    )
    await team.refresh("team")
    told = await ran(runner, "Third")
    assert told["status"] == "success", told
    assert told["finalResult"] == "= After Hi you: Older"


async def test_a_link_to_another_flow_runs_that_flow_in_its_place(
    runner: FlowRunner, team: LibraryStore, repo: Repo
) -> None:
    link = {"id": "sub", "type": "flow-link", "label": "Sub", "config": {"flow": "Inner"}}
    text = {"template": "[{node2_result}]"}
    inner = [
        {"id": "node-2", "type": "template", "label": "x", "config": {"template": "in {market}"}},
        {"id": "last", "type": "template", "label": "y", "config": text},
    ]
    first = {"id": "node-2", "type": "template", "label": "z", "config": {"template": "outer"}}
    after = {"id": "end", "type": "template", "label": "e", "config": {"template": "{sub_result}!"}}
    repo.commit(
        {
            "flows/Inner.json": flow("Inner", inner, "node-2 > last"),
            "flows/Outer.json": flow("Outer", [first, link, after], "node-2 > sub", "sub > end"),
            "flows/Self.json": flow("Self", [{**link, "config": {"flow": "Self"}}]),
        }
    )
    await team.refresh("team")
    told = await ran(runner, "Outer")
    assert (told["status"], told["finalResult"]) == ("success", "[in AI]!"), told
    circle = await ran(runner, "Self")
    assert circle["error"]["code"] == "CIRCULAR_DEPENDENCY"


async def test_a_run_keeps_the_texts_it_began_with_and_asks_no_remote(
    runner: FlowRunner, team: LibraryStore
) -> None:
    await ran(runner)
    asked = team.asked
    assert (await ran(runner))["status"] == "success"
    assert team.asked == asked


async def test_a_template_asks_a_model_only_if_the_flow_says_so(
    home: Home, team: LibraryStore, repo: Repo
) -> None:
    asking = deepcopy(MARKETING)
    for node in asking["nodes"]:
        if node["type"] == "template":
            node["data"]["answeredBy"] = "model"
    repo.commit({"flows/Asking.json": asking | {"metadata": {"name": "Asking", "version": "1"}}})
    await team.refresh("team")
    with ScriptedModel().running() as model:
        model.on("Position TechCorp", says("Be first."))
        model.on("Be first.", says("Buy posters."))
        new = NewModel("scripted", "anthropic", "some-model", model.base_url("anthropic"), KEY)
        await home_models(home).add(new)
        allowed = replace(home, settings=replace(home.settings, allow_private_http=True))
        async with open_studio(allowed) as studio, open_engine(studio) as engine:
            flows = flow_runner(allowed, engine, team)
            plain: Any = await flows.execute(
                FlowRequest("team", "Marketing_Strategy", inputs=GIVEN)
            )
            assert model.heard == []
            told: Any = await flows.execute(FlowRequest("team", "Asking", inputs=GIVEN))
    assert [one["outputOf"] for one in plain["intermediateResults"]] == ["template", "template"]
    assert (told["status"], told["finalResult"]) == ("success", "Buy posters."), told
    assert [one["outputOf"] for one in told["intermediateResults"]] == ["model", "model"]
    assert told["intermediateResults"][1]["inputVariables"]["node2_result"] == "Be first."
    assert len(model.heard) == 2
