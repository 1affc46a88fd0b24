"""Flows of a library run over REST: their order, variables, results, failures and cached files."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from tests.library.repo import Repo, flow, template_node

from rest.conftest import house
from rest.house import House
from toolweave import json_text
from toolweave.testing.model import KEY, ScriptedModel, fails

__all__ = ["house"]

pytestmark = pytest.mark.anyio

SCOPES = ("workflows:read", "workflows:write", "workflows:run", "servers:admin")
LARGE = 10_000


def text(node: str, words: str, variables: list[str] | None = None, **more: str) -> dict[str, Any]:
    """A template node with its own text."""
    data = {"label": node, "template": words, "variables": variables or ["x"], **more}
    return {"id": node, "type": "template", "data": data}


def given(**values: str) -> dict[str, Any]:
    pairs = [{"key": key, "value": value} for key, value in values.items()]
    return {"id": "in", "type": "multi_input", "data": {"label": "In", "variables": pairs}}


END = {"id": "end", "type": "result", "data": {"label": "End"}}
TEMPLATES = {
    "templates": [
        {"title": "Pitch", "template": "Sell {product} in {city}."},
        {"title": "Plan", "template": "{pitch1_template}: {pitch1_result} For {budget}."},
    ]
}
BIG = [text(name, f"{name * LARGE}{{x}}") for name in "abcde"]
FLOWS: Mapping[str, Any] = {
    # The last comes first in the file.
    "Launch": flow(
        "Launch",
        [
            END,
            template_node("plan-2", "Plan", ["budget"]),
            template_node("pitch-1", "Pitch", ["product", "city"]),
            given(product="Loom", city="Ghent"),
        ],
        *("in > pitch-1", "pitch-1 > plan-2", "plan-2 > end"),
    ),
    "Diamond": flow(
        "Diamond",
        [text("d", "{b_result}{c_result}"), text("c", "{a_result}c"), text("b", "{a_result}b"),
         text("a", "{x}"), END],
        *("a > b", "a > c", "b > d", "c > d", "d > end"),
    ),
    "Lost": flow(
        "Lost",
        [text("one", "fine"), template_node("two", "Campain", ["x"]), END],
        *("one > two", "two > end"),
    ),
    "Hungry": flow("Hungry", [text("one", "{y} {x} {y}"), END], "one > end"),
    "Later": flow(
        "Later", [text("one", "fine"), text("two", "{z} {x}"), END], "one > two", "two > end"
    ),
    "Model": flow(
        "Model",
        [text("one", "fine"), text("two", "Why?", answeredBy="model"), END],
        *("one > two", "two > end"),
    ),
    "Circle": flow("Circle", [text("a", "x"), text("b", "y")], "a > b", "b > a"),
    "Shapeless": {"metadata": {"name": "Shapeless", "version": "1.0.0"}, "nodes": [7], "edges": []},
    "Big": flow("Big", [*BIG, END], "a > b", "b > c", "c > d", "d > e", "e > end"),
}  # fmt: skip


@dataclass(frozen=True)
class Team:
    """A library, and the requests that use it."""

    house: House
    repo: Repo
    name: str = "team"

    # Any: answers as plain JSON.
    async def ask(self, path: str = "", body: Any = None, *scopes: str, method: str = "") -> Any:
        method = method or ("GET" if body is None else "POST")
        url = f"/api/v1/library/{self.name}{path}"
        headers = await self.house.key(*(scopes or SCOPES))
        answer = await self.house.client.request(method, url, json=body, headers=headers)
        return answer.json()

    async def run(self, flow: str, *scopes: str, **inputs: Any) -> Any:
        return await self.ask(f"/flows/{flow}/run", {"inputs": inputs}, *scopes)

    async def runs_of(self, flow: str) -> list[Any]:
        url = f"/api/v1/runs?workflow={flow}"
        return (await self.house.client.get(url, headers=await self.house.key())).json()["runs"]


async def added(house: House, repo: Repo, name: str) -> Team:
    body = {"name": name, "url": str(repo.folder)}
    headers = await house.key(*SCOPES)
    answer = await house.client.post("/api/v1/library", json=body, headers=headers)
    assert answer.status_code == 201, answer.text
    return Team(house, repo, name)


@pytest.fixture(scope="module")
async def team(house: House, tmp_path_factory: pytest.TempPathFactory) -> Team:
    files = {f"flows/{name}.json": document for name, document in FLOWS.items()}
    folder = tmp_path_factory.mktemp("flows") / "repo"
    return await added(house, Repo(folder, {**files, "templates/all.json": TEMPLATES}), "team")


def outputs(told: Any) -> list[tuple[str, str]]:
    return [(one["nodeId"], one["output"]) for one in told["intermediateResults"]]


@pytest.mark.requirement(
    "003:FlowNode.multi_input.run",
    "003:FlowNode.template.run",
    "003:FlowNode.template.known",
    "003:FlowEdge.chain.result",
    "003:variables.template",
    "003:variables.priority.initial",
    "003:variables.priority.multi-input",
    "003:variables.plain-text",
    "003:ExecutionResult.inputVariables",
    "003:lifecycle.ordered-to-executing",
)
async def test_a_template_is_filled_with_earlier_results_sent_values_and_the_flows_own(
    team: Team,
) -> None:
    code = "{product} ${7*7} {{city}} __import__('os')"
    told = await team.run("Launch", city="Oslo", budget=code, pitch1_result="not this")
    pitch = "Sell Loom in Oslo."
    assert outputs(told) == [("pitch-1", pitch), ("plan-2", f"Pitch: {pitch} For {code}.")]
    first, second = told["intermediateResults"]
    assert first["inputVariables"] == {"product": "Loom", "city": "Oslo"}
    wanted = {"pitch1_template": "Pitch", "pitch1_result": pitch, "budget": code}
    assert second["inputVariables"] == wanted
    assert (told["status"], told["finalResult"]) == ("success", second["output"])


@pytest.mark.requirement(
    "003:ExecutionResult.nodeId",
    "003:ExecutionResult.templateName",
    "003:ExecutionResult.output",
    "003:ExecutionResult.executionTimeMs",
    "003:ExecutionResult.timestamp",
    "003:FlowExecution.flowId",
    "003:FlowExecution.executionId",
    "003:FlowExecution.intermediateResults",
    "003:FlowExecution.totalExecutionTimeMs",
    "003:FlowEdge.chain.run",
    "003:lifecycle.executing",
)
async def test_an_execution_has_each_result_in_the_order_of_its_edges(team: Team) -> None:
    told = await team.run("Diamond", x="")
    results = told["intermediateResults"]
    order = [one["nodeId"] for one in results]
    assert (order[0], {*order[1:3]}, order[3]) == ("a", {"b", "c"}, "d")
    assert dict(outputs(told)) == {"a": "", "b": "b", "c": "c", "d": "bc"}
    assert [one["templateName"] for one in results] == order
    times = [datetime.fromisoformat(one["timestamp"]) for one in results]
    assert times == sorted(times)
    assert all(time.tzinfo is not None for time in times)
    for took in (*(one["executionTimeMs"] for one in results), told["totalExecutionTimeMs"]):
        assert isinstance(took, int)
        assert took > 0
    assert told["flowId"] == "Diamond"
    assert re.fullmatch(r"Diamond_\d{13}", told["executionId"])
    assert (await team.run("Launch", budget="1"))["intermediateResults"][0]["templateName"] == (
        "Pitch"
    )


@pytest.mark.requirement(
    "003:variables.missing",
    "003:MISSING_VARIABLES",
    "003:FlowExecution.status.failed",
    "003:lifecycle.to-failed",
)
async def test_missing_variables_are_all_named_and_stop_their_node(team: Team) -> None:
    told = await team.run("Hungry", w="1")
    assert (told["status"], told["finalResult"], outputs(told)) == ("failed", None, [])
    assert told["error"]["code"] == "MISSING_VARIABLES"
    assert told["error"]["message"] == "Missing required variables: y, x"
    later = await team.run("Later", x="1")
    assert (later["status"], outputs(later)) == ("partial", [("one", "fine")])
    assert later["error"]["failedAt"]["nodeId"] == "two"
    assert (await team.run("Hungry", x="1", y="2"))["finalResult"] == "2 1 2"


@pytest.mark.requirement(
    "003:access.partial",
    "003:TEMPLATE_NOT_FOUND",
    "003:FlowExecution.error.code",
    "003:FlowExecution.error.message",
    "003:lifecycle.executing-to-partial",
)
async def test_an_unknown_template_is_named_with_the_results_so_far(team: Team) -> None:
    told = await team.run("Lost")
    assert (told["status"], told["finalResult"]) == ("partial", None)
    assert outputs(told) == [("one", "fine")]
    assert told["error"]["code"] == "TEMPLATE_NOT_FOUND"
    assert told["error"]["message"] == "Template not found: Campain"
    assert told["error"]["failedAt"] == {"nodeId": "two", "templateName": "Campain"}
    denied = await team.run("Launch", "workflows:run", budget="1")
    assert (denied["status"], denied["error"]["code"]) == ("failed", "TEMPLATE_DENIED")
    assert denied["error"]["failedAt"]["nodeId"] == "pitch-1"


@pytest.mark.requirement("003:EXECUTION_ERROR")
async def test_a_node_that_fails_for_another_reason_is_an_execution_error(team: Team) -> None:
    with ScriptedModel(fails(403, "no more credit")).running() as model:
        new = {"name": "m", "provider": "openai", "model": "m", "key": KEY}
        new["baseUrl"] = model.base_url("openai")
        admin = await team.house.key("admin")
        await team.house.client.post("/api/v1/models", json=new, headers=admin)
        told = await team.run("Model")
    assert (told["status"], outputs(told)) == ("partial", [("one", "fine")])
    assert (told["error"]["code"], told["error"]["cause"]) == ("EXECUTION_ERROR", "MODEL_REFUSED")
    assert told["error"]["failedAt"]["nodeId"] == "two"
    assert "no more credit" in told["error"]["message"]


@pytest.mark.requirement(
    "003:lifecycle.initialized-to-validated", "003:lifecycle.validated-to-ordered"
)
@pytest.mark.parametrize(
    ("name", "code"), [("Circle", "CIRCULAR_DEPENDENCY"), ("Shapeless", "VALIDATION_ERROR")]
)
async def test_a_flow_is_checked_and_ordered_before_a_run_of_it_begins(
    team: Team, name: str, code: str
) -> None:
    told = await team.run(name, x="1")
    assert (told["status"], told["error"]["code"], outputs(told)) == ("failed", code, [])
    assert await team.runs_of(name) == []
    await team.run("Diamond", x="1")
    assert await team.runs_of("Diamond") != []


@pytest.mark.requirement("003:performance.memory")
async def test_an_execution_is_about_as_large_as_its_outputs(team: Team) -> None:
    told = await team.run("Big", x="")
    assert [len(output) for _, output in outputs(told)] == [LARGE] * 5
    # The last one is the result as well.
    assert len(json_text.write(told)) < 6 * LARGE + 3_000


@pytest.mark.requirement("003:performance.three-nodes")
async def test_a_chain_of_five_templates_takes_far_less_than_five_seconds(team: Team) -> None:
    began = _cpu_s()
    assert (await team.run("Big", x=""))["status"] == "success"
    assert _cpu_s() - began < 5


def _cpu_s() -> float:
    """Of this process and of the git it ran: what else this machine does is not counted."""
    return sum(os.times()[:4])


def named(listed: Any) -> list[str]:
    return [one["name"] for one in listed["flows"]]


SECOND = flow("Second", [text("a", "second"), END], "a > end")


@pytest.mark.requirement(
    "003:cache.flow-list",
    "003:cache.flow",
    "003:cache.template",
    "003:cache.ttl",
    "003:cache.refresh",
    "003:cache.reuse",
)
async def test_what_was_read_is_kept_by_its_ref_until_fifteen_minutes_or_a_refresh(
    house: House, tmp_path: Path
) -> None:
    first = {"flows/Launch.json": FLOWS["Launch"], "templates/all.json": TEMPLATES}
    repo = Repo(tmp_path / "repo", first)
    repo.git("tag", "v1")
    newer = {"templates": [{"title": "Pitch", "template": "Give {product} away in {city}."}]}
    repo.commit({"flows/Second.json": SECOND, "templates/all.json": newer})
    team = await added(house, repo, "kept")
    assert named(await team.ask("?ref=v1")) == ["Launch"]
    assert named(await team.ask()) == ["Launch", "Second"]
    team.repo.commit({"flows/Third.json": {**SECOND, "metadata": {"name": "Third"}}})
    house.clock.seconds += 14 * 60
    assert named(await team.ask()) == ["Launch", "Second"]
    house.clock.seconds += 2 * 60
    assert named(await team.ask()) == ["Launch", "Second", "Third"]
    team.repo.commit({"flows/Fourth.json": {**SECOND, "metadata": {"name": "Fourth"}}})
    assert len(named(await team.ask())) == 3
    await team.ask("/refresh", method="POST")
    assert len(named(await team.ask())) == 4
    assert named(await team.ask("?ref=v1")) == ["Launch"]
    # The remote is gone: everything below comes from what was kept.
    team.repo.folder.rename(tmp_path / "gone")
    values = {"values": {"product": "Loom", "city": "Ghent"}}
    for ref, words in (("v1", "Sell Loom in Ghent."), ("main", "Give Loom away in Ghent.")):
        filled = await team.ask("/templates/Pitch/fill", {**values, "ref": ref})
        assert filled["text"] == words
        assert (await team.ask(f"/flows/Launch?ref={ref}"))["flow"] == FLOWS["Launch"]
    assert (await team.run("Second", x="1"))["finalResult"] == "second"


@pytest.mark.requirement(
    "003:performance.list-cached",
    "003:performance.list-cold",
    "003:performance.list-metadata",
)
async def test_a_list_of_many_flows_has_no_contents_and_takes_little_time(
    house: House, tmp_path: Path
) -> None:
    files = {f"flows/F{at}.json": {**FLOWS["Launch"], "metadata": {"name": f"F{at}",
             "version": "1.0.0", "description": "d"}} for at in range(100)}  # fmt: skip
    team = await added(house, Repo(tmp_path / "many", files), "many")
    began = _cpu_s()
    listed = await team.ask()
    assert _cpu_s() - began < 2
    began = _cpu_s()
    assert await team.ask() == listed
    assert _cpu_s() - began < 0.3
    assert len(listed["flows"]) == 100
    entry = listed["flows"][0]
    assert (entry["version"], entry["description"], entry["nodeCount"]) == ("1.0.0", "d", 4)
    assert not {"nodes", "edges", "flow"} & entry.keys()
