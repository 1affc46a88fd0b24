"""Create and configure MCP nodes."""

from collections.abc import Collection
from dataclasses import replace

from toolweave.errors import Invalid
from toolweave.json_text import JsonObject
from toolweave.tools.check import check_arguments
from toolweave.tools.tool import Tool
from toolweave.workflow.ids import slug
from toolweave.workflow.model import Node, NodeId, Position
from toolweave.workflow.modes import tool_fields, tool_of


def node_for(tool: Tool, taken: Collection[str], position: Position | None = None) -> Node:
    """Create a node that calls `tool`, with an id that is not in `taken`."""
    stem = slug(tool.name) or "tool"
    identity = next(
        name
        for number in range(len(taken) + 1)
        if (name := stem if number == 0 else f"{stem}-{number + 1}") not in taken
    )
    data: JsonObject = {
        "serverId": tool.server,
        **tool_fields(tool),
        "parameterValues": {},
        "validationStatus": "valid",
        "outputPorts": 1,
        "mode": "detailed",
    }
    return Node(NodeId(identity), "mcp", identity, position or Position(0, 0), data)


def configured(node: Node, values: JsonObject) -> Node:
    """Return the node with these parameter values; templates are checked with the workflow."""
    literal = {name: value for name, value in values.items() if "{{" not in str(value)}
    problems = [
        problem
        for problem in check_arguments(tool_of(node.data), literal)
        if problem.severity == "error"
        and not (problem.code == "MCP_PARAMETER_REQUIRED" and problem.pointer.strip("/") in values)
    ]
    if problems:
        message = f"the values do not match the schema of tool {node.data.get('toolName')!r}"
        raise Invalid("MCP_ARGUMENTS_INVALID", message, problems=problems)
    return replace(node, data={**node.data, "parameterValues": values})
