"""Choosing a tool makes a node; giving it values configures it."""

import pytest
from tests.workflow.checks.building import known

from toolweave.errors import Invalid
from toolweave.json_text import JsonObject
from toolweave.tools.read_tool import read_tool
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.mcp_node import configured, node_for
from toolweave.workflow.mode_check import check_mode
from toolweave.workflow.model import Workflow, WorkflowId

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}},
    "required": ["city"],
}
TOOL = read_tool(
    "demo", {"name": "get_weather", "description": "The weather.", "inputSchema": SCHEMA}
)


def test_choosing_a_tool_makes_a_node_that_knows_it() -> None:
    node = node_for(TOOL, {"start"})
    assert (node.type, node.id) == ("mcp", "get-weather")
    assert node.data["serverId"] == "demo"
    assert node.data["toolName"] == "get_weather"
    assert node.data["toolDescription"] == "The weather."
    assert list(check_mode(node, known().now)) == []
    workflow = Workflow(WorkflowId("w"), "w", (node,))
    assert read(convert(workflow, "toolweave")).workflow.nodes == (node,)


def test_a_second_node_of_a_tool_has_another_id() -> None:
    first = node_for(TOOL, ())
    second = node_for(TOOL, {first.id})
    third = node_for(TOOL, {first.id, second.id})
    assert [first.id, second.id, third.id] == ["get-weather", "get-weather-2", "get-weather-3"]


def test_values_that_do_not_fit_are_refused_all_at_once() -> None:
    with pytest.raises(Invalid) as refused:
        configured(node_for(TOOL, ()), {"days": 0})
    assert {problem.pointer for problem in refused.value.problems} == {"/city", "/days"}
