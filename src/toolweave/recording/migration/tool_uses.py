"""Where a workflow calls tools, and with which values."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from toolweave.json_text import JsonObject
from toolweave.tools.read_tool import read_tool
from toolweave.workflow.model import Node, Workflow
from toolweave.workflow.modes import Mode, mode_of, object_at, text_at, tool_fields

_CATALOG = "MCP:"
# What an `mcp` node stores of its tool, and may leave out.
_STORED = ("toolDescription", "parameters")


@dataclass(frozen=True, slots=True)
class NodeToolUse:
    """A node that calls a tool. `field` is the part of its data with the values."""

    index: int
    node: Node
    server: str
    # Empty if a model chooses among the tools of the server.
    tool: str
    field: str
    mode: Mode | None = "detailed"

    @property
    def values(self) -> JsonObject:
        """The values in the node."""
        return object_at(self.node.data, self.field)

    def is_for(self, new: JsonObject, old: JsonObject) -> bool:
        """Whether the node's copy of the parameters says that its values are for `new`."""
        stored = self.node.data.get("parameters")
        before, after = (
            tool_fields(read_tool(self.server, one))["parameters"] for one in (old, new)
        )
        return bool(stored) and stored == after and before != after

    def changed(
        self, definition: JsonObject, values: JsonObject, *, is_marked: bool = False
    ) -> Node:
        """Return the node for another definition of its tool, with these values.

        `is_marked` adds a copy of the parameters, so that the values are not adapted twice.
        """
        data: JsonObject = {**self.node.data}
        tool = read_tool(self.server, definition)
        if self.node.type == "mcp":
            fields = tool_fields(tool)
            data |= {key: fields[key] for key in _STORED if key in data or is_marked}
            data["toolName"] = tool.name
        else:
            data["subtype"] = f"{_CATALOG}{self.server}/{tool.name}"
        if self.field in data or values:
            data[self.field] = values
        return replace(self.node, data=data)


def tool_uses(workflow: Workflow) -> Iterator[NodeToolUse]:
    """Yield every node of a workflow that calls a tool of a server."""
    for index, node in enumerate(workflow.nodes):
        subtype = text_at(node.data, "subtype")
        if node.type == "mcp":
            server, tool = text_at(node.data, "serverId"), text_at(node.data, "toolName")
            yield NodeToolUse(index, node, server, tool, "parameterValues", mode_of(node.data))
        elif node.type == "TOOL" and subtype.startswith(_CATALOG):
            server, _, tool = subtype.removeprefix(_CATALOG).partition("/")
            yield NodeToolUse(index, node, server, tool, "inputParams")


def all_tool_uses(workflow: Workflow) -> Iterator[NodeToolUse]:
    """Yield the same with the nodes of sub-flows, at any depth."""
    yield from tool_uses(workflow)
    for subflow in workflow.subflows:
        yield from all_tool_uses(subflow)
