"""Edges without effect: to or from an annotation, into what starts a run, out of what ends it."""

from toolweave.problems import Problem
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.edge_ends import Operation, begins
from toolweave.workflow.checks.kinds import SILENT, style_of, type_of
from toolweave.workflow.checks.ports import is_attachment, out_ports
from toolweave.workflow.model import OUTPUT_PORT, Edge, Node, NodeId
from toolweave.workflow.revise_loops import leads_back

_GROUP = "group"
_MAX_NAMED = 5


def misplaced_edge(case: CheckContext, index: int, edge: Edge) -> Problem | None:
    """Return the warning about an edge that has no effect, by what its ends are."""
    source, target = case.graph.nodes[edge.source], case.graph.nodes[edge.target]
    if source.type in SILENT or target.type in SILENT:
        silent = source if source.type in SILENT else target
        code, message = "EDGE_AT_GROUP", f"{shown(silent.id)} is an annotation and never runs"
    elif begins(case, target):
        code, message = "EDGE_INTO_START", f"{shown(target.id)} starts the workflow"
    elif type_of(source) == "end":
        code, message = "EDGE_OUT_OF_END", f"{shown(source.id)} ends the workflow"
    else:
        return None
    hint, patch = _instead(case, index, edge)
    return Problem(
        code,
        case.at_edge(index),
        f"{message}; expected no edge {'out of' if code == 'EDGE_OUT_OF_END' else 'to'} it",
        hint=hint,
        severity="warning",
        patch=patch,
    )


def _instead(
    case: CheckContext, index: int, edge: Edge
) -> tuple[str, tuple[Operation, ...] | None]:
    """What to do with the edge, and the patch where there is one answer."""
    source, target = case.graph.nodes[edge.source], case.graph.nodes[edge.target]
    if _GROUP in {source.type, target.type}:
        return _of_group(case, index, edge)
    if (patch := _turned(case, index, edge)) is not None:
        return "turn the edge around", patch
    removed: tuple[Operation, ...] = ({"op": "remove", "path": case.at_edge(index)},)
    if begins(case, target) and type_of(source) == "end":
        return "remove the edge: a run is over there", removed
    if begins(case, target) and _only_repeats(case, edge):
        # A repetition may be meant, so that there is no patch.
        return "remove the edge; to repeat steps, use FLOW.LOOP and its port 'loop'", None
    return "remove the edge, or connect the nodes before and after it", None


def _only_repeats(case: CheckContext, edge: Edge) -> bool:
    """Whether an edge into the first node closes a circle, and can be meant for no other node."""
    graph = case.graph
    if edge.source not in graph.reachable([edge.target]):
        return False
    is_drawn = style_of(case) == "drawn"
    if is_drawn and (len(graph.outgoing(edge.source)) == 1 or edge in leads_back(graph)):
        return False  # the way lacks an end then, or a decision asks again
    known = all(one.source in graph.nodes and one.target in graph.nodes for _, one in case.edges)
    first = [one.id for one in graph.nodes.values() if begins(case, one)]
    attached = attached_nodes(case)
    reached = graph.reachable(first)
    return known and all(
        one.id in reached or one.id in attached or one.type in SILENT
        for one in graph.nodes.values()
    )


def _of_group(
    case: CheckContext, index: int, edge: Edge
) -> tuple[str, tuple[Operation, ...] | None]:
    """The only first node of a group that an edge leads to, or the only last one it comes from."""
    is_entered = case.graph.nodes[edge.target].type == _GROUP
    group, other = (edge.target, edge.source) if is_entered else (edge.source, edge.target)
    near = case.graph.incoming if is_entered else case.graph.outgoing
    attached = attached_nodes(case)
    inside = [one for one in _members(case, group) if one.id not in attached]
    found = [one.id for one in inside if not near(one.id) and not _is_closed(case, one, edge)]
    if len(found) != 1 or other == found[0] or any(one.id == other for one in inside):
        listed = " or ".join(repr(one) for one in found[:_MAX_NAMED])
        end = "lead to" if is_entered else "start at"
        hint = f"let it {end} {listed}" if len(found) > 1 else "connect the nodes themselves"
        return f"{hint}, or remove the edge", None
    # Whether the edge is meant for the box is not known for certain: there is no patch.
    said = "first" if is_entered else "last"
    return f"connect {found[0]!r}, the {said} node of the group, or remove the edge", None


def _is_closed(case: CheckContext, node: Node, edge: Edge) -> bool:
    """Whether a node of the group cannot be the end of an edge in place of the group."""
    if case.graph.nodes[edge.target].type == _GROUP:
        return begins(case, node)
    known = out_ports(case, node)
    return type_of(node) == "end" or (known is not None and edge.source_port not in known)


def _members(case: CheckContext, group: NodeId) -> list[Node]:
    """The nodes that run and are in a group or in one of its groups."""
    boxes = {group}
    while more := {
        one.id
        for one in case.graph.nodes.values()
        if one.type == _GROUP and one.parent in boxes and one.id not in boxes
    }:
        boxes |= more
    nodes = case.graph.nodes.values()
    return [one for one in nodes if one.parent in boxes and one.type not in SILENT]


def attached_nodes(case: CheckContext) -> set[str]:
    """The tools and memories that are attached to an agent, by an edge or by their ids."""
    found: set[str] = {edge.source for edge in case.graph.edges if is_attachment(edge)}
    for node in case.graph.nodes.values():
        listed = node.data.get("attachedNodes")
        found.update(
            one for one in (listed if isinstance(listed, list) else ()) if isinstance(one, str)
        )
    return found


def _turned(case: CheckContext, index: int, edge: Edge) -> tuple[Operation, ...] | None:
    """The edge the other way round, if its ends are the first or last of a way that lacks it."""
    graph = case.graph
    source, target = graph.nodes[edge.source], graph.nodes[edge.target]
    is_first = begins(case, target) and not graph.outgoing(target.id) and not begins(case, source)
    is_last = type_of(source) == "end" and len(graph.outgoing(source.id)) == 1
    others = [one for one in graph.incoming(source.id) if one is not edge]
    is_lost = is_first and not others
    is_left = is_last and not graph.outgoing(target.id) and bool(graph.incoming(target.id))
    if not (is_lost or is_left) or target.type in SILENT or source.type in SILENT:
        return None
    known = out_ports(case, target)
    if (known is not None and OUTPUT_PORT not in known) or edge.source_port != OUTPUT_PORT:
        return None
    return (
        {"op": "replace", "path": case.at_edge(index, "from"), "value": edge.target},
        {"op": "replace", "path": case.at_edge(index, "to"), "value": edge.source},
    )
