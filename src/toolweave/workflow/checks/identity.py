"""Ids: every node and every edge has a unique id."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from toolweave.problems import Problem, pointer
from toolweave.tools.meaning import plain_word
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.model import Node

# The flow format's limit for node ids.
MAX_FLOW_ID = 50


class Ids:
    """Ids in use, and generated ones that are not."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._names = taken
        self._counts: dict[str, int] = {}

    def free(self, wanted: str) -> str:
        """Return a free id like `wanted` and reserve it."""
        found, count = wanted, self._counts.get(wanted, 1)
        while found in self._taken:
            count += 1
            found = f"{wanted}-{count}"
        self._taken.add(found)
        self._counts[wanted] = count
        return found

    @cached_property
    def _taken(self) -> set[str]:
        # Most workflows need no new id; then the ids are not collected.
        return set(self._names)


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield ids that are empty, duplicated or too long for a flow."""
    nodes, edges = case.workflow.nodes, case.workflow.edges
    ids, edge_ids = {node.id for node in nodes}, {edge.id for edge in edges}
    # Nearly all ids are there and different.
    if len(ids) < len(nodes) or "" in ids or case.format == "flow":
        yield from _nodes(case)
    if len(edge_ids) < len(edges) or "" in edge_ids:
        yield from _edges(case)


def _nodes(case: CheckContext) -> Iterator[Problem]:
    ids = Ids(named_in(case))
    first: dict[str, tuple[int, Node]] = {}
    for index, node in enumerate(case.workflow.nodes):
        if not node.id:
            place = pointer("nodes", index, "id")
            yield Problem(
                "NODE_ID_MISSING",
                place,
                "the node's id is empty; expected a unique text",
                hint="give it an id, and use the id in its edges",
                patch=(_replace(place, ids.free(f"node-{index + 1}")),),
            )
        elif node.id in first:
            yield _node_twice(case, index, first[node.id], ids)
        elif case.format == "flow" and len(node.id) > MAX_FLOW_ID:
            yield Problem(
                "NODE_ID_TOO_LONG",
                pointer("nodes", index, "id"),
                f"the id has {len(node.id)} characters; the flow format allows {MAX_FLOW_ID}",
                hint="shorten it, also in its edges and wherever its result is used",
                severity="warning",
            )
        first.setdefault(node.id, (index, node))


def named_in(case: CheckContext) -> Iterator[str]:
    """Return every node id that exists or is referred to."""
    for node in case.workflow.nodes:
        yield node.id
        if node.parent is not None:
            yield node.parent
        attached = node.data.get("attachedNodes")
        if isinstance(attached, list):
            yield from (one for one in attached if isinstance(one, str))
    for edge in case.workflow.edges:
        yield edge.source
        yield edge.target


def _node_twice(case: CheckContext, index: int, first: tuple[int, Node], ids: Ids) -> Problem:
    at, other = first
    node = case.workflow.nodes[index]
    place = pointer("nodes", index, "id")
    patch: tuple[dict[str, str], ...] | None = None
    if replace(node, position=None) == replace(other, position=None):
        patch = ({"op": "remove", "path": pointer("nodes", index)},)
        hint = "both are the same node; remove one"
    elif (renamed := _renamed(case, at, index)) is not None:
        # Whether the edges or the id were copied is not known for certain: there is no patch.
        meant, name = renamed
        hint = (
            f"edges lead to or from {name!r}, as the node at {pointer('nodes', meant)} is called: "
            "give it this id, or correct the edges"
        )
    else:
        # Which of the two an edge or a reference means is not known.
        hint = (
            f"give one of the two nodes another id, such as {ids.free(node.id)!r}, in its edges too"
        )
    message = f"the node id {node.id!r} is already used at {pointer('nodes', at)}"
    return Problem("NODE_ID_DUPLICATE", place, message, hint=hint, patch=patch)


def _renamed(case: CheckContext, *pair: int) -> tuple[int, str] | None:
    """Which of two nodes of one id has the only id that edges name and no node has.

    The name of one of them says it: it is that id, or the other one's name is the id of both.
    """
    nodes = case.workflow.nodes
    known = {node.id for node in nodes}
    ends = {end for edge in case.workflow.edges for end in (edge.source, edge.target)}
    lost = {end for end in ends - known if end}
    twice = nodes[pair[0]].id
    if len(lost) != 1 or sum(node.id == twice for node in nodes) != len(pair):
        return None
    (name,) = lost
    called = [plain_word(nodes[at].name) for at in pair]
    if plain_word(name) == plain_word(twice) or called[0] == called[1]:
        return None
    if plain_word(name) in called:
        return pair[called.index(plain_word(name))], name
    if plain_word(twice) in called:
        return pair[1 - called.index(plain_word(twice))], name
    return None


def _edges(case: CheckContext) -> Iterator[Problem]:
    ids = Ids(edge.id for edge in case.workflow.edges)
    first: dict[str, int] = {}
    for index, edge in case.edges:
        if edge.id and edge.id not in first:
            first[edge.id] = index
            continue
        place = case.at_edge(index, "id")
        if not edge.id:
            yield Problem(
                "EDGE_ID_MISSING",
                place,
                "the edge's id is empty; expected a unique text",
                hint="give it an id",
                severity="warning",
                patch=(_replace(place, ids.free(f"{edge.source}->{edge.target}")),),
            )
        else:
            yield Problem(
                "EDGE_ID_DUPLICATE",
                place,
                f"the edge id {edge.id!r} is already used at {case.at_edge(first[edge.id])}",
                hint="give one of the two edges another id",
                severity="warning",
                patch=(_replace(place, ids.free(edge.id)),),
            )


def _replace(place: str, value: str) -> dict[str, str]:
    return {"op": "replace", "path": place, "value": value}
