"""The fields of an MCP node: other systems' names for them, and the parameters stored in it."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

import orjson

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.tools.schema_repair import meant_schema
from toolweave.tools.value_preview import shown
from toolweave.tools.wire import read_wire
from toolweave.workflow.modes import WORDS

_MAX_REMEMBERED = 16 * 1024
_OTHER_NAMES: dict[str, tuple[str, ...]] = {
    "serverId": ("server", "serverName", "server_id", "server_name", "mcpServer", "mcp_server"),
    "toolName": ("tool", "tool_name", "toolId", "tool_id", "function", "functionName"),
    "parameterValues": (
        *("parameter_values", "arguments", "args", "params", "toolArguments", "toolInput"),
        *("input", "inputs", "inputParams", "input_params", "values", "parameters"),
    ),
}
# What an MCP node of the visual editor has beside the values of its tool.
OWN_FIELDS = frozenset(
    {"label", "name", "description", "mode", "serverId", "toolName", "toolDescription"}
    | {"parameters", "parameterValues", "validationStatus", "outputPorts", "notes", "id", "type"}
)
# Names of a description in a configuration of words.
_WORDS = (
    *("description", "taskDescription", "task", "prompt", "instruction", "instructions", "text"),
    *("goal", "task_description", "request", "query", "message", "naturalLanguage", "words"),
)
# In a JSON Schema; `parameters` with these describes values and does not hold them.
_OF_SCHEMAS = frozenset({"type", "properties", "$schema", "$ref"})


def misnamed(data: JsonObject, key: str, kind: type) -> Problem | None:
    """Return the problem of a missing field that is there under one other name."""
    if key == "parameters" and _is_meant(data.get(key), key, dict):
        key, kind = "parameterValues", dict
    if data.get(key) not in (None, "", {}):
        return None
    found = [name for name in _OTHER_NAMES.get(key, ()) if _is_meant(data.get(name), name, kind)]
    if len(found) != 1:
        return None
    move: dict[str, Json] = {"op": "move", "from": pointer(found[0]), "path": pointer(key)}
    rest: dict[str, Json] = {"op": "add", "path": "/parameters", "value": []}
    return Problem(
        "MCP_NODE_FIELD_INVALID",
        pointer(found[0]),
        f"{shown(found[0])} is ignored in an MCP node",
        hint=f"write it as {key!r}",
        patch=(move, rest) if found[0] == "parameters" else (move,),
    )


def beside(extras: Mapping[str, Json], key: str, kind: type) -> Problem | None:
    """Return the problem of a missing field that stands beside the data of its node."""
    if not _is_meant(extras.get(key), key, kind):
        return None
    move: dict[str, Json] = {"op": "move", "from": f"/..{pointer(key)}", "path": pointer(key)}
    message = f"{key!r} is ignored beside the data of an MCP node"
    return Problem(
        "MCP_NODE_FIELD_INVALID", pointer(key), message, f"move it to {key!r}", patch=(move,)
    )


def misnamed_words(config: JsonObject, key: str) -> Problem | None:
    """Return the problem of a missing description that is there under one other name."""
    name = WORDS[key]
    given = config.get(name)
    found = [one for one in _WORDS if isinstance(text := config.get(one), str) and text.strip()]
    if (isinstance(given, str) and given.strip()) or len(found) != 1:
        return None
    move: dict[str, Json] = {
        "op": "move",
        "from": pointer(key, found[0]),
        "path": pointer(key, name),
    }
    message = f"the description is missing; {found[0]!r} is ignored"
    hint = f"rename {found[0]!r} to {name!r}?"
    return Problem("MCP_NL_DESC_EMPTY", pointer(name), message, hint, patch=(move,))


def _is_meant(value: Json, name: str, kind: type) -> bool:
    if not isinstance(value, kind) or not value:
        return False
    return name != "parameters" or not (isinstance(value, dict) and _OF_SCHEMAS & value.keys())


def check_parameters(entries: Json, at: tuple[str | int, ...]) -> Iterator[Problem]:
    """Yield the problems of the parameters that a node has stored of its tool."""
    if not isinstance(entries, list) or _are_parameters(entries):
        return
    for index, entry in enumerate(entries):
        for problem in read_wire(entry)[1]:
            place = pointer(*at, index) + problem.pointer
            given = entry.get("type") if isinstance(entry, dict) else None
            meant = _meant_kind(given) if problem.pointer == "/type" else None
            if meant is not None:
                patch = ({"op": "replace", "path": place, "value": meant},)
                problem = replace(problem, hint=f"use {meant!r}", patch=patch)
            yield replace(problem, pointer=place)


def _meant_kind(given: Json) -> str | None:
    """The type of JSON Schema that a word of a programming language means."""
    schema = meant_schema({"type": given}, 1) if isinstance(given, str) else None
    found = schema.get("type") if isinstance(schema, dict) else None
    return found if isinstance(found, str) and found != given else None


def _are_parameters(entries: list[Json]) -> bool:
    try:
        text = orjson.dumps(entries)
    except TypeError:
        return False
    return len(text) <= _MAX_REMEMBERED and _can_be_read(text)


@lru_cache(maxsize=512)
def _can_be_read(entries: bytes) -> bool:
    """Whether these are valid parameters; cached, as many nodes share a tool."""
    return all(not read_wire(entry)[1] for entry in orjson.loads(entries))
