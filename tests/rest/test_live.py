"""Workflows over REST with a real server behind them: asked, called, and ended with the service."""

import sys
from collections.abc import AsyncGenerator

import pytest

from demo.doors import RUN_STDIO
from rest.drawn import asking_mcp
from rest.house import House, house_in
from servers.rooms import pinned
from toolweave.app.studio import open_studio
from toolweave.servers.definition import CommandServer

pytestmark = pytest.mark.anyio

EDIT, RUNS = "/api/v1/edit", "/api/v1/runs"


@pytest.fixture(scope="module")
async def live(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[House]:
    home = tmp_path_factory.mktemp("live") / "home"
    async with house_in(home, rate_per_s=1e6, burst=10**6) as house:
        async with open_studio(house.home) as studio:
            await pinned(
                studio, "demo", CommandServer(command=sys.executable, args=("-c", RUN_STDIO))
            )
        yield house


@pytest.mark.requirement("001:McpNodeData.validationStatus")
@pytest.mark.parametrize(("tool", "status"), [("greet", "valid"), ("gret", "invalid")])
async def test_a_server_that_is_asked_says_how_a_node_stands(
    live: House, tool: str, status: str
) -> None:
    body = {"document": asking_mcp("demo", tool), "live": True}
    answer = await live.client.post(f"{EDIT}/validate", json=body, headers=await live.key())
    assert answer.json()["statuses"] == {"call": status}
    assert answer.json()["unreachable"] == {}


async def test_the_tools_of_a_live_server_are_offered_to_a_mode(live: House) -> None:
    body = {
        "document": asking_mcp("demo", "greet"),
        "node": "call",
        "mode": "fullNaturalLanguage",
        "live": True,
    }
    answer = await live.client.post(f"{EDIT}/mode", json=body, headers=await live.key())
    data = answer.json()["document"]["nodes"][1]["data"]
    tools = [tool["name"] for tool in data["fullNaturalLanguageConfig"]["availableTools"]]
    assert {"greet", "echo"} <= set(tools)


async def test_a_run_calls_the_tool_through_the_gate(live: House) -> None:
    document = asking_mcp("demo", "greet")
    document["nodes"][1]["data"]["parameterValues"] = {"name": "{{ trigger.who }}"}
    key = await live.key()
    body = {"document": document, "inputs": {"who": "Ada"}}
    run = (await live.client.post(RUNS, json=body, headers=key)).json()["id"]
    events = await live.client.get(f"{RUNS}/{run}/events", headers=key)
    assert events.text.rstrip().split("\n\n")[-1].startswith("id: ")
    shown = (await live.client.get(f"{RUNS}/{run}", headers=key)).json()
    assert shown["status"] == "success"
    [step] = [step for step in shown["steps"] if step["key"] == "call"]
    assert "Ada" in str(step["value"])


async def test_a_parameter_that_the_tool_needs_is_missed_before_the_run(live: House) -> None:
    body = {"document": asking_mcp("demo", "greet")}
    answer = await live.client.post(RUNS, json=body, headers=await live.key())
    assert answer.status_code == 422
    problems = answer.json()["error"]["problems"]
    assert any(problem["pointer"].startswith("/nodes/1/data") for problem in problems)
