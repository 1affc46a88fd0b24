"""The structure of the workflow: a start, an end, and no unreachable nodes.

A workflow without an end can run, and so can an unconnected node; both are warnings.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from toolweave.json_text import Json
from toolweave.problems import Problem, Severity, pointer
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.edge_ends import plain_node, way
from toolweave.workflow.checks.identity import Ids, named_in
from toolweave.workflow.checks.kinds import (
    DECISIONS,
    SILENT,
    is_catalog,
    is_known,
    meant_type,
    style_of,
    type_of,
)
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.checks.ports import is_attachment, out_ports
from toolweave.workflow.checks.spelling import closest
from toolweave.workflow.model import INPUT_PORT, OUTPUT_PORT, Node, NodeId

# With more open ends than this, no edges are proposed.
MAX_JOINED = 10

Operation = dict[str, Any]  # Any: part of a JSON Patch, as in `Problem`


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield the problems of the workflow as a whole."""
    shape = _Shape(case)
    yield from _listed_triggers(case)
    if not shape.running:
        yield Problem(
            "WORKFLOW_EMPTY",
            pointer("nodes"),
            "the workflow is empty; expected at least one node",
            hint="add a node",
        )
    elif shape.style == "flow":
        yield from _alone(shape)
    else:
        yield from _beginning(shape)
        if shape.begins:
            yield from _unreached(shape)
            if shape.style == "drawn":
                yield from _ending(shape)


@dataclass(frozen=True)
class _Shape:
    case: CheckContext

    @cached_property
    def style(self) -> str:
        return style_of(self.case)

    @cached_property
    def running(self) -> list[Node]:
        return [one.node for one in node_table(self.case).first if one.node.type not in SILENT]

    @cached_property
    def types(self) -> dict[NodeId, str]:
        facts = node_table(self.case).first
        return {one.node.id: one.kind for one in facts if one.node.type not in SILENT}

    @cached_property
    def has_unknown(self) -> bool:
        """Whether a node has an unknown type."""
        return any(
            not is_known(self.case, node) and (is_catalog(node) or meant_type(node.type) is None)
            for node in self.running
        )

    @cached_property
    def has_wrong_edge(self) -> bool:
        """Whether an edge may be meant for another node than it connects."""
        silent = {one.id for one in self.case.workflow.nodes if one.type in SILENT}
        known = self.case.graph.nodes.keys() - silent
        return any(
            edge.source == edge.target or not {edge.source, edge.target} <= known
            for edge in self.case.workflow.edges
        )

    @cached_property
    def begins(self) -> list[NodeId]:
        kinds = set(self.types.values())
        starts = {kind for kind in kinds if kind == "start" or kind.upper().startswith("TRIGGER")}
        return [node for node, kind in self.types.items() if kind in starts]

    @cached_property
    def ends(self) -> list[NodeId]:
        return [node for node, kind in self.types.items() if kind == "end"]

    @cached_property
    def reached(self) -> frozenset[NodeId]:
        return self.case.graph.reachable(self.begins)

    @cached_property
    def attached(self) -> set[str]:
        """Nodes that are attached to an agent."""
        found: set[str] = {edge.source for edge in self.case.graph.edges if is_attachment(edge)}
        for node in self.running:
            listed = node.data.get("attachedNodes")
            found.update(one for one in _listed(listed) if isinstance(one, str))
        return found

    @cached_property
    def fed(self) -> frozenset[NodeId]:
        """Nodes with an incoming edge."""
        return self.case.graph.fed

    @cached_property
    def leading(self) -> set[NodeId]:
        """Nodes with an outgoing edge."""
        return {edge.source for edge in self.case.graph.edges if edge.source != edge.target}

    @cached_property
    def roots(self) -> list[NodeId]:
        """Nodes without an incoming edge, except starts."""
        begins = set(self.begins)
        return [
            node
            for node in self.types
            if node not in self.fed and node not in begins and node not in self.attached
        ]

    @cached_property
    def lost(self) -> frozenset[str]:
        """The types of missing nodes that an edge refers to; that problem's patch adds them."""
        nodes = self.case.graph.nodes
        kinds: set[str] = set()
        for edge in self.case.workflow.edges:
            if edge.source not in nodes and "start" in edge.source.casefold():
                kinds.add("start")
            if edge.target not in nodes and "end" in edge.target.casefold():
                kinds.add("end")
        return frozenset(kinds)

    def loose(self) -> list[tuple[NodeId, str]]:
        """Unconnected output ports of reachable nodes."""
        found: list[tuple[NodeId, str]] = []
        for node_id, kind in self.types.items():
            if kind == "end" or node_id not in self.reached:
                continue
            node = self.case.graph.nodes[node_id]
            if node_id not in self.leading:
                found += [(node_id, port) for port in out_ports(self.case, node) or (OUTPUT_PORT,)]
            elif kind in DECISIONS or self.style == "catalog":
                used = {edge.source_port for edge in self.case.graph.outgoing(node_id)}
                ports = (out_ports(self.case, node) or ()) if OUTPUT_PORT not in used else ()
                found += [(node_id, port) for port in ports if port not in used]
            if len(found) > MAX_JOINED:
                break
        return found

    def joined(self, ways: list[tuple[NodeId, str]], target: str) -> list[Operation]:
        """Return edges from output ports to a node."""
        ids = Ids(edge.id for edge in self.case.workflow.edges)
        return [
            _added(
                "connections",
                {
                    "id": ids.free(f"{source}->{target}"),
                    "from": source,
                    "to": target,
                    "fromPort": port,
                    "toPort": INPUT_PORT,
                },
            )
            for source, port in ways
        ]


