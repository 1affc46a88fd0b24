"""Fields of an MCP node under the names of other systems: `server`, `tool`, `arguments`."""

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.tools.value_preview import shown

_OTHER_NAMES: dict[str, tuple[str, ...]] = {
    "serverId": ("server", "serverName", "server_id", "server_name", "mcpServer", "mcp_server"),
    "toolName": ("tool", "tool_name", "toolId", "tool_id", "function", "functionName"),
    "parameterValues": (
        *("parameter_values", "arguments", "args", "params", "toolArguments", "toolInput"),
        *("input", "inputs", "inputParams", "input_params", "values", "parameters"),
    ),
}
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


def _is_meant(value: Json, name: str, kind: type) -> bool:
    if not isinstance(value, kind) or not value:
        return False
    return name != "parameters" or not (isinstance(value, dict) and _OF_SCHEMAS & value.keys())
