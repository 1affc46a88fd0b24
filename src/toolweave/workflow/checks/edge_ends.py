"""Ends of edges that no node has: which node was meant, or what else mends the edge."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from toolweave.problems import Problem, did_you_mean
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.kinds import SILENT, is_loop, spec_of, style_of, type_of
from toolweave.workflow.checks.ports import NEXT, is_attachment, names_out, out_ports
from toolweave.workflow.checks.spelling import MAX_LOOKED_UP, Spelling
from toolweave.workflow.model import OUTPUT_PORT, Edge, Node, NodeId

MAX_CANDIDATES = 5
# What has no way in, or none out, by its nature.
_FIRST = frozenset({"start", "multi_input", "input", "TOOL", "MEMORY"})
_LAST = frozenset({"end", "result", "TOOL", "MEMORY"})

Operation = dict[str, Any]  # Any: of a JSON Patch, as in `Problem`


def way(edge: Edge) -> tuple[object, ...]:
    """What tells two edges between the same nodes apart."""
    return (edge.source_port, edge.target_port, edge.kind, edge.condition)


def begins(case: CheckContext, node: Node) -> bool:
    """Whether a run begins with this node: it has no way in."""
    if node.type == "TRIGGER" or type_of(node) == "start":
        return True
    return (spec := spec_of(case, node)) is not None and not spec.input_ports


def plain_node(node_id: str, kind: str) -> Operation:
    """A start or an end for a patch."""
    place = {"x": 0, "y": 0} if kind == "start" else {"x": 600, "y": 0}
    return {"id": node_id, "type": kind, "name": kind, "position": place, "data": {}}


class EdgeEnds:
    """Looks unknown ends up, so many and no more: a file may hold thousands."""

    def __init__(self, case: CheckContext) -> None:
        self._case = case
        self._nodes = case.graph.nodes
        self._left = MAX_LOOKED_UP

    def unknown(self, index: int, edge: Edge) -> Iterator[Problem]:
        """One problem for each end; where both are unknown the edge can only go."""
        is_one = (edge.source in self._nodes) != (edge.target in self._nodes)
        self._left -= 1
        for code, key, end in (
            ("EDGE_SOURCE_UNKNOWN", "from", edge.source),
            ("EDGE_TARGET_UNKNOWN", "to", edge.target),
        ):
            if end in self._nodes:
                continue
            hint = "name a node that exists, or remove the edge"
            patch: Operation = {"op": "remove", "path": self._case.at_edge(index)}
            if is_one and self._left >= 0:
                hint, patch = self._mended(index, edge, key, end) or (
                    did_you_mean(end, list(self._nodes)[:100]) or hint,
                    patch,
                )
            place = self._case.at_edge(index, key)
            message = f"there is no node {shown(end)}"
            yield Problem(code, place, message, hint=hint, patch=(patch,))

    def _mended(
        self, index: int, edge: Edge, key: str, end: NodeId
    ) -> tuple[str, Operation] | None:
        named = self._by_name.get(end, [])
        meant = named[0] if len(named) == 1 else self._ids.meant(end)
        place = self._case.at_edge(index, key)
        if meant is not None and self._fits(edge, key, NodeId(meant)):
            return f"did you mean {meant!r}?", {"op": "replace", "path": place, "value": meant}
        kind = "start" if key == "from" else "end"
        is_lost = self._is_drawn and kind in end.casefold() and kind not in self._types
        if is_lost and self._is_only(end, key):
            node = plain_node(end, kind)
            return f"add a node of type {kind!r}", {"op": "add", "path": "/nodes/-", "value": node}
        loose = self._last if key == "from" else self._first
        if key == "from" and edge.source_port != OUTPUT_PORT:
            loose = self._without_edge(edge.source_port)
        fitting = [node for node in loose if self._fits(edge, key, node)]
        if len(fitting) != 1:
            return None
        hint = (
            f"join it with {fitting[0]!r}, which no edge {'leaves' if key == 'from' else 'enters'}"
        )
        return hint, {"op": "replace", "path": place, "value": fitting[0]}

    def _fits(self, edge: Edge, key: str, node: NodeId) -> bool:
        """Whether the edge can have this node instead, without a new fault."""
        source, target = (edge.source, node) if key == "to" else (node, edge.target)
        if source == target or (source, target, *way(edge)) in self._known:
            return False
        if not self._has_port(self._nodes[source], edge.source_port) or is_attachment(edge):
            return False
        is_back = not self._is_loop_back(target, edge.target_port) and self._leads(target, source)
        return not is_back and not begins(self._case, self._nodes[target])

    def _is_loop_back(self, target: NodeId, port: str) -> bool:
        return port == NEXT and is_loop(self._nodes[target])

    def _leads(self, start: NodeId, end: NodeId) -> bool:
        """Whether one node leads to another; the way back of a loop's body leads nowhere."""
        found, waiting = {start}, [start]
        while waiting:
            for edge in self._case.graph.outgoing(waiting.pop()):
                is_back = self._is_loop_back(edge.target, edge.target_port)
                if edge.target not in found and not is_back:
                    found.add(edge.target)
                    waiting.append(edge.target)
        return end in found

    def _without_edge(self, port: str) -> list[NodeId]:
        """Nodes that can leave by a port and have no edge there; none where there are many."""
        found = [
            node.id
            for node in self._nodes.values()
            if port in (out_ports(self._case, node) or ())
            and all(edge.source_port != port for edge in self._case.graph.outgoing(node.id))
        ]
        return found if len(found) <= MAX_CANDIDATES else []

    def _has_port(self, node: Node, port: str) -> bool:
        known = out_ports(self._case, node)
        return known is None or port in names_out(self._case, node, known)

    def _is_only(self, end: NodeId, key: str) -> bool:
        """Whether every edge uses it as a start, or as an end, is used."""
        edges = [one for one in self._case.workflow.edges if end in {one.source, one.target}]
        if key == "to":
            sources = [(self._nodes.get(one.source), one.source_port) for one in edges]
            return all(node and self._has_port(node, port) for node, port in sources)
        return all(edge.target != end and edge.source_port == OUTPUT_PORT for edge in edges)

    @cached_property
    def _ids(self) -> Spelling:
        return Spelling(tuple(self._nodes))

    @cached_property
    def _by_name(self) -> dict[str, list[NodeId]]:
        found: dict[str, list[NodeId]] = {}
        for node in self._nodes.values():
            found.setdefault(node.name, []).append(node.id)
        return found

    @cached_property
    def _types(self) -> frozenset[str]:
        return frozenset(type_of(node) for node in self._case.workflow.nodes)

    @cached_property
    def _is_drawn(self) -> bool:
        return style_of(self._case) == "drawn"

    @cached_property
    def _known(self) -> set[tuple[object, ...]]:
        return {(edge.source, edge.target, *way(edge)) for edge in self._case.workflow.edges}

    @cached_property
    def _first(self) -> list[NodeId]:
        """Nodes that no edge enters, though one should; none where there are many."""
        entered = {
            edge.target
            for edge in self._case.graph.edges
            if not self._is_loop_back(edge.target, edge.target_port)
        }
        return self._few(entered, _FIRST)

    @cached_property
    def _last(self) -> list[NodeId]:
        """Nodes that no edge leaves; none where there are many."""
        left = {edge.source for edge in self._case.graph.edges}
        return self._few(left, _LAST)

    def _few(self, joined: set[NodeId], natural: frozenset[str]) -> list[NodeId]:
        found = [
            node.id
            for node in self._nodes.values()
            if node.id not in joined and type_of(node) not in natural | SILENT
        ]
        return found if len(found) <= MAX_CANDIDATES else []
