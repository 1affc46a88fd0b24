"""Switches an MCP node between its modes without losing data.

What a mode leaves behind stays in the node: values in `preservedDetailedConfig` (with the tool
they were for), the words of a language mode in `preservedNaturalLanguageParamConfig` and
`preservedFullNaturalLanguageConfig`.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from toolweave.clock import timestamp
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.tools.tool import Tool
from toolweave.workflow.mode_check import (
    FEWER_TOOLS,
    INVALID_MODE,
    MAX_TOOLS,
    MISMATCH,
    NO_TOOLS,
    check_mode,
)
from toolweave.workflow.model import Node
from toolweave.workflow.modes import (
    CONFIG_OF,
    KEPT,
    KEPT_PARAM,
    MODES,
    PARAM_CONFIG,
    PRESERVED,
    TASK_CONFIG,
    WORDS,
    Mode,
    mode_of,
    object_at,
    text_at,
    tool_fields,
    write_snapshot,
)

_TOOL_KEYS = ("toolName", "toolDescription", "parameters")
# Values of tools that were chosen before the last one, by name, within the preserved values.
_OTHER_TOOLS = "otherTools"


def switch_mode(
    node: Node,
    to: Mode,
    *,
    now: datetime,
    description: str | None = None,
    tool: Tool | None = None,
    available_tools: Sequence[Tool] | None = None,
) -> Node:
    """Return the node in mode `to`, or in its current mode with a new description or tools."""
    if node.type != "mcp":
        message = f"node {node.id!r} is of type {node.type!r}; only MCP nodes have modes"
        raise Invalid("MCP_NODE_VALIDATION_FAILED", message)
    if to not in MODES:
        raise Invalid("MCP_INVALID_MODE", INVALID_MODE, hint=f"use one of {', '.join(MODES)}")
    if to == "detailed" and description is not None:
        raise Invalid("MCP_MODE_CONFIG_MISMATCH", MISMATCH, hint="detailed mode has no description")
    current = mode_of(node.data) or "detailed"
    data = dict(node.data) if current == to else _left(node.data, current, now)
    match to:
        case "detailed":
            data = _detailed(data, tool, now, was=current)
        case "naturalLanguageParam":
            data = _with_tool(_described(data, PARAM_CONFIG, description, now), tool)
        case _:
            is_new = current != to
            data = _described(data, TASK_CONFIG, description, now)
            data = _with_tools(data, available_tools, now, needed=is_new)
    return node if data == node.data else replace(node, data={**data, "mode": to})


def refuse_new_errors(before: Node, after: Node, now: datetime) -> None:
    """Refuse a change that adds errors; errors from before are left to the user."""
    known = {(one.code, one.message) for one in check_mode(before, now)}
    for one in check_mode(after, now):
        if one.severity == "error" and (one.code, one.message) not in known:
            hint = one.hint or "describe what you want in the description"
            raise Invalid(one.code, one.message, hint=hint)


def _left(data: JsonObject, mode: Mode, now: datetime) -> JsonObject:
    """Return the data without a mode's configuration, which is preserved."""
    left = dict(data)
    for config, kept in KEPT.items():
        stood = left.pop(config, None)
        if isinstance(stood, dict) and (config == CONFIG_OF.get(mode) or kept not in left):
            left[kept] = stood
    if mode == "naturalLanguageParam" and KEPT_PARAM in left:
        # Full language mode has no tool; the description is restored with its tool.
        left[KEPT_PARAM] = {**object_at(left, KEPT_PARAM), **_tool_in(data)}
    if mode == "detailed":
        left |= {PRESERVED: _archive(data, now), "parameterValues": {}}
    return left


def _archive(data: JsonObject, now: datetime) -> JsonObject:
    """Return the preserved values, those of the node's tool first."""
    earlier = object_at(data, PRESERVED)
    name, before = text_at(data, "toolName"), text_at(earlier, "toolName")
    others = dict(object_at(earlier, _OTHER_TOOLS))
    if before not in ("", name):
        others[before] = object_at(earlier, "parameterValues")
    others.pop(name, None)
    archive: JsonObject = {
        **earlier,
        "parameterValues": object_at(data, "parameterValues"),
        "timestamp": timestamp(now),
    }
    if name:
        archive["toolName"] = name
    if others or _OTHER_TOOLS in archive:
        archive[_OTHER_TOOLS] = others
    return archive


