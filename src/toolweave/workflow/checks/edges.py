"""Edges: both ends and their ports exist; no edge is duplicated or leads to its own source."""

from collections.abc import Iterator

from toolweave.catalog.spec import NodeSpec
from toolweave.problems import Problem
from toolweave.tools.meaning import meant as meant_options
from toolweave.tools.meaning import plain_word
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.edge_ends import EdgeEnds, Operation, way
from toolweave.workflow.checks.edges_without_effect import misplaced_edge
from toolweave.workflow.checks.kinds import DECISIONS, SILENT, is_loop, spec_of
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.checks.ports import (
    ERROR,
    LOOP_PORTS,
    NUMBERED,
    by_branch_number,
    choices_of,
    enters_by,
    is_attachment,
    meant_out,
    names_out,
    out_ports,
    port_said,
    said_by,
)
from toolweave.workflow.checks.spelling import MAX_LOOKED_UP, closest
from toolweave.workflow.formats.flow import FLOW_KINDS
from toolweave.workflow.model import INPUT_PORT, OUTPUT_PORT, SAME_AS_OUTPUT, Edge, Node, NodeId
from toolweave.workflow.revise_loops import leads_back

# Kinds of nodes that an edge may only enter, or only leave.
_CLOSED = SILENT | {"start", "end", "TRIGGER"}
# The port of a node with several outputs is not guessed.
MAX_PORTS = 100
_CHAIN = "chain"
# Kinds that ask for what a flow does not do.
_ASKING = frozenset(
    {"error", "onerror", "failure", "catch", "condition", "conditional", "true", "false", "yes"}
    | {"no", "else", "default", "loop", "loopback", "feedback", "back", "optional", "disabled"}
)
# Values that only style the edge on a canvas.
_DRAWN_KINDS = frozenset({"default", "straight", "step", "smoothstep", "bezier", "simplebezier"})


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield the problems of single edges; `cycles` checks cycles."""
    ends, ways = EdgeEnds(case), _Ways(case)
    never_source, never_target = _closed_ends(case)
    seen: dict[tuple[object, ...], int] = {}
    nodes = case.graph.nodes
    # Nearly all edges connect two nodes that no other edge connects.
    pairs = {(edge.source, edge.target) for edge in case.workflow.edges}
    are_different = len(pairs) == len(case.workflow.edges)
    for index, edge in case.edges:
        source, target = edge.source, edge.target
        # An edge without ends is reported when the file is parsed.
        if not source or not target:
            continue
        if source not in nodes or target not in nodes:
            yield from ends.unknown(index, edge)
            continue
        if source == target and not _may_repeat(case, edge):
            yield _to_itself(case, index, edge)
            continue
        if not are_different:
            first = seen.setdefault((source, target, *way(edge)), index)
            if first != index:
                yield _twice(case, index, first, edge)
        if (source in never_source or target in never_target) and (
            misplaced := misplaced_edge(case, index, edge)
        ):
            yield misplaced
        if case.format == "flow":
            yield from kind_problems(case, index, edge)
        if not ways.has_both(edge) and not is_attachment(edge):
            yield from ways.problems(index, edge)
    yield from _open_branches(case)


def _closed_ends(case: CheckContext) -> tuple[set[NodeId], set[NodeId]]:
    """Return the nodes that no edge may leave, and those that none may enter."""
    never_source: set[NodeId] = set()
    never_target: set[NodeId] = set()
    table, nodes = node_table(case), case.graph.nodes
    for facts in table.of_kinds(_CLOSED):
        node = facts.node
        if nodes[node.id] is not node:
            continue
        is_silent = node.type in SILENT
        if is_silent or facts.kind == "end":
            never_source.add(node.id)
        if is_silent or node.type == "TRIGGER" or facts.kind == "start":
            never_target.add(node.id)
    for facts, _, _ in table.having(_takes_nothing):
        node = facts.node
        # A node whose name is misspelt may be meant to be another one.
        if case.specs[facts.index] is not None and nodes[node.id] is node and facts.kind != "mcp":
            never_target.add(node.id)
    return never_source, never_target


def _takes_nothing(spec: NodeSpec) -> bool:
    return not spec.input_ports


def _to_itself(case: CheckContext, index: int, edge: Edge) -> Problem:
    message = f"the edge connects {shown(edge.source)} to itself; expected another node"
    hint = "choose another node or remove it; to repeat a step, use FLOW.LOOP"
    return Problem("EDGE_TO_ITSELF", case.at_edge(index), message, hint=hint)


def _may_repeat(case: CheckContext, edge: Edge) -> bool:
    """Whether it is the empty body of a loop, or a drawn decision that asks again."""
    if is_loop(case.graph.nodes[edge.source]) and edge.source_port in LOOP_PORTS:
        return True
    return any(one is edge for one in leads_back(case.graph))


def _twice(case: CheckContext, index: int, first: int, edge: Edge) -> Problem:
    return Problem(
        "EDGE_DUPLICATE",
        case.at_edge(index),
        f"duplicate of the edge from {shown(edge.source)} to {shown(edge.target)} "
        f"at {case.at_edge(first)}",
        hint="remove one of the two",
        severity="warning",
        patch=(_remove(index),),
    )


def kind_problems(case: CheckContext, index: int, edge: Edge) -> Iterator[Problem]:
    """Yield a problem for an edge of a flow whose kind no flow has."""
    if edge.kind is None or edge.kind in {*FLOW_KINDS, *_DRAWN_KINDS}:
        return
    place = case.at_edge(index, "kind")
    meant = closest(edge.kind, FLOW_KINDS)
    found = meant_options(edge.kind, FLOW_KINDS) if meant is None else []
    if len(found) == 1:
        meant = found[0]
    if meant is None and (is_attachment(edge) or plain_word(edge.kind) in _ASKING):
        hint = f"it is treated as {_CHAIN}; write 'data' or {_CHAIN!r}"
    elif meant is None and not found:
        # Other kinds are treated as this one, so that writing it changes nothing.
        hint, meant = f"it is treated as {_CHAIN}: write {_CHAIN!r}", _CHAIN
    else:
        hint = f"did you mean {meant!r}?" if meant else f"write {' or '.join(map(repr, found))}"
    yield Problem(
        "EDGE_KIND_UNKNOWN",
        place,
        f"unknown edge kind {shown(edge.kind)}; expected data or chain",
        hint=hint,
        severity="warning",
        patch=({"op": "replace", "path": place, "value": meant},) if meant else None,
    )


class _Ways:
    """The ports of both ends, cached by specification or node."""

    def __init__(self, case: CheckContext) -> None:
        self._case = case
        # By node, and by specification.
        self._out: dict[str, tuple[tuple[str, ...], frozenset[str]] | None] = {}
        self._out_of_spec: dict[str, tuple[tuple[str, ...], frozenset[str]] | None] = {}
        self._left = MAX_LOOKED_UP

    def has_both(self, edge: Edge) -> bool:
        """Whether both ports are usual ones of their nodes."""
        if edge.target_port != INPUT_PORT:
            return False
        source = self._case.graph.nodes[edge.source]
        port = edge.source_port
        if source.type == "mcp" and port == OUTPUT_PORT:
            return True
        known = self._ways_out(source)
        return known is None or port in known[1]

    def problems(self, index: int, edge: Edge) -> Iterator[Problem]:
        """Yield a problem for each port that its node does not have."""
        nodes = self._case.graph.nodes
        known = self._ways_out(nodes[edge.source])
        if known is not None and edge.source_port not in known[1]:
            yield self._unknown(index, edge, known[0])
        target = nodes[edge.target]
        if not enters_by(self._case, target, edge.target_port) and self._left > 0:
            yield from self._unknown_target(index, edge, target)

    def _ways_out(self, node: Node) -> tuple[tuple[str, ...], frozenset[str]] | None:
        spec = self._case.spec(node)
        key, kept = node.id, self._out
        if spec is not None and spec.ref not in NUMBERED:
            key, kept = spec.ref, self._out_of_spec
        try:
            return kept[key]
        except KeyError:
            known = out_ports(self._case, node)
            found = None if known is None else (known, names_out(self._case, node, known))
            kept[key] = found
            return found

    def _unknown(self, index: int, edge: Edge, known: tuple[str, ...]) -> Problem:
        place = self._case.at_edge(index, "fromPort")
        if (shifted := self._from_one(edge, known)) is not None:
            message = f"the ports of {shown(edge.source)} are counted from 0, not from 1"
            return Problem("EDGE_PORT_UNKNOWN", place, message, patch=shifted)
        if edge.target_port in (*known, ERROR) and edge.source_port == OUTPUT_PORT:
            target = self._case.graph.nodes[edge.target]
            if not enters_by(self._case, target, edge.target_port):
                return self._at_other_end(index, edge)
        meant = self._meant(edge, known)
        is_old = edge.source_port in SAME_AS_OUTPUT and meant == OUTPUT_PORT
        listed = ", ".join((*known[:20], ERROR))
        wrong = shown(edge.source_port)
        return Problem(
            "EDGE_PORT_UNKNOWN",
            place,
            f"{shown(edge.source)} has no output port {wrong}; expected one of {listed}",
            hint=f"did you mean {meant!r}?" if meant else "choose one of its output ports",
            severity="warning" if is_old else "error",
            patch=(
                # `add` also replaces, and a file may leave out the port.
                {"op": "add", "path": place, "value": meant},
                *_extra(self._case, index, meant, known),
            )
            if meant
            else None,
        )

    def _at_other_end(self, index: int, edge: Edge) -> Problem:
        """The output port is given as the input port."""
        place, port = self._case.at_edge(index, "fromPort"), edge.target_port
        return Problem(
            "EDGE_PORT_UNKNOWN",
            place,
            f"{port!r} is an output port of {shown(edge.source)}; it is given as the input port",
            hint=f"write {port!r} as 'fromPort'",
            patch=(
                {"op": "add", "path": place, "value": port},
                {"op": "add", "path": self._case.at_edge(index, "toPort"), "value": INPUT_PORT},
            ),
        )

    def _from_one(self, edge: Edge, known: tuple[str, ...]) -> tuple[Operation, ...] | None:
        """Number all edges of a decision from 0, where they are numbered from 1 without a gap."""
        if not 2 <= len(known) <= MAX_PORTS:
            return None
        if any(one != f"branch-{at}" for at, one in enumerate(known)):
            return None
        used = [(at, one) for at, one in self._case.edges if one.source == edge.source]
        ports = sorted(one.source_port for _, one in used if one.source_port != ERROR)
        if ports != [f"branch-{at + 1}" for at in range(len(known))]:
            return None
        return tuple(
            {
                "op": "add",
                "path": self._case.at_edge(at, "fromPort"),
                "value": f"branch-{int(one.source_port.removeprefix('branch-')) - 1}",
            }
            for at, one in used
            if one.source_port != ERROR
        )

    def _meant(self, edge: Edge, known: tuple[str, ...]) -> str | None:
        self._left -= 1
        if self._left < 0 or len(known) > MAX_PORTS:
            return None
        used = frozenset(one.source_port for one in self._case.graph.outgoing(edge.source))
        node = self._case.graph.nodes[edge.source]
        return meant_out(node, edge, known, used) or by_branch_number(edge.source_port, known, used)

    def _unknown_target(self, index: int, edge: Edge, target: Node) -> Iterator[Problem]:
        """Yield unknown input ports; any name is valid if an expression reads it."""
        self._left -= 1
        if f"inputs.{edge.target_port}" in repr(target.data):
            return
        ways = self._ways_out(self._case.graph.nodes[edge.source])
        if ways is not None and edge.source_port not in ways[1] and edge.target_port in ways[1]:
            return  # said of the output port
        place = self._case.at_edge(index, "toPort")
        spec = spec_of(self._case, target)
        known = [port.name for port in spec.input_ports] if spec else [INPUT_PORT]
        yield Problem(
            "EDGE_TARGET_PORT_UNKNOWN",
            place,
            f"{shown(edge.target)} has no input port {shown(edge.target_port)}",
            hint=f"use {' or '.join(repr(name) for name in known)}",
            severity="warning",
            patch=({"op": "replace", "path": place, "value": known[0]},)
            if len(known) == 1
            else None,
        )


def _open_branches(case: CheckContext) -> Iterator[Problem]:
    """Yield branches of drawn decisions without an edge, if other branches have one."""
    for facts in node_table(case).of_kinds(DECISIONS):
        node = facts.node
        if node.type not in DECISIONS or case.graph.nodes[node.id] is not node:
            continue
        used = {edge.source_port for edge in case.graph.outgoing(node.id)}
        if not used or OUTPUT_PORT in used:
            continue
        key = "options" if node.type == "askUserQuestion" else "branches"
        for at, choice in enumerate(choices_of(node)):
            if f"branch-{at}" in used:
                continue
            label = choice.get("label") if isinstance(choice, dict) else None
            yield Problem(
                "BRANCH_OPEN",
                case.at(node, "data", key, at),
                f"{shown(label) if label else f'branch-{at}'} of {shown(node.id)} is not connected",
                hint=f"connect its port 'branch-{at}' if a step should follow",
                severity="warning",
            )


def _remove(index: int) -> dict[str, str]:
    return {"op": "remove", "path": f"/connections/{index}"}


def _extra(
    case: CheckContext, index: int, port: str, known: tuple[str, ...]
) -> Iterator[Operation]:
    """Yield the removal of an unknown key that names the port, such as `sourceHandle`."""
    for key, value in said_by(case.workflow.edges[index]).items():
        if port_said(value, known) == port:
            yield {"op": "remove", "path": case.at_edge(index, key)}
