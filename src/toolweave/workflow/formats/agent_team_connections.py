"""Connections of the agent-team dialect: a list, or maps of maps in older files.

A map is converted to the objects of a list and back, so that the rest of the dialect sees one
shape. Markers of a form record the file's shape and the form of each connection.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from toolweave.json_text import Json, JsonObject
from toolweave.problems import pointer
from toolweave.workflow.formats.fields import (
    Notes,
    identifier,
    input_port,
    mapping,
    optional_text,
    output_port,
)
from toolweave.workflow.model import INPUT_PORT, OUTPUT_PORT, Edge, NodeId

# Shapes of the whole: {node: {connection_types: …}}, the same in another object, {node: […]}.
MAP, NESTED, LISTS = "map", "nested", "lists"
SHAPES = frozenset({MAP, NESTED, LISTS})
# Ways to put one connection.
CURRENT, PORTS, FROM, ENDS, LEAF = "current", "ports", "from", "ends", "leaf"
# Both nodes are referred to by name, not by id.
NAMED = "named"
_USED = {
    CURRENT: frozenset({"from_node", "to_node", "output_key", "to_port"}),
    PORTS: frozenset({"from_node", "to_node", "from_port", "to_port"}),
    FROM: frozenset({"from", "to", "from_port", "to_port"}),
    ENDS: frozenset({"from", "to"}),
    LEAF: frozenset({"from_node", "from_port", "node", "type", "index"}),
}


@dataclass(frozen=True, slots=True)
class ConnectionEnds:
    """What a connection joins, and which of its fields said so."""

    source: str
    target: str
    source_port: str
    target_port: str
    kind: str | None
    used: frozenset[str]


def shape_of(connections: Json) -> str:
    """Return the marker of a map's shape; None for a list."""
    if not isinstance(connections, dict):
        return ""
    if list(connections) == ["connections"] and isinstance(connections["connections"], dict):
        return NESTED
    return LISTS if any(isinstance(entry, list) for entry in connections.values()) else MAP


def taken_apart(connections: Json, shape: str) -> list[tuple[str, Json]]:
    """Every connection of a map, with its place below the map."""
    if not isinstance(connections, dict):
        return []
    if shape == NESTED:
        found = taken_apart(connections["connections"], MAP)
        return [(f"/connections{place}", item) for place, item in found]
    if shape == LISTS:
        return [
            (pointer(node, at), _leaf(leaf, {"from_node": node}))
            for node, leaves in connections.items()
            if isinstance(leaves, list)
            for at, leaf in enumerate(leaves)
        ]
    return [
        (
            pointer(node, "connection_types", port, "connections", at),
            _leaf(leaf, {"from_node": node, "from_port": port}),
        )
        for node, entry in connections.items()
        for port, group in _inside(entry, "connection_types").items()
        for at, leaf in enumerate(_listed(group))
    ]


def _leaf(leaf: Json, ends: JsonObject) -> Json:
    return ends | leaf if isinstance(leaf, dict) else leaf


def _inside(entry: Json, key: str) -> JsonObject:
    found = entry.get(key) if isinstance(entry, dict) else None
    return found if isinstance(found, dict) else {}


def _listed(group: Json) -> list[Json]:
    found = group.get("connections") if isinstance(group, dict) else None
    return found if isinstance(found, list) else []


def joined(edges: list[Json], form: str) -> Json:
    """Return the connections in the shape of the form."""
    shape = next((word for word in form.split() if word in SHAPES), "")
    if not shape:
        return edges
    leaves = [dict(edge) for edge in edges if isinstance(edge, dict)]
    if shape == LISTS:
        lists: dict[str, list[Json]] = {}
        for leaf in leaves:
            lists.setdefault(str(leaf.pop("from_node", "")), []).append(leaf)
        return {**lists}
    groups: dict[str, dict[str, list[Json]]] = {}
    for leaf in leaves:
        ports = groups.setdefault(str(leaf.pop("from_node", "")), {})
        ports.setdefault(str(leaf.pop("from_port", "main")), []).append(leaf)
    whole: JsonObject = {
        node: {
            "connection_types": {port: {"connections": listed} for port, listed in found.items()}
        }
        for node, found in groups.items()
    }
    return {"connections": whole} if shape == NESTED else whole


