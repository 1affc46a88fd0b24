"""Keys of nodes that say which node comes before or after: `depends_on`, `next`. Not a check.

What they say are edges. All of them are made by one patch, which every such key is reported with:
a patch for each would leave a graph that is joined in part only.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from toolweave.json_text import Json
from toolweave.problems import Problem, pointer
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.edge_ends import Operation
from toolweave.workflow.checks.ports import out_ports
from toolweave.workflow.model import INPUT_PORT, OUTPUT_PORT, Node, NodeId

_NEXT = frozenset({"next", "nextnode", "nextstep", "goto", "then", "onsuccess", "transitionto"})
_BEFORE = frozenset({"dependson", "needs", "runafter", "previous", "parents", "after", "inputfrom"})
_MAX_TARGETS = 10
_MAX_EDGES = 200

# The source, its port and the target.
_Edge = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _Ordering:
    """One key with the edges that it asks for and that are not there."""

    place: str
    missing: tuple[_Edge, ...]


def is_ordering(key: str) -> bool:
    """Whether a key says which node comes before or after."""
    return (plain := _plain(key)) in _NEXT or plain in _BEFORE


def with_edges(case: CheckContext, problem: Problem) -> Problem:
    """The problem of such a key with a patch, if it is clear which edges it asks for."""
    clear = case.once(_orderings)
    own = clear.get(problem.pointer)
    if own is None:
        return problem
    if not own.missing:
        removed: Operation = {"op": "remove", "path": own.place}
        return replace(problem, hint="remove it: a connection says the same", patch=(removed,))
    asking = [one for one in clear.values() if one.missing]
    wanted = dict.fromkeys(edge for one in asking for edge in one.missing)
    if len(wanted) > _MAX_EDGES:
        return problem
    edges = [{"op": "add", "path": "/connections/-", "value": _edge(*one)} for one in wanted]
    removals = [{"op": "remove", "path": one.place} for one in asking]
    hint = "use connections instead"
    return replace(problem, hint=hint, patch=(*edges, *removals))


def _orderings(case: CheckContext) -> dict[str, _Ordering]:
    """The keys whose edges are clear, by their places."""
    known = {(edge.source, edge.target) for edge in case.workflow.edges}
    joined = {end for pair in known for end in pair}
    found: dict[str, _Ordering] = {}
    for index, node in enumerate(case.workflow.nodes):
        for place, key, value in _keys(index, node):
            wanted = _wanted(case, node, _plain(key) in _NEXT, value)
            missing = tuple(one for one in wanted or () if (one[0], one[2]) not in known)
            # Edges of its own say already what comes before and after it.
            if wanted and not (missing and node.id in joined):
                found[place] = _Ordering(place, missing)
    return found


def _keys(index: int, node: Node) -> Iterator[tuple[str, str, Json]]:
    at = pointer("nodes", index)
    for place, keys in ((at, node.extras), (f"{at}/data", node.data)):
        yield from ((place + pointer(key), key, keys[key]) for key in keys if is_ordering(key))


def _wanted(case: CheckContext, node: Node, is_next: bool, value: Json) -> list[_Edge] | None:
    """The edges that a value asks for; None if a node or the port of an edge is not clear."""
    by_port = value.items() if is_next and isinstance(value, dict) else ((OUTPUT_PORT, value),)
    wanted: list[_Edge] = []
    for port, one in by_port:
        for name in one if isinstance(one, list) else [one]:
            if not isinstance(name, str) or name not in case.graph.nodes or name == node.id:
                return None
            wanted.append((node.id, port, name) if is_next else (name, port, node.id))
    if not 0 < len(wanted) <= _MAX_TARGETS:
        return None
    return wanted if all(_has_port(case, source, port) for source, port, _ in wanted) else None


def _has_port(case: CheckContext, source: str, port: str) -> bool:
    known = out_ports(case, case.graph.nodes[NodeId(source)])
    return port in ((OUTPUT_PORT,) if known is None else known)


def _edge(source: str, port: str, target: str) -> dict[str, str]:
    way = source if port == OUTPUT_PORT else f"{source}.{port}"
    ends = {"id": f"{way}->{target}", "from": source, "to": target}
    return ends | {"fromPort": port, "toPort": INPUT_PORT}


def _plain(key: str) -> str:
    return key.replace("_", "").replace("-", "").casefold()
