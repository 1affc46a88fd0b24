"""Flows that link to other flows: a `flow-link` is replaced by the nodes of its target.

The link itself becomes a node that gathers the results of the other flow, so its name stays valid.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace

from toolweave.errors import Invalid
from toolweave.workflow.model import Edge, EdgeId, Node, NodeId, Workflow

LINK = "flow-link"
# Passes on what comes in.
PASSING = "start"
MAX_NODES = 1_000

# Returns another flow of the library by its name.
Other = Callable[[str], Awaitable[Workflow]]


async def link(workflow: Workflow, other: Other, above: tuple[str, ...] = ()) -> Workflow:
    """Return the flow with every link replaced. Raises `CIRCULAR_DEPENDENCY`, `FLOW_NOT_FOUND`."""
    path = (*above, workflow.name)
    for node in workflow.nodes:
        if node.type == LINK:
            inner = await _inner(node, other, path)
            workflow = _put_in(workflow, node, inner)
        if len(workflow.nodes) > MAX_NODES:
            message = f"the linked flows have more than {MAX_NODES} nodes"
            raise Invalid("VALIDATION_ERROR", message, hint="link fewer flows")
    return workflow


async def _inner(node: Node, other: Other, path: tuple[str, ...]) -> Workflow:
    wanted = (node.data.get(key) for key in ("flow", "flowName", "flowId"))
    name = next((one for one in wanted if isinstance(one, str) and one), "")
    found = await other(name)
    if found.name in path or name in path:
        around = " → ".join((*path, found.name))
        raise Invalid(
            "CIRCULAR_DEPENDENCY",
            f"flows link to each other: {around}",
            hint="remove one of the links",
        )
    return await link(found, other, path)


def _put_in(workflow: Workflow, node: Node, inner: Workflow) -> Workflow:
    taken = {one.id for one in workflow.nodes}
    names = {one.id: _free(one.id, node.id, taken) for one in inner.nodes}
    moved = tuple(_renamed(one, names) for one in inner.nodes)
    inside = tuple(
        replace(
            edge,
            id=EdgeId(f"{node.id}.{edge.id or at}"),
            source=names.get(edge.source, edge.source),
            target=names.get(edge.target, edge.target),
        )
        for at, edge in enumerate(inner.edges)
    )
    starts = {names[one.id] for one in inner.nodes} - {edge.target for edge in inside}
    ends = {names[one.id] for one in inner.nodes} - {edge.source for edge in inside}
    edges: list[Edge] = []
    for edge in workflow.edges:
        edges += _led_in(edge, starts) if edge.target == node.id else [edge]
    gathered = [
        Edge(EdgeId(f"{node.id}.end.{at}"), end, node.id) for at, end in enumerate(sorted(ends))
    ]
    result = replace(node, type=PASSING, data={})
    nodes = tuple(result if one is node else one for one in workflow.nodes)
    return replace(workflow, nodes=(*nodes, *moved), edges=(*edges, *inside, *gathered))


def _led_in(edge: Edge, starts: set[NodeId]) -> list[Edge]:
    return [
        replace(edge, id=EdgeId(f"{edge.id}.{at}"), target=start)
        for at, start in enumerate(sorted(starts))
    ]


def _free(name: NodeId, within: NodeId, taken: set[NodeId]) -> NodeId:
    """The same id, unless the outer flow has it."""
    free = name
    while free in taken:
        free = NodeId(f"{within}-{free}")
    taken.add(free)
    return free


def _renamed(node: Node, names: dict[NodeId, NodeId]) -> Node:
    text = node.data.get("template")
    data = node.data
    if isinstance(text, str):
        for old, new in names.items():
            if old != new:
                spelt = "|".join({re.escape(old), re.escape(old.replace("-", ""))})
                text = re.sub(rf"\{{(?:{spelt})_(result|template)\}}", rf"{{{new}_\1}}", text)
        data = {**data, "template": text}
    # The inner flow's end is not the end of the run.
    kind = PASSING if node.type in {"result", "end"} else node.type
    return replace(node, id=names[node.id], type=kind, data=data)