# What the canonical parts of a connection are called in it. The source of a leaf is the key of
# its map: the closest pointer is the leaf itself.
_NAMES: dict[str, dict[str, str]] = {
    CURRENT: {"/from": "/from_node", "/to": "/to_node", "/fromPort": "/output_key"}
    | {"/toPort": "/to_port"},
    PORTS: {"/from": "/from_node", "/to": "/to_node", "/fromPort": "/from_port"}
    | {"/toPort": "/to_port"},
    FROM: {"/fromPort": "/from_port", "/toPort": "/to_port"},
    ENDS: {"/from": "/from/node_id", "/to": "/to/node_id", "/fromPort": "/from/port"}
    | {"/toPort": "/to/port"},
    LEAF: {"/from": "", "/to": "/node", "/fromPort": "", "/kind": "/type"},
}


def end_places(item: JsonObject) -> Mapping[str, str]:
    """Return this connection's names of the canonical parts."""
    return _NAMES[_form(item)]


def form_of(item: JsonObject, form: str, names: Mapping[str, str]) -> str:
    """Return the form of a connection, if unusual in this document."""
    found = _form(item)
    usual = CURRENT if SHAPES.isdisjoint(form.split()) else LEAF
    words = [] if found == usual else [found]
    if names:
        source, target = _called(item, found, Notes())
        words += [NAMED] if source in names and target in names else []
    return " ".join(words)


def _called(item: JsonObject, form: str, notes: Notes) -> tuple[str, str]:
    """Return a connection's references to its nodes."""
    if form == ENDS:
        start, end = mapping(item, "from", notes), mapping(item, "to", notes)
        return identifier(start, "node_id", notes), identifier(end, "node_id", notes)
    source = identifier(item, "from" if form == FROM else "from_node", notes)
    return source, identifier(item, {FROM: "to", LEAF: "node"}.get(form, "to_node"), notes)


def _form(item: JsonObject) -> str:
    if "node" in item and "to_node" not in item:
        return LEAF
    if isinstance(item.get("from"), dict) or isinstance(item.get("to"), dict):
        return ENDS
    if "from" in item and "from_node" not in item:
        return FROM
    has_ports = "from_port" in item or "to_port" in item
    return PORTS if has_ports and "output_key" not in item else CURRENT


def read_ends(item: JsonObject, names: Mapping[str, str], notes: Notes) -> ConnectionEnds:
    """Return the ends of a connection in any form; nodes may be referred to by name."""
    form = _form(item)
    kind: str | None = None
    source, target = _called(item, form, notes)
    if form == ENDS:
        start, end = mapping(item, "from", Notes()), mapping(item, "to", Notes())
        out, into = optional_text(start, "port", notes), optional_text(end, "port", notes)
    else:
        out = optional_text(item, "output_key" if form == CURRENT else "from_port", notes)
        into = None if form == LEAF else optional_text(item, "to_port", notes)
    if form == LEAF:
        kind = optional_text(item, "type", notes)
        kind = None if kind is None or kind.casefold() == "main" else kind
    used = _USED[form]
    if form == LEAF and item.get("index", 0) != 0:
        used = used - {"index"}
    return ConnectionEnds(
        names.get(source, source),
        names.get(target, target),
        OUTPUT_PORT if out in {"result", "main"} else output_port(out),
        INPUT_PORT if into == "main" else input_port(into),
        kind,
        used,
    )


def write_ends(edge: Edge, form: str, called: Mapping[str, str]) -> JsonObject:
    """Write an edge in the given form."""
    words = form.split()
    if NAMED in words:
        source, target = (called.get(node, node) for node in (edge.source, edge.target))
        edge = replace(edge, source=NodeId(source), target=NodeId(target))
    usual = CURRENT if SHAPES.isdisjoint(words) else LEAF
    way = next((word for word in words if word in _USED), usual)
    out = "main" if edge.source_port == OUTPUT_PORT else edge.source_port
    into = "main" if edge.target_port == INPUT_PORT else edge.target_port
    if way == CURRENT:
        key = "result" if edge.source_port == OUTPUT_PORT else edge.source_port
        ends: JsonObject = {"from_node": edge.source, "to_node": edge.target, "output_key": key}
        return ends if into == "main" else ends | {"to_port": into}
    if way == ENDS:
        return {
            "from": {"node_id": edge.source, "port": out},
            "to": {"node_id": edge.target, "port": into},
        }
    if way == LEAF:
        index = edge.extras.get("index", 0)
        leaf: JsonObject = {"node": edge.target, "type": edge.kind or "MAIN", "index": index}
        return {"from_node": edge.source, "from_port": out} | leaf
    prefix = "_node" if way == PORTS else ""
    return {
        f"from{prefix}": edge.source,
        f"to{prefix}": edge.target,
        "from_port": out,
        "to_port": into,
    }
