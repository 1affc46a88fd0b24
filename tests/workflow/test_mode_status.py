"""The validation status: an MCP node against the live tools."""

import pytest
from tests.workflow.mcp_nodes import a_node, a_tool, detailed, patched, tasked

from toolweave.json_text import Json, JsonObject
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool
from toolweave.workflow.mode_status import ModeStatus, live_status, with_status
from toolweave.workflow.model import Node
from toolweave.workflow.modes import tool_fields

TEXT: JsonObject = {"type": "string"}
COUNT: JsonObject = {"type": "integer", "minimum": 1, "maximum": 9}


def against(then: Tool, today: Tool | None) -> ModeStatus:
    """The standing of a node made with one tool, where the server has another today."""
    tools = [a_tool("another"), *([] if today is None else [today])]
    return live_status(a_node(tool_fields(then)), {"aws": tools}.get)


def test_a_node_is_valid_when_the_server_has_its_tool_unchanged() -> None:
    assert live_status(detailed(), {"aws": [a_tool()]}.get) == ModeStatus("valid")
    assert against(a_tool(), a_tool()) == ModeStatus("valid")


@pytest.mark.parametrize("node", [detailed(), tasked(), a_node({})])
def test_a_node_is_missing_when_no_such_server_is_there(node: Node) -> None:
    found = live_status(node, {"other": [a_tool()]}.get)
    assert found.status == "missing"
    assert [(p.code, p.pointer) for p in found.problems] == [("MCP_SERVER_NOT_FOUND", "/serverId")]


def test_a_node_is_invalid_when_the_server_lost_its_tool() -> None:
    found = against(a_tool(), None)
    assert found.status == "invalid"
    [problem] = found.problems
    assert (problem.code, problem.pointer, problem.patch) == (
        "MCP_TOOL_NOT_FOUND",
        "/toolName",
        None,
    )


def test_a_tool_that_only_changed_its_case_is_offered() -> None:
    found = live_status(detailed(toolName="Get_Regional_availability"), {"aws": [a_tool()]}.get)
    [problem] = found.problems
    assert problem.hint == "did you mean 'get_regional_availability'?"
    assert patched({"toolName": "x"}, problem.patch) == {"toolName": "get_regional_availability"}


@pytest.mark.parametrize(
    ("then", "today"),
    [
        (a_tool(a=TEXT), a_tool(a={"type": "integer"})),
        (a_tool(a=TEXT), a_tool(a=TEXT, b=TEXT)),
        (a_tool(a=TEXT, b=TEXT), a_tool(a=TEXT)),
        (a_tool(a=TEXT), a_tool(a={"type": "string", "enum": ["x"]})),
        (a_tool(a=COUNT), a_tool(a=COUNT | {"maximum": 8})),
        (
            a_tool(a={"type": "array", "items": TEXT}),
            a_tool(a={"type": "array", "items": {"type": "boolean"}}),
        ),
        (
            a_tool(a={"type": "object", "properties": {"b": TEXT}}),
            a_tool(a={"type": "object", "properties": {"b": COUNT}}),
        ),
    ],
    ids=["type", "new required", "removed", "enum", "limit", "items", "properties"],
)
def test_a_tool_that_takes_less_makes_its_node_invalid(then: Tool, today: Tool) -> None:
    found = against(then, today)
    assert found.status == "invalid"
    [problem] = found.problems
    assert (problem.code, problem.severity, problem.patch) == (
        "MCP_TOOL_SCHEMA_CHANGED",
        "error",
        None,
    )


def test_a_tool_that_takes_more_leaves_its_node_valid_with_a_warning() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {"a": TEXT, "b": TEXT},
        "required": ["a"],
    }
    today = read_tool("aws", {"name": "get_regional_availability", "inputSchema": schema})
    found = against(a_tool(a=TEXT), today)
    assert found.status == "valid"
    [problem] = found.problems
    assert (problem.code, problem.severity) == ("MCP_TOOL_SCHEMA_CHANGED", "warning")
    mended = patched(tool_fields(a_tool(a=TEXT)), problem.patch)
    assert live_status(a_node(mended), {"aws": [today]}.get) == ModeStatus("valid")


@pytest.mark.parametrize(
    "today",
    [
        {"type": "string", "description": "Other words.", "default": "x", "title": "T"},
        {"type": "string", "format": "uri"},
        {"type": ["string", "null"]},
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        {},
    ],
    ids=["words", "format", "nullable", "union", "anything"],
)
def test_what_other_programs_cannot_write_down_is_no_change(today: JsonObject) -> None:
    stored: list[Json] = [{"name": "a", "type": "string", "required": True, "description": "W."}]
    node = detailed(parameters=stored)
    assert live_status(node, {"aws": [a_tool(a=today)]}.get) == ModeStatus("valid")


def test_a_snapshot_of_ours_notices_what_only_we_can_write_down() -> None:
    then = a_tool(a={"type": "string", "format": "uri"})
    assert against(then, a_tool(a={"type": "string", "format": "email"})).status == "invalid"
    assert against(then, then).status == "valid"


def test_a_node_that_stored_no_parameters_has_nothing_to_compare() -> None:
    assert live_status(detailed(parameters=None), {"aws": [a_tool()]}.get) == ModeStatus("valid")


def test_a_tool_that_cannot_be_called_makes_its_node_invalid() -> None:
    broken = read_tool("aws", {"name": "get_regional_availability", "inputSchema": {"type": 5}})
    found = live_status(detailed(), {"aws": [broken]}.get)
    assert found.status == "invalid"
    assert [p.code for p in found.problems] == ["MCP_TOOL_SCHEMA_INVALID"]


def test_a_task_is_valid_while_its_server_has_any_tool() -> None:
    assert live_status(tasked(), {"aws": [a_tool("new")]}.get) == ModeStatus("valid")
    found = live_status(tasked(), {"aws": list[Tool]()}.get)
    assert found.status == "invalid"
    assert [p.code for p in found.problems] == ["MCP_TOOL_LIST_EMPTY"]


def test_the_status_is_set_on_the_node_by_computation() -> None:
    node = detailed(validationStatus="invalid")
    assert with_status(node, "valid").data == detailed().data
    assert with_status(node, "invalid") is node
