"""Nodes that are written inside another node, which are lost: all nodes are in one list.

Those in a loop or under an answer of FLOW.IF are its steps, one after the other; those in a group
are drawn in it. Where the graph already has edges for the port, they stay where they are.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from toolweave.json_text import Json, JsonObject
from toolweave.problems import pointer
from toolweave.workflow.formats.foreign_nodes import Dialect, are_nodes, is_inner_key, plain

Operation = dict[str, Any]  # Any: part of a JSON Patch, as in `Problem`

_LOOPS = frozenset({"LOOP", "FOR_EACH"})
_ANSWERS = {"then": "true", "true": "true", "iftrue": "true"} | {
    "else": "false",
    "false": "false",
    "iffalse": "false",
}
_EDGES = ("connections", "edges")
_ENDS = ("from_node", "to_node", "from", "to", "source", "target")
_PORTS = ("output_key", "fromPort", "from_port", "sourceHandle")
_BODY = "loop"
_BODIES = frozenset({_BODY, "iteration"})
_MAX_DEPTH = 5

_Edge = tuple[str, str, str]


@dataclass(slots=True)
class _Lifted:
    """The nodes that were inside, the edges between them, and the keys they were under."""

    nodes: list[JsonObject] = field(default_factory=list[JsonObject])
    edges: list[_Edge] = field(default_factory=list[_Edge])
    keys: list[str] = field(default_factory=list[str])


def inner_parts(node: JsonObject) -> Iterator[tuple[str, str, list[Json]]]:
    """The place and the key of each list of nodes in a node."""
    data = node.get("data")
    inner = data if isinstance(data, dict) else {}
    settings = inner.get("configurations", node.get("configurations"))
    at = "/data/configurations" if "configurations" in inner else "/configurations"
    levels: list[tuple[str, Json]] = [("", node), ("/data", data), (at, settings)]
    for place, level in levels:
        for key, value in level.items() if isinstance(level, dict) else ():
            if holds_nodes(key, value) and isinstance(value, list):
                yield place + pointer(key), key, value


def holds_nodes(key: str, value: Json) -> bool:
    """Whether a member of a node is a list of nodes."""
    is_inner = isinstance(value, list) and (is_inner_key(key) or plain(key) in _ANSWERS)
    return is_inner and are_nodes(value)


def lifting(
    document: JsonObject, root: str, dialect: Dialect
) -> Iterator[tuple[str, list[Operation]]]:
    """The place of the nodes inside each node, and what takes them out; nothing if unclear."""
    nodes = document.get("nodes")
    edges = document.get("connections", [])
    if not isinstance(nodes, list) or not isinstance(edges, list) or "edges" in document:
        return
    taken = {str(one.get("id")) for one in nodes if isinstance(one, dict)}
    for at, node in enumerate(nodes):
        if not isinstance(node, dict) or next(inner_parts(node), None) is None:
            continue
        lifted = _lifted(node, edges, taken)
        if lifted is None:
            continue
        taken |= {str(one["id"]) for one in lifted.nodes}
        operations: list[Operation] = [
            {"op": "remove", "path": f"{root}/nodes/{at}{key}"} for key in lifted.keys
        ]
        operations += [
            {"op": "add", "path": f"{root}/nodes/-", "value": one} for one in lifted.nodes
        ]
        if lifted.edges and "connections" not in document:
            operations.append({"op": "add", "path": f"{root}/connections", "value": []})
        operations += [
            {"op": "add", "path": f"{root}/connections/-", "value": _edge(*one, dialect)}
            for one in lifted.edges
        ]
        yield f"{root}/nodes/{at}{lifted.keys[0]}", operations


def _lifted(
    node: JsonObject, edges: Sequence[Json], taken: set[str], depth: int = 0
) -> _Lifted | None:
    """What is inside a node, and inside that; None if it is not clear how it is joined."""
    found, own = _Lifted(), node.get("id")
    if not isinstance(own, str) or depth > _MAX_DEPTH:
        return None
    ports: set[str] = set()
    for place, key, inner in inner_parts(node):
        found.keys.append(place)
        port = _port(node, key)
        ids = [one.get("id") for one in inner if isinstance(one, dict)]
        names = [one for one in ids if isinstance(one, str) and one not in taken]
        if port is None or port in ports or len({*names}) != len(inner) or _has_edges(node, place):
            return None
        ports.add(port)
        members = [one for one in inner if isinstance(one, dict)]
        if port and not _named_in(edges, names):
            if _leaves(edges, own, port):
                return None
            if not all(_goes_on(one) for one in members[:-1]):
                return None
            found.edges += [(own, port, names[0]), *((a, "", b) for a, b in pairwise(names))]
        taken = taken | {*names}
        for member in members:
            deeper = _lifted(member, edges, taken, depth + 1)
            if deeper is None:
                return None
            taken = taken | {str(one["id"]) for one in deeper.nodes}
            bare = _without(member, deeper.keys)
            found.nodes += [bare if port else {**bare, "parentId": own}, *deeper.nodes]
            found.edges += deeper.edges
    return found


def _port(node: JsonObject, key: str) -> str | None:
    """The port that leads to the nodes under a key; "" for those drawn in a group."""
    if node.get("type") == "group":
        return "" if is_inner_key(key) else None
    data = node.get("data")
    subtype = node.get("subtype", data.get("subtype") if isinstance(data, dict) else None)
    if subtype in _LOOPS and is_inner_key(key):
        return _BODY
    return _ANSWERS.get(plain(key)) if subtype == "IF" else None


def _goes_on(node: JsonObject) -> bool:
    """Whether what follows a node follows its only usual port; a decision has several."""
    data = node.get("data")
    subtype = node.get("subtype", data.get("subtype") if isinstance(data, dict) else None)
    if next(inner_parts(node), None) is not None:
        return False
    return subtype not in {*_LOOPS, "IF", "SWITCH", "CLASSIFY", "STOP"} and node.get(
        "type"
    ) not in {*("ifElse", "switch", "branch", "askUserQuestion", "end", "HUMAN_IN_THE_LOOP")}


def _has_edges(node: JsonObject, place: str) -> bool:
    """Whether edges are written beside the nodes."""
    level: Json = node
    for step in place.split("/")[1:-1]:
        level = level.get(step) if isinstance(level, dict) else None
    return isinstance(level, dict) and any(level.get(one) for one in _EDGES)


def _named_in(edges: Sequence[Json], names: Sequence[str]) -> bool:
    """Whether the graph has edges for the nodes already."""
    return any(
        isinstance(edge, dict) and any(edge.get(end) in names for end in _ENDS) for edge in edges
    )


def _leaves(edges: Sequence[Json], source: str, port: str) -> bool:
    ports = _BODIES if port == _BODY else {port}
    return any(
        isinstance(edge, dict)
        and source in (edge.get(end) for end in _ENDS[::2])
        and any(edge.get(one) in ports for one in _PORTS)
        for edge in edges
    )


def _without(node: JsonObject, places: Sequence[str]) -> JsonObject:
    """The node without the parts at these places."""
    for place in places:
        node = _removed(node, place.split("/")[1:])
    return node


def _removed(level: Mapping[str, Json], steps: Sequence[str]) -> JsonObject:
    first = steps[0]
    inner = level.get(first)
    if len(steps) == 1:
        return {key: value for key, value in level.items() if key != first}
    return {**level, first: _removed(inner, steps[1:])} if isinstance(inner, dict) else {**level}


def _edge(source: str, port: str, target: str, dialect: Dialect) -> JsonObject:
    way = f"{source}.{port}" if port else source
    if dialect == "agent-team":
        ends: JsonObject = {"from_node": source, "to_node": target}
        return {"id": f"{way}->{target}", **ends, **({"output_key": port} if port else {})}
    ports: JsonObject = {"fromPort": port or "output", "toPort": "input"}
    return {"id": f"{way}->{target}", "from": source, "to": target, **ports}