def _beginning(shape: _Shape) -> Iterator[Problem]:
    is_strict = shape.case.format == "ccwf"
    severity: Severity = "error" if is_strict else "warning"
    if not shape.begins:
        if shape.has_unknown or any(type_of(one) == "start" for one in shape.case.workflow.nodes):
            return  # it may be the start, or it has another node's id
        is_drawn = shape.style == "drawn"
        yield Problem(
            "START_MISSING",
            pointer("nodes"),
            f"the workflow has no {'start' if is_drawn else 'trigger'} node",
            hint="add one and connect it to the first step",
            severity=severity if is_drawn else "warning",
            patch=_begun(shape),
        )
    elif shape.style == "drawn":
        yield from _further_starts(shape, severity)
    elif len(shape.begins) > 1:
        yield from _idle_starts(shape)


def _begun(shape: _Shape) -> tuple[Operation, ...] | None:
    roots = [node for node in shape.roots if shape.types[node] != "end"]
    # A first node that is called so is more likely a start with a wrong type.
    is_named_so = any(str(node).casefold().startswith(("start", "begin")) for node in roots)
    if not 0 < len(roots) <= MAX_JOINED or "start" in shape.lost or is_named_so:
        return None
    ids = Ids(named_in(shape.case))
    if shape.style == "drawn":
        node = plain_node(ids.free("start"), "start")
    else:
        spec = shape.case.known.catalog.get("TRIGGER", "MANUAL")
        if spec is None:
            return None
        node = plain_node(ids.free("trigger"), "TRIGGER")
        given = {one.name: one.default for one in spec.configurations if one.required}
        node["data"] = {"subtype": "MANUAL", "configurations": given}
        node["name"] = "trigger"
    edges = [shape.joined([(node["id"], OUTPUT_PORT)], root)[0] for root in roots]
    return (_added("nodes", node), *edges)


def _further_starts(shape: _Shape, severity: Severity) -> Iterator[Problem]:
    """Yield starts after the first, including those with the same id."""
    first: Node | None = None
    left = MAX_JOINED
    for index, node in enumerate(shape.case.workflow.nodes):
        if type_of(node) != "start":
            continue
        if first is None:
            first = node
            continue
        left -= 1
        yield Problem(
            "START_TWICE",
            pointer("nodes", index),
            f"{shown(node.id)} is a second start after {shown(first.id)}; expected one",
            hint="connect one start to every first step",
            severity=severity,
            patch=_one_start(shape.case, index, node, first) if left >= 0 else None,
        )


def _idle_starts(shape: _Shape) -> Iterator[Problem]:
    """Yield starts of catalog workflows, which may have several, that lead nowhere."""
    for node in shape.begins:
        if node in shape.leading or not shape.leading.intersection(shape.begins):
            continue
        yield Problem(
            "START_TWICE",
            shape.case.at(shape.case.graph.nodes[node]),
            f"{shown(node)} starts the workflow and leads to no step; another start does",
            hint="connect it to its first step, or remove it",
            severity="warning",
        )


def _one_start(
    case: CheckContext, index: int, node: Node, first: Node
) -> tuple[Operation, ...] | None:
    removed = {"op": "remove", "path": pointer("nodes", index)}
    if case.graph.nodes[first.id] is not first:
        return None
    if case.graph.nodes[node.id] is not node:
        return (removed,)  # the edges belong to the other node with its id
    if any(node.id in repr(one.data) for one in case.workflow.nodes):
        return None  # an expression may refer to it
    if any(edge.target in {node.id, first.id} for edge in case.workflow.edges):
        return None
    known = {(edge.source, edge.target, *way(edge)) for edge in case.workflow.edges}
    removals: list[Operation] = []
    # Last edges first, so that removing one does not shift the others.
    for at, edge in reversed(case.edges):
        if edge.source != node.id:
            continue
        if (first.id, edge.target, *way(edge)) not in known:
            return None  # it starts something else: which of them runs, and when, is open
        removals.append({"op": "remove", "path": case.at_edge(at)})
    return (*removals, removed)


