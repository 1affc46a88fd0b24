"""The CCWF dialect of the visual editor: bare or wrapped, with its own names for modes.

Its extras (`slashCommandOptions`, `conversationHistory`, `tour`) are extras of the workflow under
the same names; its sub-agent flows are sub-flows.
"""

from dataclasses import replace

from toolweave.json_text import JsonObject
from toolweave.workflow.formats import mode_names
from toolweave.workflow.formats.dialect_detection import has_shape, marks_of
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.formats.lossless import Lossless
from toolweave.workflow.formats.toolweave import ToolweaveCodec
from toolweave.workflow.model import Node


class CcwfCodec(ToolweaveCodec):
    """The CCWF objects with the editor's names of modes."""

    name: FormatName = "ccwf"

    def recognises(self, document: JsonObject, *, is_wrapped: bool) -> int:
        """Certain by the wrapper and mode names, likely by editor-only fields."""
        if not has_shape(document):
            return 0
        marks = marks_of(document)
        if marks.remembers and "toolweave" in marks.remembers:
            return 98
        if is_wrapped or marks.has_their_modes:
            return 95
        return 85 if marks.has_drawn_parts and not marks.is_ours else 50

    def _is_usual_tool(self, data: JsonObject) -> bool:
        return False  # its names are never the canonical ones

    def write_node(self, node: Node, form: str) -> JsonObject:
        """Write a node with the editor's names of MCP fields."""
        if node.type == "mcp":
            node = replace(node, data=mode_names.to_editor_names(node.data))
        return super().write_node(node, form)


format = Lossless(CcwfCodec())
