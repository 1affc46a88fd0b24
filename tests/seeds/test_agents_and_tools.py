"""Agents, their tools and memories, and tool nodes, in runs over REST with scripted services."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.nodes.tool.test_tool_nodes import CASES, named, server_of
from tests.seeds.running import START, Service, document, node, service_in, step

from toolweave.servers.definition import definition_hash
from toolweave.testing.model import KEY, ScriptedModel, calls, says
from toolweave.testing.server import ScriptedServer, a_tool
from toolweave.tools.read_tool import read_tool

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Service]:
    async with service_in(tmp_path_factory.mktemp("agents") / "home") as opened:
        yield opened


async def registered(service: Service, name: str, folder: Path, tool: Any) -> None:
    """A server process with one tool, approved and pinned."""
    scripted, home = ScriptedServer(folder, tool), service.house.home
    await home.registry.add(name, scripted.definition)
    await home.registry.approve(name, definition_hash(scripted.definition))
    home.lockfile.pin(name, [read_tool(name, tool)])


AGENTS = [
    pytest.param(
        "AI_AGENT.OPENAI_CHATGPT",
        "openai",
        marks=pytest.mark.requirement("004:run.AI_AGENT.OPENAI_CHATGPT"),
    ),
    pytest.param(
        "AI_AGENT.ANTHROPIC_CLAUDE",
        "anthropic",
        marks=pytest.mark.requirement("004:run.AI_AGENT.ANTHROPIC_CLAUDE"),
    ),
    pytest.param(
        "AI_AGENT.GOOGLE_GEMINI",
        "gemini",
        marks=pytest.mark.requirement("004:run.AI_AGENT.GOOGLE_GEMINI"),
    ),
]


@pytest.mark.parametrize(("ref", "provider"), AGENTS)
async def test_an_agent_answers_through_its_provider(
    service: Service, ref: str, provider: str
) -> None:
    with ScriptedModel(says("Steep it for three minutes.")).running() as model:
        await model_of(service, model, provider)
        given = await service.alone(ref, {"system_prompt": "Be brief."}, {"user_prompt": "How?"})
        [heard] = model.heard
    assert given["content"] == given["output"] == "Steep it for three minutes."
    assert given["token_usage"]["total_tokens"] > 0
    assert "Be brief." in str(heard.body)
    assert "How?" in str(heard.body)
    await service.send("DELETE", f"models/{provider}")


async def model_of(service: Service, model: ScriptedModel, provider: str) -> None:
    new = {"name": provider, "provider": provider, "model": "some-model", "key": KEY}
    await service.json("POST", "models", {**new, "baseUrl": model.base_url(provider)})


@pytest.mark.requirement("004:attached-nodes.run")
async def test_an_agent_uses_the_tools_and_memories_attached_to_it(
    service: Service, tmp_path: Path
) -> None:
    await registered(service, "kettle", tmp_path / "kettle", a_tool("echo"))
    agent = node("n", "AI_AGENT.OPENAI_CHATGPT", {}, {"user_prompt": "{{ trigger.ask }}"})
    agent["data"]["attachedNodes"] = ["tool", "memory"]
    tool = node("tool", "TOOL.MCP:kettle/echo")
    memory = node("memory", "MEMORY.CONVERSATION_BUFFER")
    made = document("attached", START, agent, tool, memory, edges=("start > n",))
    with ScriptedModel().running() as model:
        model.answers(calls("echo", {"text": "boil"}), says("It boils."), says("As I said."))
        await model_of(service, model, "openai")
        first = await service.ran(made, {"ask": "Boil water"})
        second = await service.ran(made, {"ask": "And now?"})
        last = str(model.heard[-1].body)
    [call] = step(first)["value"]["function_calls"]
    assert (call["name"], call["arguments"], call["is_error"]) == ("echo", {"text": "boil"}, False)
    assert "boil" in call["result"]
    assert step(second)["value"]["content"] == "As I said."
    assert "Boil water" in last
    assert "It boils." in last
    await service.send("DELETE", "models/openai")


@pytest.mark.requirement(
    "004:run.TOOL.NOTION_MCP_TOOL",
    "004:run.TOOL.GOOGLE_CALENDAR_MCP_TOOL",
    "004:run.TOOL.SLACK_MCP_TOOL",
    "004:run.TOOL.FIRECRAWL_MCP_TOOL",
    "004:run.TOOL.DISCORD_MCP_TOOL",
)
@pytest.mark.parametrize("ref", CASES)
async def test_a_tool_node_calls_the_tool_of_its_server(
    service: Service, tmp_path: Path, ref: str
) -> None:
    tool, config, arguments, sent, _ = CASES[ref]
    server = server_of(ref)
    await registered(service, server, tmp_path / "server", tool)
    inputs = {"tool_name": tool["name"], "function_args": arguments}
    given = await service.alone(ref, named(ref, config), inputs)
    assert (given["success"], given["error_message"]) == (True, "")
    assert given["result"].get("json", given["result"]) == sent
    called = (await service.json("GET", f"calls?server={server}"))["calls"]
    assert tool["name"] in [one["tool"] for one in called]
    await service.send("DELETE", f"servers/{server}")
