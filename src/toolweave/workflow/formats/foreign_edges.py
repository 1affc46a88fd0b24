"""Edges as other systems write them: other keys, pairs, arrows, maps by the source, n8n's maps.

An edge is only read where both of its ends are said; where a port is numbered, the type of the
source must have numbered ports.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import pointer
from toolweave.workflow.formats.foreign_nodes import Dialect, meant_key, only_list, plain

Operation = dict[str, Any]  # Any: part of a JSON Patch, as in `Problem`
Nodes = Mapping[str, JsonObject]

_LISTS = frozenset(
    {"edges", "links", "wires", "transitions", "arrows", "relations", "relationships", "paths"}
    | {"connection", "edge", "routes", "flows", "dependencies", "connectors", "sequenceflows"}
)
# The end of an edge by the plain form of its key.
_ENDS = {
    "source": frozenset(
        {"from", "fromnode", "source", "src", "fromid", "sourcenode", "sourceid", "start"}
        | {"startnode", "parent", "origin", "predecessor", "upstream", "sourcenodeid", "fromnodeid"}
        | {"fromstep", "sourcestep", "sourceref", "fromnodename", "sourcename", "tail", "begin"}
    ),
    "target": frozenset(
        {"to", "tonode", "target", "dst", "dest", "destination", "toid", "targetnode", "targetid"}
        | {"end", "endnode", "child", "successor", "downstream", "targetnodeid", "tonodeid", "next"}
        | {"tostep", "targetstep", "targetref", "tonodename", "targetname", "head", "finish"}
    ),
    "out": frozenset(
        {"fromport", "sourceport", "sourcehandle", "fromoutput", "output", "outputkey"}
        | {"outputport", "sourceoutput", "port", "handle", "fromhandle", "outputname"}
    ),
    "into": frozenset(
        {"toport", "targetport", "targethandle", "toinput", "input", "inputport", "targetinput"}
        | {"tohandle", "inputkey", "inputname"}
    ),
}
_END_OF = {key: end for end, keys in _ENDS.items() for key in keys}
_KEYS: dict[Dialect, dict[str, str]] = {
    "toolweave": {"source": "from", "target": "to", "out": "fromPort", "into": "toPort"},
    "agent-team": {
        "source": "from_node",
        "target": "to_node",
        "out": "output_key",
        "into": "to_port",
    },
}
_OWN: dict[Dialect, tuple[frozenset[str], ...]] = {
    "toolweave": (frozenset({"from", "to", "fromPort", "toPort"}),),
    "agent-team": (
        frozenset({"from_node", "to_node", "output_key", "to_port"}),
        frozenset({"from_node", "to_node", "from_port", "to_port"}),
        frozenset({"from", "to", "from_port", "to_port"}),
    ),
}
_ENDS_OF_EDGE = ("source", "target")
_STARTS = frozenset({"TRIGGER", "start"})
# Keys of edges that say nothing about their ends.
_OTHER = frozenset({"id", "type", "label", "condition", "data", "kind", "name", "style", "index"})
_IN_END = frozenset({"node", "nodeid", "id", "step", "name"})
_ARROW = pattern(r"\s*(?:-+>|=+>|→|⟶|➔|➜|>>|\|>)\s*")
_PORT = pattern(r"(?P<node>.+?)\s*(?:[:.#/]\s*(?P<port>[\w-]+)|[\[(]\s*(?P<in>[\w-]+)\s*[\])])")
_NUMBERED = {"IF": ("true", "false")}
# The items of an edge that is a list with its port.
_WITH_PORT = 3
# What the canonical dialect says of an edge without ports.
_PORTS = {"out": "output", "into": "input"}


def edge_lists(document: JsonObject, nodes: Nodes = MappingProxyType({})) -> list[str]:
    """The keys under which the edges may be, by their names or by the nodes they name."""
    named = [
        key
        for key, value in document.items()
        if isinstance(value, list | dict)
        and value
        and (plain(key) in _LISTS or meant_key(key, ("connections",)))
    ]
    others = {key: value for key, value in document.items() if key != "nodes"}
    return named or [key for key, value in others.items() if _are_edges(value, nodes)]


def _are_edges(value: Json, nodes: Nodes) -> bool:
    items = value if isinstance(value, list) else []
    return bool(items) and all(
        isinstance(one, dict) and len(_keys_of_nodes(one, nodes)) == len(_ENDS_OF_EDGE)
        for one in items
    )


def _keys_of_nodes(edge: JsonObject, nodes: Nodes) -> list[str]:
    return [
        key
        for key, one in edge.items()
        if isinstance(one, str) and one in nodes and key not in _OTHER
    ]


def source_key(edges: Sequence[Json], nodes: Nodes) -> str | None:
    """The key of the source, where no key is known: nothing leads to the start of a workflow."""
    starts: set[str] = set()
    for one in edges:
        named = _keys_of_nodes(one, nodes) if isinstance(one, dict) else []
        if not isinstance(one, dict) or len(named) != len(_ENDS_OF_EDGE):
            return None
        starts |= {key for key in named if str(nodes[str(one[key])].get("type")) in _STARTS}
    return starts.pop() if len(starts) == 1 else None


def edge_operations(
    edge: Json, place: str, dialect: Dialect, nodes: Nodes, source: str | None = None
) -> list[Operation]:
    """What makes an edge one of the dialect; nothing for nearly all.

    `source`: the key of the source, as the other edges show it.
    """
    if not isinstance(edge, dict):
        found = list(_of_text(edge, nodes, dialect))
        return [{"op": "replace", "path": place, "value": found[0]}] if len(found) == 1 else []
    ends, is_own = _ends_in(tuple(edge), dialect)
    if by_value := _ends_by_value(edge, ends, nodes, source):
        ends, is_own = {**ends, **by_value}, False
    if _has_inner_ends(edge, dialect):
        return []
    if any(isinstance(edge[key], dict | list) for key in ends):
        is_clear = len(set(ends.values())) == len(ends)
        return _of_objects(edge, place, ends, dialect) if is_clear else []
    if is_own or len(set(ends.values())) != len(ends):
        return []  # the dialect's own, or two keys for one end
    names = _KEYS[dialect]
    operations: list[Operation] = []
    for key, end in ends.items():
        if key == names[end]:
            continue
        if edge[key] is None:
            operations.append({"op": "remove", "path": place + pointer(key)})
        elif isinstance(edge[key], str | int):
            target = f"{place}/{names[end]}"
            operations.append({"op": "move", "from": place + pointer(key), "path": target})
    said = {end for key, end in ends.items() if edge[key] is not None}
    missing = _PORTS.items() if operations and dialect == "toolweave" else ()
    added = [(names[end], port) for end, port in missing if end not in said]
    return operations + [
        {"op": "add", "path": f"{place}/{name}", "value": port} for name, port in added
    ]


def _ends_by_value(
    edge: JsonObject, ends: Mapping[str, str], nodes: Nodes, source: str | None
) -> dict[str, str]:
    """The ends under keys of no known name: the only values that are ids of nodes."""
    missing = [one for one in _ENDS_OF_EDGE if one not in ends.values()]
    named = [key for key in _keys_of_nodes(edge, nodes) if key not in ends]
    if not missing or len(named) != len(missing) or (len(missing) > 1 and source not in named):
        return {}
    if len(missing) > 1 and named[0] != source:
        named.reverse()
    return dict(zip(named, missing, strict=True))


def ends_of(edge: JsonObject) -> dict[str, str]:
    """Which key of an edge is which end, by the words of any system."""
    return {key: end for key in edge if (end := _END_OF.get(plain(key))) is not None}


@lru_cache(1024)  # all edges of a document have the same keys
def _ends_in(keys: tuple[str, ...], dialect: Dialect) -> tuple[Mapping[str, str], bool]:
    """Which key is which end, and whether the dialect itself has these keys."""
    ends = {key: end for key in keys if (end := _END_OF.get(plain(key))) is not None}
    names = {name: end for end, name in _KEYS[dialect].items() if end not in ends.values()}
    for key in keys if names and not ends.keys() >= {*keys} - _OTHER else ():
        if key not in ends and key not in _OTHER and (name := meant_key(key, names)):
            ends[key] = names.pop(name)
    return ends, any(own.issuperset(ends) for own in _OWN[dialect])


def _has_inner_ends(edge: JsonObject, dialect: Dialect) -> bool:
    """Whether it is the older form with `{"from": {"node_id": …}}`."""
    return dialect == "agent-team" and any(
        isinstance(one := edge.get(key), dict) and "node_id" in one for key in ("from", "to")
    )


def _of_objects(
    edge: JsonObject, place: str, ends: Mapping[str, str], dialect: Dialect
) -> list[Operation]:
    """An edge whose ends are objects, such as `{"source": {"node": "a", "port": "true"}}`."""
    said: dict[str, Json] = {}
    for key, end in ends.items():
        value = edge[key]
        if not isinstance(value, dict):
            said[end] = value
            continue
        node = [one for name, one in value.items() if plain(name) in _IN_END]
        port = [one for name, one in value.items() if plain(name) in {"port", "handle", "output"}]
        if len(node) != 1 or len(port) > 1 or len(node) + len(port) != len(value):
            return []
        said[end] = node[0]
        if port:
            said["out" if end == "source" else "into"] = port[0]
    if any(isinstance(one, dict | list) for one in said.values()):
        return []
    rest = {key: value for key, value in edge.items() if key not in ends}
    names = _KEYS[dialect]
    said = {end: one for end, one in said.items() if one is not None}
    value = rest | {names[end]: one for end, one in (_usual(dialect) | said).items()}
    return [{"op": "replace", "path": place, "value": value}]


def _usual(dialect: Dialect) -> dict[str, Json]:
    return {**_PORTS} if dialect == "toolweave" else {}


def edge_list(given: Json, nodes: Nodes, dialect: Dialect) -> list[Json] | None:
    """All edges of a list with pairs, chains and several targets, or of a map; None if unclear."""
    if (inner := only_list(given)) is not None:
        return edge_list(inner, nodes, dialect) or inner
    if isinstance(given, list):
        if not any(_may_be_several(edge) for edge in given):
            return None
        found = [one for edge in given for one in _several(edge, nodes, dialect)]
        return found if len(found) >= len(given) and found != given else None
    if not isinstance(given, dict) or "connections" in given or _is_own_map(given):
        return None
    made: list[Json] = []
    for key, targets in given.items():
        source = _named(key, nodes)
        if source is None:
            return None
        edges = list(_of_entry(source, targets, nodes, dialect))
        if not edges and targets:
            return None
        made += edges
    return made or None


def _is_own_map(given: JsonObject) -> bool:
    """Whether it is one of the older maps of the agent-team dialect."""
    entries = list(given.values())
    if all(isinstance(one, dict) and "connection_types" in one for one in entries):
        return True
    return all(
        isinstance(one, list) and all(isinstance(leaf, dict) and "node" in leaf for leaf in one)
        for one in entries
    )


def _may_be_several(edge: Json) -> bool:
    return not isinstance(edge, dict) or list in map(type, edge.values())


def _several(edge: Json, nodes: Nodes, dialect: Dialect) -> Iterator[Json]:
    """One edge, or those of a chain or of several targets."""
    if not isinstance(edge, dict):
        found = list(_of_text(edge, nodes, dialect))
        yield from found or [edge]
        return
    lists = [key for key, value in edge.items() if isinstance(value, list) and value]
    if len(lists) == 1 and _END_OF.get(plain(lists[0])) in {"source", "target"}:
        ends = edge[lists[0]]
        assert isinstance(ends, list)
        if all(isinstance(one, str) for one in ends):
            rest = {key: value for key, value in edge.items() if key != "id" or len(ends) == 1}
            yield from (rest | {lists[0]: one} for one in ends)
            return
    yield edge


def _of_text(edge: Json, nodes: Nodes, dialect: Dialect) -> Iterator[JsonObject]:
    """The edges of `a -> b -> c`, of the pair `["a", "b"]`, or of `["a", "b", PORT]`."""
    if isinstance(edge, list) and len(edge) == _WITH_PORT:
        yield from _with_port(edge, nodes, dialect)
        return
    if isinstance(edge, str):
        parts: list[Json] = [*_ARROW.split(edge.strip())]
    else:
        parts = edge if isinstance(edge, list) else []
    ends = [_end(one, nodes) for one in parts]
    if (
        len(ends) < 2
        or any(end is None for end in ends)
        or (isinstance(edge, list) and len(ends) > 2)
    ):
        return
    for one, other in pairwise(ends):
        assert one is not None
        assert other is not None
        yield _edge(one[0], other[0], one[1], dialect)


def _with_port(edge: list[Json], nodes: Nodes, dialect: Dialect) -> Iterator[JsonObject]:
    """The edge of two nodes and the output port of the first, after it or at the end."""
    named = [_named(one, nodes) if isinstance(one, str) else None for one in edge]
    ports = [one for one, name in zip(edge, named, strict=True) if name is None]
    ends = [name for name in named if name is not None]
    if len(ends) != 2 or named[0] is None or not ports:
        return
    (port,) = ports
    said = port.strip() if isinstance(port, str) else ""
    if said:
        yield _edge(ends[0], ends[1], said, dialect)


def _end(text: Json, nodes: Nodes) -> tuple[str, str | None] | None:
    if not isinstance(text, str):
        return None
    if (name := _named(text, nodes)) is not None:
        return name, None
    found = _PORT.fullmatch(text)
    name = _named(found["node"], nodes) if found else None
    return None if found is None or name is None else (name, found["port"] or found["in"])


def _named(text: str, nodes: Nodes) -> str | None:
    """The id that a text is, or the only node of this name."""
    if text in nodes:
        return text
    found = [one for one, node in nodes.items() if node.get("name") == text]
    return found[0] if len(found) == 1 else None


def _of_entry(
    source: str, targets: Json, nodes: Nodes, dialect: Dialect, port: str | None = None
) -> Iterator[JsonObject]:
    """The edges of one source of a map."""
    if isinstance(targets, str):
        if (name := _named(targets, nodes)) is not None:
            yield _edge(source, name, port, dialect)
    elif isinstance(targets, list):
        is_by_index = bool(targets) and all(isinstance(one, list) for one in targets)
        for at, one in enumerate(targets):
            named = _numbered_port(nodes[source], at, len(targets)) if is_by_index else port
            if named != "":
                yield from _of_entry(source, one, nodes, dialect, named)
    elif isinstance(targets, dict):
        node = next((targets[key] for key in ("node", "to", "target") if key in targets), None)
        if isinstance(node, str):
            yield from _of_entry(source, node, nodes, dialect, port)
        elif port is None:
            for name, inner in targets.items():
                yield from _of_entry(
                    source, inner, nodes, dialect, None if name == "main" else name
                )


def _numbered_port(node: JsonObject, at: int, count: int) -> str | None:
    """The port with this number; "" where the node has no numbered ports."""
    data = node.get("data")
    subtype = node.get("subtype", data.get("subtype") if isinstance(data, dict) else None)
    if count == 1:
        return None
    if subtype == "IF":
        return _NUMBERED["IF"][at] if at < 2 else ""
    return f"case-{at}" if subtype == "SWITCH" else ("" if at else None)


def _edge(source: str, target: str, port: str | None, dialect: Dialect) -> JsonObject:
    names = _KEYS[dialect]
    way = source if port is None else f"{source}.{port}"
    ends: dict[str, Json] = {"source": source, "target": target, **_usual(dialect)}
    if port is not None:
        ends["out"] = port
    return {"id": f"{way}->{target}", **{names[end]: one for end, one in ends.items()}}