def _unreached(shape: _Shape) -> Iterator[Problem]:
    is_ended = any(end in shape.reached for end in shape.ends)
    found = [
        node
        for node in shape.roots
        if node not in shape.reached and (is_ended or shape.types[node] != "end")
    ]
    loose = shape.loose() if len(found) == 1 and not shape.has_wrong_edge else []
    for node_id in found:
        is_aside = shape.types[node_id] in {"TOOL", "MEMORY"}
        is_meant = len(loose) == 1 and not is_aside and _continues(shape, loose[0][0], node_id)
        patch = shape.joined(loose, node_id) if is_meant else None
        yield Problem(
            "NODE_UNREACHED",
            shape.case.at(shape.case.graph.nodes[node_id]),
            f"{shown(node_id)} cannot be reached from the start of the workflow",
            hint="attach it to an AI_AGENT, or remove it"
            if is_aside
            else f"connect {loose[0][0]!r} to it"
            if patch
            else "connect it with an edge, or remove it",
            severity="warning",
            patch=tuple(patch) if patch else None,
        )


def _continues(shape: _Shape, last: NodeId, first: NodeId) -> bool:
    """Whether a node shows that it follows another: it leads on, or reads what that one gives."""
    is_read = f"{last}" in repr(shape.case.graph.nodes[first].data)
    return first in shape.leading or is_read


def _ending(shape: _Shape) -> Iterator[Problem]:
    if any(end in shape.reached for end in shape.ends):
        return
    ways = [(node, port) for node, port in shape.loose() if node not in shape.leading]
    is_clear = 0 < len(ways) <= MAX_JOINED and "end" not in shape.lost
    # If the chain is broken, an end after its first part is not the intention.
    is_clear &= not any(node not in shape.reached for node in shape.roots if node not in shape.ends)
    is_clear &= not shape.has_wrong_edge
    hint = "connect the last step to an end node"
    if shape.ends:
        place, message = (
            shape.case.at(shape.case.graph.nodes[shape.ends[0]]),
            f"the end {shown(shape.ends[0])} is not connected",
        )
        patch = shape.joined(ways, shape.ends[0])
    else:
        place, message = pointer("nodes"), "the workflow has no end node"
        ids = Ids(named_in(shape.case))
        end = plain_node(ids.free("end"), "end")
        patch = [_added("nodes", end), *shape.joined(ways, end["id"])]
    code = "END_UNREACHED" if shape.ends else "END_MISSING"
    yield Problem(
        code, place, message, hint, severity="warning", patch=tuple(patch) if is_clear else None
    )


def _alone(shape: _Shape) -> Iterator[Problem]:
    """Yield nodes of a flow without an edge; a flow of one node needs none."""
    if len(shape.running) < 2:
        return
    for node in shape.running:
        is_joined = node.id in shape.fed or node.id in shape.leading
        if not is_joined and shape.types[node.id] not in {"multi_input", "input"}:
            yield Problem(
                "NODE_UNREACHED",
                shape.case.at(node),
                f"{shown(node.id)} has no edges",
                hint="connect it with an edge, or remove it",
                severity="warning",
            )


def _added(key: str, value: Json) -> Operation:
    return {"op": "add", "path": f"/{key}/-", "value": value}


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _listed_triggers(case: CheckContext) -> Iterator[Problem]:
    """Yield ids in `triggers` of no trigger; the nodes themselves say what starts a run."""
    given = case.workflow.extras.get("triggers")
    if not isinstance(given, list):
        return
    listed: list[Json] = given
    starts = [node.id for node in case.workflow.nodes if node.type == "TRIGGER"]
    for at, name in enumerate(listed):
        node = case.graph.nodes.get(NodeId(name)) if isinstance(name, str) else None
        spec = case.spec(node) if node is not None else None
        is_other = spec is not None and spec.type != "TRIGGER"
        if isinstance(name, str) and (node is None or (is_other and starts)):
            place = pointer("triggers", at)
            free = [one for one in starts if one not in listed]
            # With one trigger and one name there is no other that it can mean.
            is_only = len(starts) == len(listed) == len(free) == 1
            meant = free[0] if is_only else closest(name, free)
            yield Problem(
                "TRIGGER_UNKNOWN",
                place,
                f"{shown(name)} is no trigger" if is_other else f"there is no node {shown(name)}",
                hint=f"did you mean {meant!r}?" if meant else "list the ids of trigger nodes",
                severity="warning",
                patch=({"op": "replace", "path": place, "value": meant},) if meant else None,
            )
