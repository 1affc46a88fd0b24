"""The three modes of an MCP node as a tagged union over the node's own JSON.

Reading is lenient and total: missing or invalid fields read as empty and are reported by
`mode_check`. `mode_switch` writes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from toolweave.json_text import Json, JsonObject
from toolweave.tools.parameter import Parameter
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool
from toolweave.tools.wire import read_wire, write_wire
from toolweave.tools.write_schema import write_input_schema

Mode = Literal["detailed", "naturalLanguageParam", "fullNaturalLanguage"]
MODES: tuple[Mode, ...] = get_args(Mode)
_BY_NAME: dict[str, Mode] = {mode: mode for mode in MODES}

PARAM_CONFIG = "naturalLanguageParamConfig"
TASK_CONFIG = "fullNaturalLanguageConfig"
PRESERVED = "preservedDetailedConfig"
# Where a language configuration is preserved for switching back.
KEPT_PARAM = "preservedNaturalLanguageParamConfig"
KEPT_TASK = "preservedFullNaturalLanguageConfig"
KEPT: dict[str, str] = {PARAM_CONFIG: KEPT_PARAM, TASK_CONFIG: KEPT_TASK}

CONFIG_OF: dict[Mode, str] = {
    "naturalLanguageParam": PARAM_CONFIG,
    "fullNaturalLanguage": TASK_CONFIG,
}
# The field with the description in each language configuration.
WORDS: dict[str, str] = {PARAM_CONFIG: "description", TASK_CONFIG: "taskDescription"}


@dataclass(frozen=True, slots=True)
class Preserved:
    """The values of detailed mode, kept while a language mode is on."""

    values: JsonObject
    timestamp: str
    tool: str | None = None


@dataclass(frozen=True, slots=True)
class Detailed:
    """The user chose the tool and set every parameter."""

    tool: Tool
    values: JsonObject
    preserved: Preserved | None = None


@dataclass(frozen=True, slots=True)
class DescribedParameters:
    """The user chose the tool and described its parameters in natural language."""

    tool: Tool
    description: str
    timestamp: str
    preserved: Preserved | None = None


@dataclass(frozen=True, slots=True)
class DescribedTask:
    """The user chose the server and described the task; `tools` is what the server had then."""

    server: str
    task: str
    tools: tuple[Tool, ...]
    timestamp: str
    preserved: Preserved | None = None


ToolMode: TypeAlias = Detailed | DescribedParameters | DescribedTask


def mode_of(data: JsonObject) -> Mode | None:
    """Return the mode in a node's data; detailed by default, None if unknown."""
    named = data.get("mode")
    if named is None:
        return "detailed"
    return _BY_NAME.get(named) if isinstance(named, str) else None


def read_mode(data: JsonObject) -> ToolMode:
    """Return the mode with its configuration; an unknown mode reads as detailed."""
    preserved = _preserved(data)
    match mode_of(data):
        case "naturalLanguageParam":
            config = object_at(data, PARAM_CONFIG)
            return DescribedParameters(
                tool_of(data),
                text_at(config, "description"),
                text_at(config, "timestamp"),
                preserved,
            )
        case "fullNaturalLanguage":
            config = object_at(data, TASK_CONFIG)
            return DescribedTask(
                text_at(data, "serverId"),
                text_at(config, "taskDescription"),
                tuple(snapshots_in(data)),
                text_at(config, "timestamp"),
                preserved,
            )
        case _:
            return Detailed(tool_of(data), object_at(data, "parameterValues"), preserved)


def tool_of(data: JsonObject) -> Tool:
    """Return the tool schema stored in the node."""
    entries = data.get("parameters")
    entry: JsonObject = {
        "name": text_at(data, "toolName"),
        "description": text_at(data, "toolDescription"),
        "inputSchema": schema_of(entries if isinstance(entries, list) else []),
    }
    return read_tool(text_at(data, "serverId"), entry)


def snapshots_in(data: JsonObject) -> Iterator[Tool]:
    """Return the tools of a node's snapshot: a fallback if its server is unreachable."""
    entries = object_at(data, TASK_CONFIG).get("availableTools")
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict):
            yield read_snapshot(text_at(data, "serverId"), entry)


def read_snapshot(server: str, entry: JsonObject) -> Tool:
    """Read one entry of a snapshot, with either spelling (`name` or `toolName`)."""
    parameters = entry.get("parameters", entry.get("normalizedParameters"))
    schema = entry.get("inputSchema")
    if not isinstance(schema, dict):
        schema = schema_of(parameters if isinstance(parameters, list) else [])
    definition: JsonObject = {
        "name": text_at(entry, "name") or text_at(entry, "toolName"),
        "description": text_at(entry, "description"),
        "inputSchema": schema,
    }
    return read_tool(text_at(entry, "serverId") or server, definition)


def write_snapshot(tool: Tool) -> JsonObject:
    """Write one entry of a snapshot."""
    return {
        "serverId": tool.server,
        "name": tool.name,
        "description": tool.description,
        "parameters": [write_wire(parameter) for parameter in tool.parameters],
    }


def tool_fields(tool: Tool) -> JsonObject:
    """Return what a node stores of its tool."""
    return {
        "serverId": tool.server,
        "toolName": tool.name,
        "toolDescription": tool.description,
        "parameters": [write_wire(parameter) for parameter in tool.parameters],
    }


def schema_of(entries: Iterable[Json]) -> JsonObject:
    """Return the JSON Schema of a node's `parameters`; invalid entries are ignored."""
    read: list[Parameter] = [one for entry in entries if (one := read_wire(entry)[0]) is not None]
    # An object that is neither open nor closed explicitly.
    written = write_input_schema(read)
    schema: JsonObject = {"type": "object", "properties": written.get("properties", {})}
    return schema | ({"required": written["required"]} if "required" in written else {})


def text_at(data: JsonObject, key: str) -> str:
    """The text under `key`; empty when there is none."""
    value = data.get(key)
    return value if isinstance(value, str) else ""


def named_tool(data: JsonObject) -> tuple[str, str]:
    """The server and the tool of an MCP node; each is empty when there is none."""
    server, name = data.get("serverId"), data.get("toolName")
    return server if isinstance(server, str) else "", name if isinstance(name, str) else ""


def object_at(data: JsonObject, key: str) -> JsonObject:
    """The object under `key`; empty when there is none."""
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def _preserved(data: JsonObject) -> Preserved | None:
    kept = data.get(PRESERVED)
    if not isinstance(kept, dict):
        return None
    tool = text_at(kept, "toolName")
    return Preserved(object_at(kept, "parameterValues"), text_at(kept, "timestamp"), tool or None)
