"""The validation status of an MCP node against its live server: valid, missing or invalid.

Missing: no server with the node's server name is connected. Invalid: the server has no such tool,
or now refuses calls the node was made for. A tool that accepts more than before is fine.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from toolweave.json_text import JsonObject
from toolweave.problems import Problem, did_you_mean
from toolweave.tools.difference import difference
from toolweave.tools.tool import Tool
from toolweave.tools.wire import write_wire
from toolweave.workflow.model import Node
from toolweave.workflow.modes import mode_of, object_at, schema_of, text_at

Status = Literal["valid", "missing", "invalid"]
STATUSES: tuple[Status, ...] = get_args(Status)
# The tools of a server by its name; None if it is not registered or unreachable.
LiveTools = Callable[[str], Sequence[Tool] | None]

# The keys of the CCWF format; a snapshot with only these may come from another program.
_SAID = frozenset({"name", "type", "required", "validation", "items", "properties"})
_LIMITS = frozenset({"enum", "minLength", "maxLength", "pattern", "minimum", "maximum"})

_MOST_TOLD = 5


@dataclass(frozen=True, slots=True)
class ModeStatus:
    """The status of a node, and the reasons."""

    status: Status
    problems: tuple[Problem, ...] = ()


def live_status(node: Node, live: LiveTools) -> ModeStatus:
    """Compare an MCP node with the live tools; pointers are relative to its data."""
    server, name = text_at(node.data, "serverId"), text_at(node.data, "toolName")
    tools = live(server)
    if tools is None:
        message = f"no server {server!r} is connected"
        return ModeStatus("missing", (Problem("MCP_SERVER_NOT_FOUND", "/serverId", message),))
    if mode_of(node.data) == "fullNaturalLanguage":
        return ModeStatus("valid") if tools else _without_tools(server)
    tool = next((tool for tool in tools if tool.name == name), None)
    if tool is None:
        return _unknown_tool(server, name, [tool.name for tool in tools])
    return _compared(node, tool)


def with_status(node: Node, status: Status) -> Node:
    """The node with its computed `validationStatus`."""
    if node.data.get("validationStatus") == status:
        return node
    return replace(node, data={**node.data, "validationStatus": status})


def _without_tools(server: str) -> ModeStatus:
    message = f"server {server!r} has no tools"
    return ModeStatus("invalid", (Problem("MCP_TOOL_LIST_EMPTY", "/serverId", message),))


def _unknown_tool(server: str, name: str, known: list[str]) -> ModeStatus:
    folded = {one.casefold(): one for one in known}
    hint = did_you_mean(name, known)
    meant = folded.get(name.casefold())
    patch = ({"op": "replace", "path": "/toolName", "value": meant},) if meant else None
    message = f"server {server!r} has no tool {name!r}"
    problem = Problem("MCP_TOOL_NOT_FOUND", "/toolName", message, hint=hint, patch=patch)
    return ModeStatus("invalid", (problem,))


def _compared(node: Node, tool: Tool) -> ModeStatus:
    if not tool.is_usable:
        message = f"the schema of tool {tool.name!r} cannot be used"
        return ModeStatus("invalid", (Problem("MCP_TOOL_SCHEMA_INVALID", "/toolName", message),))
    stored = node.data.get("parameters")
    if not isinstance(stored, list) or not stored:
        return ModeStatus("valid")  # no schema is stored; the values are checked elsewhere
    old = {text_at(one, "name"): one for one in stored if isinstance(one, dict)}
    live = [write_wire(parameter) for parameter in tool.parameters]
    then = schema_of(_comparable(one, one) for one in old.values())
    today = schema_of(_comparable(one, old.get(text_at(one, "name"), one)) for one in live)
    found = difference({"inputSchema": then}, {"inputSchema": today})
    if found.kind == "same":
        return ModeStatus("valid")
    problem = Problem(
        "MCP_TOOL_SCHEMA_CHANGED",
        "/parameters",
        f"tool {tool.name!r} has changed: "
        + "; ".join(change.message for change in found.changes[:_MOST_TOLD]),
        hint="review the values, then update the node's parameters from the tool",
    )
    if found.kind != "widened":
        return ModeStatus("invalid", (problem,))
    patch = ({"op": "replace", "path": "/parameters", "value": live},)
    return ModeStatus("valid", (replace(problem, severity="warning", patch=patch),))


def _comparable(entry: JsonObject, like: JsonObject) -> JsonObject:
    """Convert the entry to the vocabulary of `like`, so that both can be compared."""
    if "kind" in entry and "kind" not in like:
        # The CCWF format has no unions or "any"; accept whatever type was written.
        return _comparable(like, like) | {"required": entry.get("required", False)}
    found = {key: value for key, value in entry.items() if key in _SAID or key in like}
    found.pop("description", None)
    found.pop("default", None)
    limits, known = object_at(entry, "validation"), object_at(like, "validation")
    found["validation"] = {
        key: value for key, value in limits.items() if key in _LIMITS or key in known
    }
    if "items" in found:
        found["items"] = _comparable(object_at(entry, "items"), object_at(like, "items"))
    if "properties" in found:
        below = object_at(like, "properties")
        found["properties"] = {
            key: _comparable(object_at(object_at(entry, "properties"), key), object_at(below, key))
            for key in object_at(entry, "properties")
        }
    return found
