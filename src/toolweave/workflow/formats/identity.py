"""Ambiguous parts of a workflow: duplicate ids, groups inside themselves, invisible characters,
names that look like paths.

Reported while parsing, when positions in the file are known; the rest is in `checks`.
"""

from collections.abc import Iterator

from toolweave.patterns import pattern
from toolweave.problems import Problem
from toolweave.workflow.formats.format import SourceMap
from toolweave.workflow.model import NodeId, Workflow

# Control characters, and those that turn the direction of the text around them.
_UNSEEN = pattern(
    "[\\x00-\\x1f\\x7f-\\x9f\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]"
)


def identity_problems(workflow: Workflow, places: SourceMap) -> Iterator[Problem]:
    """The problems of one workflow and its sub-flows."""
    # Nearly all ids are different, and files are large.
    if len({node.id for node in workflow.nodes}) < len(workflow.nodes):
        yield from _nodes_twice(workflow, places)
    if len({edge.id for edge in workflow.edges}) < len(workflow.edges):
        yield from _edges_twice(workflow, places)
    yield from _groups_in_themselves(workflow, places)
    yield from _odd_texts(workflow, places)
    for flow, where in zip(workflow.subflows, places.subflows, strict=True):
        yield from identity_problems(flow, where)


def _nodes_twice(workflow: Workflow, places: SourceMap) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for at, node in enumerate(workflow.nodes):
        place = places.original(f"/nodes/{at}")
        if node.id in first:
            yield Problem(
                "NODE_ID_DUPLICATE",
                f"{place}/id",
                f"the node id {node.id!r} is already used at {first[node.id]}",
                "give one of the two nodes another id, and update its edges",
            )
        first.setdefault(node.id, place)


def _edges_twice(workflow: Workflow, places: SourceMap) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for at, edge in enumerate(workflow.edges):
        place = places.original(f"/connections/{at}")
        if edge.id in first:
            yield Problem(
                "EDGE_ID_DUPLICATE",
                f"{place}/id",
                f"the edge id {edge.id!r} is already used at {first[edge.id]}",
                "give one of the two edges another id",
                "warning",
            )
        first.setdefault(edge.id, place)


def _groups_in_themselves(workflow: Workflow, places: SourceMap) -> Iterator[Problem]:
    parents = {node.id: node.parent for node in workflow.nodes if node.parent is not None}
    if not parents:
        return
    fine: set[NodeId] = set()
    place_of = {
        node.id: places.original(f"/nodes/{index}") for index, node in enumerate(workflow.nodes)
    }
    for start in parents:
        walk: dict[NodeId, None] = {}
        at: NodeId | None = start
        while at is not None and at not in fine and at not in walk:
            walk[at] = None
            at = parents.get(at)
        if at is not None and at in walk:
            yield Problem(
                "GROUP_CYCLE",
                place_of[at],
                f"the group {at!r} is inside itself",
                "remove the parentId of one of the groups",
            )
        fine.update(walk)


def _odd_texts(workflow: Workflow, places: SourceMap) -> Iterator[Problem]:
    name = workflow.name
    if name in {".", ".."} or "/" in name or "\\" in name:
        yield Problem(
            "WORKFLOW_NAME_PATH",
            places.original("/name"),
            f"the name {name!r} looks like a path",
            "its file name is derived from its letters and digits",
            "warning",
        )
    if _UNSEEN.search(name):
        yield _unseen("the workflow's name", name, places.original("/name"))
    # Files are large, and nearly all ids and names can be printed.
    if "".join([node.id + node.name for node in workflow.nodes]).isprintable():
        return
    for at, node in enumerate(workflow.nodes):
        if not node.id.isprintable() and _UNSEEN.search(node.id):
            yield _unseen("a node's id", node.id, places.original(f"/nodes/{at}/id"))
        if not node.name.isprintable() and _UNSEEN.search(node.name):
            yield _unseen("a node's name", node.name, places.original(f"/nodes/{at}/name"))


def _unseen(what: str, text: str, place: str) -> Problem:
    return Problem(
        "TEXT_UNSEEN_CHARACTERS",
        place,
        f"{what}, {text!r}, contains invisible characters",
        "remove control and direction characters",
        "warning",
    )
