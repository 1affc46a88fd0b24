"""The icon of a published tool: that of the kind of node which says most about the workflow."""

import base64
from functools import lru_cache
from importlib.resources import files

from toolweave import json_text
from toolweave.json_text import Json, JsonObject

SIZE = "48x48"
_BY_TYPE = {
    **dict.fromkeys(("AI_AGENT", "subAgent", "subAgentFlow", "skill", "codex"), "ai"),
    **dict.fromkeys(("mcp", "MCP", "TOOL"), "mcp"),
    "EXTERNAL_ACTION": "external",
    "ACTION": "action",
    **dict.fromkeys(("HUMAN_IN_THE_LOOP", "askUserQuestion"), "human"),
    "MEMORY": "memory",
    **dict.fromkeys(("prompt", "template"), "prompt"),
}
# The first that a workflow has is its icon.
_ORDER = ("ai", "mcp", "external", "action", "human", "memory", "prompt")
OTHER = "flow"
FAMILIES = (*_ORDER, OTHER)


@lru_cache(maxsize=512)
def family_of(document: str) -> str:
    """The kind of nodes that stands for a workflow, by its text in our dialect."""
    if not document:
        return OTHER  # a workflow that is run without being published
    read = json_text.read(document)
    nodes = read.get("nodes") if isinstance(read, dict) else None
    found = {_BY_TYPE.get(_type_of(node)) for node in (nodes if isinstance(nodes, list) else [])}
    return next((family for family in _ORDER if family in found), OTHER)


@lru_cache
def icon(family: str) -> JsonObject:
    """An icon as MCP lists it; a copy of the file, so that no client has to fetch it."""
    data = (files("toolweave.publishing") / "icons" / f"{family}.png").read_bytes()
    src = f"data:image/png;base64,{base64.b64encode(data).decode()}"
    return {"src": src, "mimeType": "image/png", "sizes": [SIZE]}


def _type_of(node: Json) -> str:
    return str(node.get("type")) if isinstance(node, dict) else ""
