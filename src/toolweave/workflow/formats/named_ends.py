"""Ends of edges that are the titles of nodes, in a document whose other edges have ids.

The agent-team dialect reads titles too, since older files name both ends of every edge so; such a
file stays as it is. Beside ids, a title is a slip that other programs do not read.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem

Operation = dict[str, Any]  # Any: part of a JSON Patch, as in `Problem`
_ENDS = ("from_node", "to_node")


def named_ends(edges: Sequence[Json], nodes: Mapping[str, JsonObject], place: str) -> list[Problem]:
    """A warning for each end that is the only title of its kind; none if no edge has ids."""
    found = [
        (at, key, end)
        for at, edge in enumerate(edges)
        if isinstance(edge, dict)
        for key in _ENDS
        if isinstance(end := edge.get(key), str) and end not in nodes
    ]
    if not found or not any(_has_ids(edge, nodes) for edge in edges):
        return []
    titles: dict[str, list[str]] = {}
    for name, node in nodes.items():
        titles.setdefault(str(node.get("name")), []).append(name)
    return [
        _problem(f"{place}/{at}/{key}", end, titles[end][0])
        for at, key, end in found
        if len(titles.get(end, ())) == 1
    ]


def _has_ids(edge: Json, nodes: Mapping[str, JsonObject]) -> bool:
    """Whether an end is the id of a node that has another title."""
    ends = [edge.get(key) for key in _ENDS] if isinstance(edge, dict) else []
    return any(
        isinstance(end, str) and end in nodes and nodes[end].get("name") != end for end in ends
    )


def _problem(place: str, title: str, node_id: str) -> Problem:
    operation: Operation = {"op": "replace", "path": place, "value": node_id}
    return Problem(
        "EDGE_END_TITLE",
        place,
        f"{title!r} is the title of the node {node_id!r}; the other edges have ids",
        hint=f"write {node_id!r}",
        severity="warning",
        patch=(operation,),
    )
