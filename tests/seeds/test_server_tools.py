"""Servers and their tools, found, listed and checked on the command line and over REST."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import tw
from tests.cli.driving import Commands
from tests.seeds.asking import ask

from rest.conftest import house
from rest.house import House
from toolweave.cli.servers import discover
from toolweave.servers.definition import definition_hash
from toolweave.servers.discovery.locations import ClientLocations
from toolweave.servers.import_servers import client_locations
from toolweave.testing.server import ScriptedServer

__all__ = ["house", "tw"]

pytestmark = pytest.mark.anyio

TRIP: dict[str, Any] = {
    "name": "plan.Trip_1",
    "description": "Plans a trip.\nUse it for holidays.",
    "inputSchema": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "definitions": {"place": {"type": "string", "minLength": 2, "maxLength": 9}},
        "properties": {
            "to": {"$ref": "#/definitions/place", "description": "Where it goes"},
            "code": {"type": "string", "pattern": "^[A-Z]{3}$"},
            "nights": {"type": "integer", "minimum": 1, "maximum": 30, "default": 3},
            "budget": {"type": "number"},
            "pets": {"type": "boolean"},
            "class": {"type": "string", "enum": ["economy", "first"]},
            "stops": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "days": {"type": "array", "items": {"type": "integer"}},
                    },
                    "required": ["name"],
                },
            },
            "hotel": {
                "type": "object",
                "properties": {"stars": {"type": "integer", "enum": [3, 4, 5]}},
            },
        },
        "required": ["to"],
    },
}


def with_properties(name: str, properties: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}}


TOOLS: list[Any] = [
    TRIP,
    {"name": "broken", "inputSchema": {"type": "object", "properties": {"x": {"type": "blob"}}}},
    with_properties("fifty", {f"p{number}": {"type": "string"} for number in range(50)}),
    with_properties("wide", {f"p{number}": {"type": "string"} for number in range(51)}),
    with_properties("hundred", {"pick": {"enum": list(range(100))}}),
    with_properties("deep", {"at": {"type": "array", "items": {"enum": list(range(101))}}}),
]


@pytest.fixture
def trips(tw: Commands, tmp_path: Path) -> ScriptedServer:
    server = ScriptedServer(tmp_path / "trips", *TOOLS)
    tw.add("trips", server)
    return server


@pytest.mark.requirement(
    "001:FR-003",
    "001:McpServerReference.name",
    "001:McpServerReference.tools",
    "001:McpToolReference.serverId",
    "001:McpToolReference.toolName",
    "001:McpToolReference.description",
    "001:McpToolReference.inputSchema",
    "001:McpToolReference.normalizedParameters",
    "001:ToolParameter.name",
    "001:ToolParameter.type",
    "001:ToolParameter.description",
    "001:ToolParameter.required",
    "001:ToolParameter.default",
    "001:ToolParameter.validation",
    "001:ToolParameter.items",
    "001:ToolParameter.properties",
)
def test_a_server_lists_its_tools_with_their_parameters(
    tw: Commands, trips: ScriptedServer
) -> None:
    [server] = tw.ok("servers", "list", "--json").json
    assert (server["name"], server["toolCount"]) == ("trips", len(TOOLS))
    [tool] = tw.ok("servers", "tools", "trips", "--tool", "plan.Trip_1", "--json").json
    assert (tool["serverId"], tool["name"]) == ("trips", "plan.Trip_1")
    assert (tool["description"], tool["inputSchema"]) == (
        TRIP["description"],
        TRIP["inputSchema"],
    )
    found = {one["name"]: one for one in tool["parameters"]}
    assert {name: one["type"] for name, one in found.items()} == {
        "to": "string",
        "code": "string",
        "nights": "integer",
        "budget": "number",
        "pets": "boolean",
        "class": "string",
        "stops": "array",
        "hotel": "object",
    }
    assert (found["to"]["description"], found["nights"]["default"]) == ("Where it goes", 3)
    assert [name for name, one in found.items() if one["required"]] == ["to"]
    assert {name: one["validation"] for name, one in found.items() if "validation" in one} == {
        "to": {"minLength": 2, "maxLength": 9},
        "code": {"pattern": "^[A-Z]{3}$"},
        "nights": {"minimum": 1, "maximum": 30},
        "class": {"enum": ["economy", "first"]},
    }
    stop = found["stops"]["items"]
    assert (stop["type"], list(stop["properties"])) == ("object", ["name", "days"])
    assert stop["properties"]["days"]["items"]["type"] == "integer"
    assert found["hotel"]["properties"]["stars"]["validation"] == {"enum": [3, 4, 5]}
    assert len(trips.heard("tools/call")) == 0


@pytest.mark.requirement(
    "001:MCP_TOOL_SCHEMA_INVALID",
    "001:VALIDATION_RULES.MCP_PARAMETER.ENUM_MAX_VALUES",
    "001:VALIDATION_RULES.MCP_TOOL.MAX_PARAMETERS",
    "001:VALIDATION_RULES.MCP_TOOL.MAX_ENUM_VALUES",
)
@pytest.mark.usefixtures("trips")
def test_a_tool_that_cannot_be_read_or_is_too_large_is_named(tw: Commands) -> None:
    listed = {one["name"]: one for one in tw.ok("servers", "tools", "trips", "--json").json}
    assert {
        name: [(one["code"], one["severity"], one["pointer"]) for one in tool["problems"]]
        for name, tool in listed.items()
        if tool["problems"]
    } == {
        "broken": [("MCP_TOOL_SCHEMA_INVALID", "error", "/inputSchema/properties/x/type")],
        "wide": [("MCP_TOOL_LIMIT_EXCEEDED", "warning", "/inputSchema/properties")],
        "deep": [("MCP_TOOL_LIMIT_EXCEEDED", "warning", "/inputSchema/properties/at/items/enum")],
    }
    assert len(listed["wide"]["parameters"]) == 51
    shown = tw.ok("servers", "tools", "trips").out
    assert ("[MCP_TOOL_SCHEMA_INVALID]" in shown, "51 parameters" in shown) == (True, True)


@pytest.mark.requirement(
    "001:MCP_TOOL_NOT_FOUND",
    "001:FR-008",
    "001:ToolParameterValues.all-at-once",
    "001:ToolParameterValues.clear-messages",
    "002:ToolInvocationRequest.toolName",
    "002:ToolInvocationRequest.parameters",
)
def test_a_call_is_checked_before_it_is_sent(tw: Commands, trips: ScriptedServer) -> None:
    unknown = tw("call", "trips", "plan.trip_1", "--json").json["error"]
    assert (unknown["code"], unknown["hint"]) == (
        "MCP_TOOL_NOT_FOUND",
        "did you mean 'plan.Trip_1'?",
    )
    values = {"nights": 31, "class": "second", "stops": [{"days": ["one"]}], "pets": "yes"}
    ran = tw("call", "trips", "plan.Trip_1", "--args", json.dumps(values), "--json")
    problems = {one["pointer"]: one["message"] for one in ran.json["error"]["problems"]}
    assert problems == {
        "/to": "'to' is required; expected a string",
        "/nights": "'nights' is 31, which is too large; expected at most 30",
        "/class": "'class' is 'second'; expected one of 'economy', 'first'",
        "/pets": "'pets' is 'yes', a string; expected a boolean",
        "/stops/0/name": "'name' is required; expected a string",
        "/stops/0/days/0": "item 0 is 'one', a string; expected an integer",
    }
    assert (ran.code, len(trips.heard("tools/call"))) == (1, 0)
    trips.change(tools=[*TOOLS, {**TRIP, "name": "later"}])
    late = tw("call", "trips", "later", "--arg", "to=Oslo", "--json")
    assert (late.code, late.json["error"]["code"]) == (1, "TOOL_CHANGED")
    tw.ok("call", "trips", "plan.Trip_1", "--arg", "to=Oslo")
    assert [one["arguments"] for one in trips.heard("tools/call")] == [{"to": "Oslo"}]


@pytest.mark.requirement("001:McpServerReference.connectionStatus")
async def test_a_server_is_connected_once_it_answers_and_not_after_it_is_disabled(
    house: House, tmp_path: Path
) -> None:
    definition = ScriptedServer(tmp_path / "s").definition
    added = await house.home.registry.add("box", definition)

    async def status() -> str:
        listed = await ask(house, "GET", "servers")
        return listed["servers"][0]["connectionStatus"]

    assert await status() == "disconnected"
    path = f"servers/{added.id}"
    await ask(house, "POST", f"{path}/approve", hash=definition_hash(definition))
    await ask(house, "POST", f"{path}/check")
    assert await status() == "connected"
    disabled = await ask(house, "POST", f"{path}/disable")
    assert (disabled["connectionStatus"], await status()) == ("disconnected", "disconnected")


def configure(path: Path, servers: dict[str, Any], **more: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"mcpServers": servers, **more}), encoding="utf-8")


@pytest.mark.requirement("001:FR-001", "001:FR-002", "001:McpServerReference.scope")
def test_servers_of_claude_code_keep_the_scope_of_their_file(
    tw: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tw.home / "root"

    def places(environ: Mapping[str, str]) -> ClientLocations:
        return replace(client_locations(environ), root=root)

    monkeypatch.setattr(discover, "client_locations", places)
    local = {str(tw.project): {"mcpServers": {"mail": {"url": "https://mail.test/mcp"}}}}
    configure(tw.home / ".claude.json", {"wiki": {"command": "wiki"}}, projects=local)
    configure(tw.project / ".mcp.json", {"jira": {"type": "sse", "url": "https://jira.test/sse"}})
    found = tw.ok("servers", "discover", "--import", "--json").json["servers"]
    scopes = {"wiki": "user", "mail": "local", "jira": "project"}
    assert {one["name"]: one["scope"] for one in found} == scopes
    assert {one["client"] for one in found} == {"Claude Code"}
    assert {one["name"]: one["scope"] for one in tw.ok("servers", "list", "--json").json} == scopes
    configure(root / "etc/claude-code/managed-mcp.json", {"audit": {"command": "audit"}})
    found = tw.ok("servers", "discover", "--json").json["servers"]
    assert [one["name"] for one in found if one["shadowedBy"] is None] == ["audit"]
    assert [one["scope"] for one in found if one["name"] == "audit"] == ["enterprise"]


@pytest.mark.requirement("001:MCP_CLI_NOT_FOUND", "001:MCP_CLI_TIMEOUT")
def test_a_claude_command_that_is_missing_or_hangs_is_reported(
    tw: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discover, "CLI_TIMEOUT_S", 0.1)
    missing = tw("servers", "discover", "--claude", "--json", PATH=str(tw.project))
    assert (missing.code, missing.json["error"]["code"]) == (1, "MCP_CLI_NOT_FOUND")
    program = tw.project / "claude"
    program.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    program.chmod(0o755)
    path = f"{tw.project}:{tw.environ['PATH']}"
    hanging = tw("servers", "discover", "--claude", "--json", PATH=path)
    assert (hanging.code, hanging.json["error"]["code"]) == (1, "MCP_CLI_TIMEOUT")
