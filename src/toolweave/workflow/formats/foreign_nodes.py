"""Nodes as other systems write them, as operations that turn them into nodes of a dialect.

Only names and levels: which node a name means and which settings it has is known to the checks.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Any, Literal

from toolweave.catalog.spec import NODE_TYPES
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import pointer
from toolweave.tools.misspelling import misspelt

Dialect = Literal["toolweave", "agent-team"]
Operation = dict[str, Any]  # Any: part of a JSON Patch, as in `Problem`

# The parts of a catalog node: in the node itself, and in `data` of the canonical dialect.
_FLAT = {
    "subtype": "subtype",
    "configurations": "configurations",
    "input_params": "inputParams",
    "output_params": "outputParams",
    "attached_nodes": "attachedNodes",
}
_OF_DATA = {inner: flat for flat, inner in _FLAT.items()}
_PARTS = frozenset({*_FLAT, *_OF_DATA})
_USUAL: dict[Dialect, frozenset[str]] = {
    "toolweave": frozenset({"id", "type", "name", "position", "data", "parentId"}),
    "agent-team": frozenset(
        {"id", "type", "name", "description", "position", "parentId", "parameters", *_FLAT}
    ),
}
# A shorter key may be any word.
_LEAST = 4
_LOWER = frozenset({"id", "type", "name", "position", "data", "description"})
_USUAL_DATA = frozenset({*_OF_DATA, "description", "label"})
# Keys of an object around a list.
_LISTING = frozenset(
    {"items", "item", "list", "node", "nodes", "edges", "connections", "values", "data", "all"}
    | {"array", "elements", "entries"}
)
_IDS = frozenset(
    {"nodeid", "taskid", "stepid", "blockid", "key", "uid", "uuid", "identifier", "ref", "slug"}
)
_TYPES = frozenset({"nodetype", "kind", "class", "category", "typename", "steptype", "uses"})
_ATTACHED = frozenset(
    {"tools", "attached", "attachments", "agenttools", "toolnodes", "tool", "memory", "memories"}
    | {"subnodes", "attachednodes", "attachedtools", "children"}
)
# Keys of a node under which other systems have the nodes inside it.
_INNER = frozenset(
    {"nodes", "steps", "body", "children", "do", "tasks", "substeps", "subnodes", "loopbody"}
    | {"actions", "innernodes", "childnodes", "blocks", "bodynodes", "loopnodes", "loopsteps"}
)
_REPEATING = frozenset({"LOOP", "FOR_EACH"})
_BOTH = pattern(r"([A-Za-z_-]+)\s*(?:[./:]|::|->)\s*([A-Za-z][\w-]*)")
_TOOL = pattern(r"TOOL\s*[./:]\s*(MCP:[^\s/]+/\S+)", re.IGNORECASE)
_KNOWN_TYPES = frozenset(
    {*NODE_TYPES, "start", "end", "prompt", "subAgent", "subAgentFlow", "askUserQuestion"}
    | {"ifElse", "switch", "branch", "skill", "mcp", "codex", "group"}
)


@lru_cache(4096)  # nodes and edges have the same few keys
def plain(key: str) -> str:
    """A key in small letters without signs: `sourceHandle` and `source_handle` are one."""
    return "".join(filter(str.isalnum, key)).casefold()


def meant_key(key: str, free: Iterable[str]) -> str | None:
    """The only key of a dialect that a key is, by its letters or by a slip of the pen."""
    names = list(free)
    same = [one for one in names if plain(one) == plain(key)]
    if same:
        return same[0] if len(same) == 1 else None
    return misspelt(key, names) if len(key) >= _LEAST else None


def is_inner_key(key: str) -> bool:
    """Whether other systems have the nodes inside a node under this key."""
    return plain(key) in _INNER


def is_known_type(value: Json) -> bool:
    """Whether a value names a type of nodes, alone or with its subtype."""
    if not isinstance(value, str):
        return False
    return value in _KNOWN_TYPES or value.partition(".")[0].upper().removesuffix("_NODE") in (
        _KNOWN_TYPES
    )


def node_lists(document: JsonObject) -> list[str]:
    """The keys under which the nodes may be: what is there says it, whatever it is called."""
    return [key for key, value in document.items() if are_nodes(value)]


def are_nodes(value: Json) -> bool:
    """Whether it is a list or map of nodes of known types."""
    items = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(items, list) or not items:
        return False
    known = [one for one in items if isinstance(one, dict) and is_known_type(_type_of(one))]
    return len(known) == len(items)


def _type_of(node: JsonObject) -> Json:
    if "type" in node:
        return node["type"]
    return next((value for key, value in node.items() if plain(key) in _TYPES), None)


def as_list(nodes: Json) -> list[Json] | None:
    """The nodes of a map by id, or of an object around them, as a list; None for anything else."""
    if not isinstance(nodes, dict) or not nodes:
        return None
    if (inner := only_list(nodes)) is not None:
        return inner if are_nodes(inner) else None
    if not all(isinstance(one, dict) and one.get("id", key) == key for key, one in nodes.items()):
        return None
    return [{"id": key, **one} for key, one in nodes.items() if isinstance(one, dict)]


def only_list(value: Json) -> list[Json] | None:
    """The list in an object that has nothing else: `{"items": […]}`."""
    inner = next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else None
    is_listing = isinstance(value, dict) and plain(next(iter(value), "")) in _LISTING
    return inner if is_listing and isinstance(inner, list) else None


def dialect_of(nodes: list[Json]) -> Dialect:
    """The dialect that most of the nodes are written in."""
    flat = inner = 0
    for node in nodes:
        if not isinstance(node, dict):
            continue
        data = node.get("data")
        if isinstance(data, dict):
            inner += 1
        elif not _PARTS.isdisjoint(node) or "parameters" in node:
            flat += 1
    return "agent-team" if flat > inner else "toolweave"


def node_operations(
    node: JsonObject,
    place: str,
    dialect: Dialect,
    ids: Collection[str],
    unnamed: Collection[str] = (),
) -> list[Operation]:
    """What makes a node one of the dialect; nothing for nearly all.

    `unnamed`: the ends of edges that no node has as its id.
    """
    data, kind = node.get("data"), node.get("type")
    is_usual = _USUAL[dialect].issuperset(node) and "id" in node and "type" in node
    is_whole = isinstance(kind, str) and _joined(kind) is not None
    if is_usual and not is_whole and not hides_parts(node, data):
        return []
    operations = [*_identity(node, place, unnamed)]
    to, level = (f"{place}/data", data) if dialect == "toolweave" else (place, node)
    if dialect == "toolweave" and not isinstance(data, dict):
        if "data" in node or (_PARTS.isdisjoint(node) and not is_whole):
            return operations
        operations.append({"op": "add", "path": to, "value": {}})
        level = {}
    assert isinstance(level, dict)
    operations += _moves(node, place, to, level, dialect, ids)
    if isinstance(kind, str) and (names := _joined(kind)) and "subtype" not in level:
        operations.append({"op": "replace", "path": f"{place}/type", "value": names[0]})
        operations.append({"op": "add", "path": f"{to}/subtype", "value": names[1]})
    return operations


@lru_cache(1024)  # nodes have the same few types
def _joined(kind: str) -> tuple[str, str] | None:
    """The type and subtype in one text, such as `FLOW.IF` or `flow/if`."""
    if (tool := _TOOL.fullmatch(kind)) is not None:
        return "TOOL", tool[1]
    found = _BOTH.fullmatch(kind)
    if found is None:
        return None
    name = found[1].upper().replace("-", "_").removesuffix("_NODE")
    return (name, found[2].upper().replace("-", "_")) if name in NODE_TYPES else None


def hides_parts(node: JsonObject, data: Json) -> bool:
    """Whether a part of the node may be at another level."""
    kind = node.get("type")
    if isinstance(data, dict):
        return has_hidden_parts(kind, data)
    return _holds_parts(kind, node)


def has_hidden_parts(kind: Json, data: JsonObject) -> bool:
    """Whether a part of a node of this type may be at another level of its data."""
    if not _USUAL_DATA.issuperset(data) and kind in NODE_TYPES:
        return True
    return _holds_parts(kind, data)


def _holds_parts(kind: Json, owner: JsonObject) -> bool:
    settings = owner.get("configurations")
    if not isinstance(settings, dict):
        return False
    if owner.get("subtype") in _REPEATING and any(map(is_inner_key, settings)):
        return True
    return not _PARTS.isdisjoint(settings) or (
        kind == "AI_AGENT" and any(plain(key) in _ATTACHED for key in settings)
    )


def _identity(node: JsonObject, place: str, unnamed: Collection[str]) -> Iterator[Operation]:
    known = _USUAL["toolweave"] | _USUAL["agent-team"]
    others = {key: one for key, one in node.items() if key not in known and isinstance(one, str)}
    moved: dict[str, str] = {}
    if "type" not in node:
        found = [key for key, one in others.items() if is_known_type(one)]
        found = [key for key in found if plain(key) in _TYPES] or found
        if len(found) == 1:
            moved[found[0]] = "type"
    if "id" not in node:
        # An edge leads to it by what is its id.
        found = [key for key, one in others.items() if one in unnamed]
        found = found or [key for key, one in others.items() if plain(key) in _IDS and one]
        if len(found) == 1:
            moved[found[0]] = "id"
    for key in node.keys() - known - moved.keys():
        # `Data` or `dtaa` for `data`
        name = meant_key(key, _LOWER - node.keys() - {*moved.values()})
        if name is not None and plain(key) not in _IDS | _TYPES:
            moved[key] = name
    for key, name in moved.items():
        yield _move(place + pointer(key), f"{place}/{name}")


def _moves(
    node: JsonObject, place: str, to: str, level: JsonObject, dialect: Dialect, ids: Collection[str]
) -> Iterator[Operation]:
    """Moves of parts from other levels and other names to where the dialect has them."""
    taken = set(level)
    for owner, at in _levels(node, place, level, to):
        for key, value in owner.items():
            name = _part_name(key, value, node, ids)
            if name is None:
                continue
            name = name if dialect == "toolweave" else _OF_DATA[name]
            if (at, key) == (to, name) or name in taken:
                continue
            taken.add(name)
            yield _move(at + pointer(key), to + pointer(name))
    data = node.get("data")
    inner = data.get("data") if isinstance(data, dict) else None
    if isinstance(inner, dict) and _PARTS.issuperset(inner):
        yield {"op": "remove", "path": f"{place}/data/data"}
    if dialect == "agent-team" and isinstance(data, dict) and _PARTS.issuperset(data):
        yield {"op": "remove", "path": f"{place}/data"}


def _levels(
    node: JsonObject, place: str, level: JsonObject, to: str
) -> Iterator[tuple[JsonObject, str]]:
    yield level, to
    if to != place:
        yield {key: node[key] for key in node if key not in {"id", "type", "name", "data"}}, place
    data = node.get("data")
    if isinstance(data, dict):
        if to == place:
            yield data, f"{place}/data"
        inner = data.get("data")
        if isinstance(inner, dict):
            yield inner, f"{place}/data/data"
    settings = level.get("configurations")
    if isinstance(settings, dict):
        yield settings, f"{to}/configurations"


def _part_name(key: str, value: Json, node: JsonObject, ids: Collection[str]) -> str | None:
    """The canonical name of the part that a key means."""
    name = _FLAT.get(key, key)
    if name in _OF_DATA:
        is_text = isinstance(value, str)
        return name if is_text == (name == "subtype") or name == "attachedNodes" else None
    is_agent = node.get("type") == "AI_AGENT"
    if is_agent and plain(key) in _ATTACHED and isinstance(value, list) and value:
        is_named = all(isinstance(one, str) and one in ids for one in value)
        return "attachedNodes" if is_named else None
    return None


def _move(source: str, target: str) -> Operation:
    return {"op": "move", "from": source, "path": target}
