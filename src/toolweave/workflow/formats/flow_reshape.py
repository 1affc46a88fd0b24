"""Edges of flow files as other dialects write them: under `connections`, with `from` and `to`.

Only where every node is of a type that flows have, so that no other dialect can be meant.
"""

from typing import Any

from toolweave.json_text import Json, JsonObject
from toolweave.problems import pointer
from toolweave.workflow.formats.foreign_edges import edge_lists, ends_of
from toolweave.workflow.formats.foreign_nodes import only_list

Operation = dict[str, Any]  # Any: part of a JSON Patch, as in `Problem`
_EDGES = "edges"
_ENDS = frozenset({"source", "target"})
_TYPES = frozenset({"template", "multi_input", "result", "input", "flow-link"})
_HEADERS = ("metadata", "meta")


def flow_operations(document: JsonObject, root: str) -> tuple[str, list[Operation]]:
    """The place of edges in another form, and what makes them edges of a flow."""
    nodes = document.get("nodes")
    if not isinstance(nodes, list) or not all(map(_is_flow_node, nodes)):
        return "", []
    key = _EDGES if _EDGES in document else _only_list(document)
    given = document.get(key) if key else None
    inner = only_list(given)
    given = given if inner is None else inner
    if not isinstance(given, list) or not given or key is None:
        return "", []
    to = f"{root}/{_EDGES}"
    renamed = [_renamed(one, f"{to}/{at}") for at, one in enumerate(given)]
    # `connections` with ends of its own is the agent-team dialect, which can hold a flow.
    if any(one is None or (one and key != _EDGES) for one in renamed):
        return "", []
    operations = [step for steps in renamed for step in steps or ()]
    if inner is not None:
        operations.insert(0, {"op": "replace", "path": to, "value": inner})
    if key != _EDGES:
        operations.insert(0, {"op": "move", "from": root + pointer(key), "path": to})
    changed = [at for at, steps in enumerate(renamed) if steps]
    place = f"{to}/{changed[0]}" if len(changed) == 1 else root + pointer(key)
    return place, operations


def _only_list(document: JsonObject) -> str | None:
    """The other key of the edges; with a name beside the nodes, it is the canonical dialect."""
    found = edge_lists(document)
    has_header = any(isinstance(document.get(one), dict) for one in _HEADERS)
    return found[0] if len(found) == 1 and has_header and "name" not in document else None


def _is_flow_node(node: Json) -> bool:
    kind = node.get("type") if isinstance(node, dict) else None
    return isinstance(kind, str) and kind in _TYPES


def _renamed(edge: Json, place: str) -> list[Operation] | None:
    """The renames of an edge's ends; None if they are not both there."""
    if not isinstance(edge, dict):
        return None
    if edge.keys() >= _ENDS:
        return []
    ends = {key: end for key, end in ends_of(edge).items() if end in _ENDS}
    if sorted(ends.values()) != sorted(_ENDS):
        return None
    return [
        {"op": "move", "from": place + pointer(key), "path": f"{place}/{end}"}
        for key, end in ends.items()
        if key != end
    ]
