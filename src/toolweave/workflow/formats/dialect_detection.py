"""Distinguishes Toolweave and CCWF files, which share one shape."""

from dataclasses import dataclass

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.formats import mode_names
from toolweave.workflow.formats.envelope import X

# Node types and fields that only the visual editor writes.
DRAWN = frozenset(
    {
        *("subAgent", "subAgentFlow", "askUserQuestion", "ifElse", "switch", "branch"),
        *("skill", "codex", "group"),
    }
)
EXTRAS = frozenset({"slashCommandOptions", "conversationHistory", "tour", "subAgentFlows"})
_OUR_MODES = frozenset(mode_names.MODES.values())


@dataclass(slots=True)
class Marks:
    """What was seen in a document."""

    is_ours: bool = False  # catalog nodes, our names of modes, kinds of edges
    has_their_modes: bool = False
    has_drawn_parts: bool = False
    # The dialects it was made from; a file is never of a dialect it remembers.
    remembers: set[str] | None = None


def has_shape(document: JsonObject) -> bool:
    """Whether it has nodes with data and connections with from and to."""
    nodes, edges = document.get("nodes"), document.get("connections")
    if not isinstance(nodes, list) or not isinstance(edges, list | None) or "edges" in document:
        return False
    if edges:
        return any(isinstance(edge, dict) and _is_connection(edge) for edge in edges)
    if any(isinstance(node, dict) and "subtype" in node for node in nodes):
        return False
    return "name" in document or "id" in document or not isinstance(document.get("metadata"), dict)


def marks_of(document: JsonObject) -> Marks:
    """All marks, in one pass: files are large and every dialect asks."""
    marks = Marks(has_drawn_parts=not EXTRAS.isdisjoint(document))
    for edge in _listed(document.get("connections")):
        if isinstance(edge, dict):
            if "kind" in edge:
                marks.is_ours = True
            if X in edge:
                _remember(marks, edge[X])
    for node in _listed(document.get("nodes")):
        if isinstance(node, dict):
            _look_at(node, marks)
    if X in document:
        _remember(marks, document[X])
    return marks


def _look_at(node: JsonObject, marks: Marks) -> None:
    kind, data = node.get("type"), node.get("data")
    if isinstance(kind, str) and kind in DRAWN:
        marks.has_drawn_parts = True
    if X in node:
        _remember(marks, node[X])
    if not isinstance(data, dict):
        return
    if "subtype" in data:
        marks.is_ours = True
    if kind != "mcp":
        return
    mode = data.get("mode")
    if isinstance(mode, str) and mode in _OUR_MODES:
        marks.is_ours = True
    if (isinstance(mode, str) and mode in mode_names.MODES) or not (
        mode_names.CONFIGS.keys().isdisjoint(data)
    ):
        marks.has_their_modes = True


def _remember(marks: Marks, aside: Json) -> None:
    spelling = aside.get("spelling") if isinstance(aside, dict) else None
    if isinstance(spelling, dict):
        marks.remembers = {*(marks.remembers or ()), *spelling}


def _is_connection(edge: JsonObject) -> bool:
    return isinstance(edge.get("from"), str) and "from_port" not in edge and "to_port" not in edge


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