def _detailed(data: JsonObject, tool: Tool | None, now: datetime, *, was: Mode) -> JsonObject:
    if was == "fullNaturalLanguage" and tool is None:
        before = text_at(object_at(data, PRESERVED), "toolName")
        hint = f"it was {before!r} before" if before else "give a tool of the node's server"
        raise Invalid("MCP_TOOL_REQUIRED", "detailed mode needs a tool; choose one", hint=hint)
    name = text_at(data, "toolName") if tool is None else tool.name
    chosen: JsonObject = data if tool is None else {**data, **tool_fields(tool)}
    if was != "detailed":
        return {**chosen, "parameterValues": _restored(chosen)}
    if name == text_at(data, "toolName"):
        return chosen
    archived: JsonObject = {**chosen, PRESERVED: _archive(data, now)}
    return {**archived, "parameterValues": _restored(archived)}


def _restored(data: JsonObject) -> JsonObject:
    """Return the preserved values that the node's tool accepts."""
    kept = object_at(data, PRESERVED)
    values, others = object_at(kept, "parameterValues"), object_at(kept, _OTHER_TOOLS)
    name = text_at(data, "toolName")
    if text_at(kept, "toolName") in ("", name):
        return values
    if name in others:
        return object_at(others, name)
    entries = data.get("parameters")
    taken = {
        text_at(entry, "name")
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict)
    }
    return {key: value for key, value in values.items() if key in taken}


def _described(data: JsonObject, config: str, words: str | None, now: datetime) -> JsonObject:
    """Return the data with the restored or a new, empty language configuration."""
    described = dict(data)
    kept = described[config] if config in data else described.pop(KEPT[config], None)
    begun: JsonObject = {WORDS[config]: "", "timestamp": timestamp(now)}
    found = dict(kept) if isinstance(kept, dict) else begun
    if words is not None and words != found.get(WORDS[config]):
        found |= {WORDS[config]: words, "timestamp": timestamp(now)}
    return {**described, config: found}


def _with_tool(data: JsonObject, tool: Tool | None) -> JsonObject:
    config = object_at(data, PARAM_CONFIG)
    if tool is not None:
        chosen = tool_fields(tool)
    else:
        chosen = {} if text_at(data, "toolName") else _tool_in(config)
    bare: JsonObject = {key: value for key, value in config.items() if key not in _TOOL_KEYS}
    switched: JsonObject = {**data, **chosen, PARAM_CONFIG: bare}
    if not text_at(switched, "toolName"):
        hint = "give a tool of the node's server"
        raise Invalid("MCP_TOOL_REQUIRED", "this mode needs a tool; choose one", hint=hint)
    return switched


def _tool_in(data: JsonObject) -> JsonObject:
    return {key: data[key] for key in _TOOL_KEYS if key in data}


def _with_tools(
    data: JsonObject, tools: Sequence[Tool] | None, now: datetime, *, needed: bool
) -> JsonObject:
    config = dict(object_at(data, TASK_CONFIG))
    if tools is not None:
        entries: list[Json] = [write_snapshot(tool) for tool in tools]
        config |= {"availableTools": entries, "timestamp": timestamp(now)}
    if not config.get("availableTools") and (needed or tools is not None):
        raise Invalid("MCP_TOOL_LIST_EMPTY", NO_TOOLS)
    if tools is not None and len(tools) > MAX_TOOLS:
        message = f"{len(tools)} tools; at most {MAX_TOOLS} are allowed"
        raise Invalid("MCP_TOOL_LIST_TOO_LONG", message, hint=FEWER_TOOLS)
    cleared: JsonObject = {"toolName": "", "toolDescription": "", "parameters": []}
    return {**data, TASK_CONFIG: config, **cleared}
