"""The drawing tool's files: seed 001's objects, bare or wrapped, with its own names for modes.

Its extras (`slashCommandOptions`, `conversationHistory`, `tour`) are extras of the workflow under
the same names; its sub-agent flows are sub-flows.
"""

from collections.abc import Mapping
from dataclasses import replace

from toolweave.json_text import JsonObject
from toolweave.workflow.formats import mode_names
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.formats.lossless import Lossless
from toolweave.workflow.formats.toolweave import (
    SUBFLOWS,
    ToolweaveCodec,
    has_our_marks,
    looks_drawn,
)
from toolweave.workflow.model import Node

EXTRAS = frozenset({"slashCommandOptions", "conversationHistory", "tour", SUBFLOWS})
DRAWN = frozenset(
    {
        *("subAgent", "subAgentFlow", "askUserQuestion", "ifElse", "switch", "branch"),
        *("skill", "codex", "group"),
    }
)


class CcwfCodec(ToolweaveCodec):
    """Seed 001's objects, written with the drawing tool's names."""

    name: FormatName = "ccwf"
    inside_node: Mapping[str, str] = {
        f"/data/{ours}": f"/data/{theirs}" for theirs, ours in mode_names.CONFIGS.items()
    }

    def recognises(self, document: JsonObject, *, is_wrapped: bool) -> int:
        """Sure by the wrapping and the mode names, likely by what only the tool draws."""
        if not looks_drawn(document):
            return 0
        if is_wrapped or _has_mode_names(document):
            return 95
        return 80 if _has_drawn_parts(document) and not has_our_marks(document) else 50

    def write_node(self, node: Node, form: str) -> JsonObject:
        """A node, its MCP data in the tool's names."""
        if node.type == "mcp":
            node = replace(node, data=mode_names.to_drawing_tool(node.data))
        return super().write_node(node, form)


def _has_mode_names(document: JsonObject) -> bool:
    return any(_names_a_mode(node) for node in _nodes(document))


def _names_a_mode(node: JsonObject) -> bool:
    data = node.get("data")
    if not isinstance(data, dict) or node.get("type") != "mcp":
        return False
    mode = data.get("mode")
    if isinstance(mode, str) and mode in mode_names.MODES:
        return True
    return any(key in data for key in mode_names.CONFIGS)


def _has_drawn_parts(document: JsonObject) -> bool:
    if not EXTRAS.isdisjoint(document):
        return True
    return any(node.get("type") in DRAWN for node in _nodes(document) if _has_text_type(node))


def _has_text_type(node: JsonObject) -> bool:
    return isinstance(node.get("type"), str)


def _nodes(document: JsonObject) -> list[JsonObject]:
    found = document.get("nodes")
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


format = Lossless(CcwfCodec())
