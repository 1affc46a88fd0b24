"""TOOL nodes against a real server process: as a step, and as an agent's tools."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.nodes.ai.rooms import an_agency, node, run_alone

from toolweave.json_text import JsonObject
from toolweave.testing.model import ScriptedModel, calls, says
from toolweave.testing.server import ScriptedServer, a_tool, answers
from toolweave.testing.server import says as tells

pytestmark = pytest.mark.anyio

URL: JsonObject = {"mcp_server_url": "the server"}


def takes(*names: str) -> JsonObject:
    return {"type": "object", "properties": {name: {} for name in names}}


# By node: its server's tool, its configuration, the call, what is sent, and what comes out.
CASES: dict[str, Any] = {
    "TOOL.SLACK_MCP_TOOL": (
        a_tool("slack_send_message", inputSchema=takes("channel", "text", "limit")),
        {"access_token": "${vault:t}", "default_channel": "#ops", "message_limit": 5},
        {"text": "hi", "limit": 50},
        {"text": "hi", "channel": "#ops", "limit": 5},
        {"channel_id": "#ops", "message_ts": "17.1", "user_id": None},
    ),
    "TOOL.NOTION_MCP_TOOL": (
        a_tool("notion_database", inputSchema=takes("database_id", "page_size")),
        {"default_database_id": "d1", "page_size_limit": 7},
        {},
        {"database_id": "d1", "page_size": 7},
        {"notion_object_id": "d1", "notion_object_type": None},
    ),
    "TOOL.GOOGLE_CALENDAR_MCP_TOOL": (
        a_tool("google_calendar_events", inputSchema=takes("calendar_id", "timezone")),
        {"access_token": "${vault:t}", "timezone": "Europe/Berlin"},
        {"calendar_id": "work"},
        {"calendar_id": "work", "timezone": "Europe/Berlin"},
        {"calendar_id": "work", "event_id": None},
    ),
    "TOOL.FIRECRAWL_MCP_TOOL": (
        a_tool("firecrawl_scrape", inputSchema=takes("url", "formats", "onlyMainContent")),
        {"firecrawl_api_key": "${vault:t}", "default_formats": ["markdown"]},
        {"url": "https://example.com"},
        {"url": "https://example.com", "formats": ["markdown"], "onlyMainContent": True},
        {"scraped_url": "https://example.com", "content_type": None, "pages_processed": None},
    ),
    "TOOL.DISCORD_MCP_TOOL": (
        a_tool("discord_send_message", inputSchema=takes("channel_id", "content")),
        {"discord_bot_token": "${vault:t}", "default_channel_id": "c9"},
        {"content": "hi"},
        {"content": "hi", "channel_id": "c9"},
        {"server_id": None, "channel_id": "c9", "message_id": None},
    ),
}


@pytest.fixture
def model() -> Generator[ScriptedModel]:
    with ScriptedModel().running() as running:
        yield running


def named(ref: str, config: JsonObject) -> JsonObject:
    return config if ref == "TOOL.NOTION_MCP_TOOL" else {**URL, **config}


def server_of(ref: str) -> str:
    return "my notion" if ref == "TOOL.NOTION_MCP_TOOL" else "the server"


@pytest.mark.parametrize("ref", CASES)
async def test_a_tool_node_calls_its_server_with_its_defaults(
    tmp_path: Path, model: ScriptedModel, ref: str
) -> None:
    tool, config, arguments, sent, ids = CASES[ref]
    inputs: JsonObject = {
        "tool_name": tool["name"],
        "function_args": arguments,
        "context": {"why": "test"},
        "call_id": "one",
    }
    async with an_agency(tmp_path, model, servers={server_of(ref): [tool]}) as (_, engine):
        if ref == "TOOL.SLACK_MCP_TOOL":
            scripted = ScriptedServer(tmp_path / "the server", tool)
            structured: JsonObject = {"content": [], "structuredContent": {**sent, "ts": "17.1"}}
            scripted.on_call(tool["name"], [answers(structured)])
        what = node(ref, named(ref, config), inputs)
        status, found = await run_alone(engine, what)
    assert status == "success", found
    value: Any = found["finalResult"]
    assert (value["success"], value["error_message"], value["cached"]) == (True, "", False)
    assert value["execution_time"] >= 0
    result = value["result"]
    assert {name: one for name, one in result.get("json", result).items() if name != "ts"} == sent
    assert {name: value[name] for name in ids} == ids


async def test_what_a_tool_says_about_failing_is_an_output(
    tmp_path: Path, model: ScriptedModel
) -> None:
    tool = a_tool("slack_send_message")
    config: JsonObject = {**URL, "access_token": "${vault:t}"}
    async with an_agency(tmp_path, model, servers={"the server": [tool]}) as (_, engine):
        scripted = ScriptedServer(tmp_path / "the server", tool)
        scripted.on_call("slack_send_message", [tells("no such channel", isError=True)])
        what = node("TOOL.SLACK_MCP_TOOL", config, {"tool_name": "slack_send_message"})
        status, found = await run_alone(engine, what)
    value: Any = found["finalResult"]
    assert (status, value["success"]) == ("success", False)
    assert value["error_message"] == "no such channel"


@pytest.mark.parametrize(
    ("change", "tool", "code", "words"),
    [
        ({}, "slack_list_chanels", "NODE_INPUT_INVALID", "slack_list_channels"),
        ({}, "slack_upload_file", "NODE_INPUT_INVALID", "as this node is configured"),
        ({"mcp_server_url": "https://evil.example"}, "x", "MCP_SERVER_NOT_FOUND", "evil.example"),
    ],
)
async def test_only_tools_of_a_registered_server_that_are_allowed_are_called(
    tmp_path: Path, model: ScriptedModel, change: JsonObject, tool: str, code: str, words: str
) -> None:
    tools = [a_tool("slack_list_channels"), a_tool("slack_upload_file")]
    config: JsonObject = {**URL, "access_token": "${vault:t}", **change}
    async with an_agency(tmp_path, model, servers={"the server": tools}) as (_, engine):
        what = node("TOOL.SLACK_MCP_TOOL", config, {"tool_name": tool})
        status, found = await run_alone(engine, what)
    error: Any = found["error"]
    assert (status, error["code"]) == ("failed", code)
    assert words in error["message"] + error["hint"]


async def test_an_agent_has_no_tools_of_a_node_that_is_disabled(
    tmp_path: Path, model: ScriptedModel
) -> None:
    model.answers(says("Done."))
    tool = a_tool("discord_send_message")
    config: JsonObject = {**URL, "discord_bot_token": "${vault:t}", "enabled": False}
    agent = node("AI_AGENT.ANTHROPIC_CLAUDE", {}, {"user_prompt": "Say hi."}, "t")
    async with an_agency(tmp_path, model, servers={"the server": [tool]}) as (_, engine):
        others = {"t": node("TOOL.DISCORD_MCP_TOOL", config, {})}
        status, _ = await run_alone(engine, agent, others)
    assert status == "success"
    assert "tools" not in model.heard[0].body


async def test_an_agent_has_the_tools_its_node_allows_with_their_defaults(
    tmp_path: Path, model: ScriptedModel
) -> None:
    model.answers(calls("discord_send_message", {"content": "hi"}), says("Sent."))
    tools = [
        a_tool("discord_send_message", inputSchema=takes("channel_id", "content")),
        a_tool("discord_add_role"),
        a_tool("discord_read_messages"),
    ]
    config: JsonObject = {
        **URL,
        "discord_bot_token": "${vault:t}",
        "default_channel_id": "c9",
        "available_tools": ["discord_send_message", "discord_add_role"],
    }
    agent = node("AI_AGENT.ANTHROPIC_CLAUDE", {}, {"user_prompt": "Say hi."}, "t")
    async with an_agency(tmp_path, model, servers={"the server": tools}) as (_, engine):
        others = {"t": node("TOOL.DISCORD_MCP_TOOL", config, {})}
        status, found = await run_alone(engine, agent, others)
    assert status == "success", found
    value: Any = found["finalResult"]
    assert [tool["name"] for tool in model.heard[0].body["tools"]] == ["discord_send_message"]
    assert '"channel_id":"c9"' in value["function_calls"][0]["result"].replace(" ", "")
