"""The tool that a node names in its settings: `{"server": "demo", "tool": "weather"}`.

Not a check. Other systems have one node for all tools; here each tool is a node.
"""

from dataclasses import dataclass
from typing import Any

from toolweave.catalog.corrections import CorrectedName, correct
from toolweave.catalog.index import Catalog
from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import JsonObject
from toolweave.problems import pointer
from toolweave.tools.meaning import plain_word
from toolweave.workflow.model import Node
from toolweave.workflow.modes import object_at

_SERVERS = frozenset({"server", "servername", "serverid", "mcpserver", "mcpservername"})
_TOOLS = frozenset({"tool", "toolname", "toolid", "mcptool", "mcptoolname"})
_ARGUMENTS = frozenset({"arguments", "args", "toolarguments", "toolinput", "toolparameters"}) | {
    *("parameters", "params", "input", "inputs")
}
_TYPES = frozenset({"mcp", "tool", "action", "mcptool", "toolcall", "externalaction"})
# Words that say only that a tool is called.
_CALLS = frozenset({"", "tool", "mcp", "mcptool", "calltool", "call", "invoke", "usetool"}) | {
    *("toolcall", "mcpcall", "invoketool", "executetool", "runtool", "mcpserver", "mcpclient")
}
_NAMES = _SERVERS | _TOOLS | _ARGUMENTS
_SETTINGS, _INPUTS = "configurations", "inputParams"
_PREFIX = "MCP:"


@dataclass(frozen=True, slots=True)
class NamedTool:
    """The node of a tool, and what remains of the settings that named it."""

    spec: NodeSpec
    settings: JsonObject
    inputs: JsonObject
    # Members of the node itself that named it.
    beside: tuple[str, ...]

    def patch(self, index: int, node: Node) -> tuple[dict[str, Any], ...]:
        """Operations that make the node one of this tool; Any: part of a JSON Patch."""
        data: JsonObject = {**node.data, "subtype": self.spec.subtype}
        data |= {_SETTINGS: self.settings, _INPUTS: self.inputs}
        data = {key: one for key, one in data.items() if one != {}}
        place = pointer("nodes", index)
        return (
            {"op": "replace", "path": f"{place}/type", "value": self.spec.type},
            {"op": "replace", "path": f"{place}/data", "value": data},
            *({"op": "remove", "path": place + pointer(key)} for key in self.beside),
        )


def named_tool(catalog: Catalog, node: Node) -> NamedTool | None:
    """The tool that the settings of an unknown node name, if it is an approved one."""
    subtype = node.data.get("subtype")
    said = plain_word(subtype) if isinstance(subtype, str) else ""
    if plain_word(node.type) not in _TYPES:
        return None
    beside = {key: one for key, one in node.extras.items() if plain_word(key) in _NAMES}
    settings = beside | object_at(node.data, _SETTINGS)
    server, tool = _text(settings, _SERVERS), _text(settings, _TOOLS)
    if tool is None:
        return None
    if said not in _CALLS:
        if server is not None:  # the subtype says something else
            return None
        server = str(subtype)
    spec = _tool(catalog, server, tool.removeprefix(_PREFIX))
    if spec is None:
        return None
    rest = {key: one for key, one in settings.items() if plain_word(key) not in _SERVERS | _TOOLS}
    inputs = dict(object_at(node.data, _INPUTS))
    known = {one.name for one in spec.inputs}
    for owner in (rest, inputs):
        for key in [key for key in owner if _holds_arguments(key, owner[key], known)]:
            given = owner.pop(key)
            inputs |= given if isinstance(given, dict) else {}
    return NamedTool(spec, rest, inputs, tuple(beside))


def _tool(catalog: Catalog, server: str | None, tool: str) -> NodeSpec | None:
    """The tool of a server; of any server if none is named and one alone has it."""
    if server is None and "/" not in tool:
        live = [one for one in catalog.of_type("TOOL") if one.origin and one.origin.tool == tool]
        return live[0] if len(live) == 1 else None
    name = tool if server is None or tool.startswith(f"{server}/") else f"{server}/{tool}"
    found = correct(catalog, "TOOL", f"{_PREFIX}{name}")
    is_tool = isinstance(found, CorrectedName) and found.spec.origin is not None
    return found.spec if isinstance(found, CorrectedName) and is_tool else None


def _holds_arguments(key: str, value: object, known: set[str]) -> bool:
    """Whether a member is an object with the arguments, and no argument of the tool itself."""
    if not isinstance(value, dict) or key in known:
        return False
    return plain_word(key) in _ARGUMENTS


def _text(settings: JsonObject, names: frozenset[str]) -> str | None:
    found = [one for key, one in settings.items() if plain_word(key) in names]
    return found[0] if len(found) == 1 and isinstance(found[0], str) and found[0] else None
