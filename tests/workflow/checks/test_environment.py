"""What nodes name that a home must have: told before anything runs."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.workflow.checks.building import node, whole

from toolweave.json_text import Json
from toolweave.nodes.spec_cache import built_in_catalog
from toolweave.problems import Problem
from toolweave.tools.read_tool import read_tool
from toolweave.workflow.checks import text_values
from toolweave.workflow.checks.context import CheckContext, KnownEnvironment, KnownHome
from toolweave.workflow.checks.environment import check

TOOLS = [read_tool("team", {"name": "slack_send_message", "inputSchema": {"type": "object"}})]
HOME = KnownHome(
    frozenset({"house", "compatible"}),
    {"count": True, "wipe": False},
    {"team": "https://mcp.example.com/slack/", "search": None},
)
KNOWN = KnownEnvironment(
    built_in_catalog(),
    datetime(2026, 1, 1, tzinfo=UTC),
    pinned={"team": TOOLS, "search": []}.get,
    home=HOME,
)


def problems(ref: str, known: KnownEnvironment = KNOWN, /, **settings: Json) -> list[Problem]:
    inputs = settings.pop("inputs", {})
    one = node("n", ref, configurations=settings, inputParams=inputs)
    return list(check(CheckContext(whole([one], []), known)))


@pytest.mark.parametrize(
    "ref",
    [
        *("AI_AGENT.OPENAI_CHATGPT", "AI_AGENT.ANTHROPIC_CLAUDE", "AI_AGENT.GOOGLE_GEMINI"),
        *("AI_AGENT.OPENAI_COMPATIBLE", "AI_AGENT.EXTRACT", "AI_AGENT.CLASSIFY"),
    ],
)
def test_a_missing_model_is_told_with_the_three_ways_to_add_one(ref: str) -> None:
    nobody = replace(KNOWN, home=replace(HOME, models=frozenset[str]()))
    (found,) = problems(ref, nobody)
    assert (found.code, found.severity) == ("MODEL_NEEDED", "warning")
    for way in ("models add", "--base-url", "ANTHROPIC_API_KEY"):
        assert way in (found.hint or "")


@pytest.mark.parametrize(
    ("ref", "settings"),
    [
        ("AI_AGENT.OPENAI_COMPATIBLE", {}),
        ("AI_AGENT.EXTRACT", {}),
        ("AI_AGENT.CLASSIFY", {"configured_model": "house"}),
        ("AI_AGENT.CLASSIFY", {"configured_model": "{{ data.model }}"}),
        ("ACTION.RUN_COMMAND", {"command": "count"}),
        ("ACTION.RUN_COMMAND", {"command": "{{ data.which }}"}),
        ("ACTION.RUN_COMMAND", {}),
        ("ACTION.WEB_SEARCH", {"server": "search"}),
        ("TOOL.SLACK_MCP_TOOL", {"mcp_server_url": "https://mcp.example.com/slack"}),
        ("FLOW.SORT", {}),
    ],
)
def test_what_the_home_has_is_fine(ref: str, settings: dict[str, Json]) -> None:
    assert problems(ref, **settings) == []


@pytest.mark.parametrize(
    ("ref", "settings", "code", "place", "words"),
    [
        (
            "AI_AGENT.EXTRACT",
            {"configured_model": "hause"},
            "MODEL_NEEDED",
            "configurations/configured_model",
            "house",
        ),
        (
            "ACTION.RUN_COMMAND",
            {"command": "coutn"},
            "COMMAND_NOT_FOUND",
            "configurations/command",
            "count",
        ),
        (
            "ACTION.RUN_COMMAND",
            {"command": "other"},
            "COMMAND_NOT_FOUND",
            "configurations/command",
            "commands add",
        ),
        (
            "ACTION.RUN_COMMAND",
            {"command": "wipe"},
            "COMMAND_NOT_APPROVED",
            "configurations/command",
            "commands approve wipe",
        ),
        (
            "TOOL.SLACK_MCP_TOOL",
            {"mcp_server_url": "https://evil.example"},
            "MCP_SERVER_NOT_FOUND",
            "configurations/mcp_server_url",
            "servers list",
        ),
        (
            "ACTION.WEB_SEARCH",
            {"server": "serch"},
            "MCP_SERVER_NOT_FOUND",
            "configurations/server",
            "search",
        ),
        (
            "TOOL.SLACK_MCP_TOOL",
            {"mcp_server_url": "team", "available_tools": ["slack_send_mesage"]},
            "MCP_TOOL_NOT_FOUND",
            "configurations/available_tools/0",
            "slack_send_message",
        ),
        (
            "TOOL.SLACK_MCP_TOOL",
            {"mcp_server_url": "team", "inputs": {"tool_name": "fly"}},
            "MCP_TOOL_NOT_FOUND",
            "inputParams/tool_name",
            "available tools",
        ),
    ],
)
def test_what_is_missing_is_told_where_it_stands(
    ref: str, settings: dict[str, Json], code: str, place: str, words: str
) -> None:
    (found,) = problems(ref, **settings)
    assert (found.code, found.pointer) == (code, f"/nodes/0/data/{place}")
    assert words in (found.hint or "")


def test_a_private_address_is_reported_unless_this_home_allows_it() -> None:
    request = node("n", "ACTION.HTTP_REQUEST", configurations={"url": "http://127.0.0.1:8080/x"})

    def found(home: KnownHome) -> list[str]:
        case = CheckContext(whole([request], []), replace(KNOWN, home=home))
        return [problem.hint or "" for problem in text_values.check(case)]

    [hint] = found(HOME)
    assert "TOOLWEAVE_ALLOW_PRIVATE_HTTP" in hint
    assert found(replace(HOME, allows_private=True)) == []


def test_without_a_home_nothing_is_said() -> None:
    assert problems("AI_AGENT.EXTRACT", replace(KNOWN, home=None)) == []
