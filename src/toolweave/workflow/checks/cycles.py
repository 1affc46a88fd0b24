"""Cycles: only the body of a loop may lead back to its loop, and a drawn decision to a step."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from toolweave.problems import Problem
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.foreign_repair import scope_of
from toolweave.workflow.checks.kinds import is_loop, type_of
from toolweave.workflow.checks.ports import LOOP_PORTS, NEXT, is_attachment
from toolweave.workflow.model import Edge, NodeId
from toolweave.workflow.revise_loops import leads_back

MAX_NAMED = 8


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield a problem for every edge that leads back to an earlier node."""
    if case.once(scope_of).reach.is_acyclic:
        return
    repeating: set[int] | None = None
    for index, names, is_body in _Walk(case).backward():
        edge = case.workflow.edges[index]
        if repeating is None:
            repeating = {id(one) for one in leads_back(case.graph)}
        if id(edge) in repeating:
            continue
        if not is_body:
            yield _cycle(case, index, names)
        elif is_loop(case.graph.nodes[edge.target]) and edge.target_port != NEXT:
            place = case.at_edge(index, "toPort")
            yield Problem(
                "LOOP_BACK_PORT",
                place,
                f"the loop body must lead back to port {NEXT!r} of {edge.target!r}",
                hint=f"use {NEXT!r}, or remove the edge: a loop body may just end",
                severity="warning",
                patch=({"op": "replace", "path": place, "value": NEXT},),
            )


def _cycle(case: CheckContext, index: int, names: list[str]) -> Problem:
    return Problem(
        "CIRCULAR_DEPENDENCY",
        case.at_edge(index),
        f"circular connection: {' → '.join(names)}",
        # Which of the edges is wrong cannot be known.
        hint="remove one of these edges; to repeat steps, use FLOW.LOOP and its port 'loop'",
    )


@dataclass
class _Walk:
    case: CheckContext
    # The path from the start to here: each node with its index and the edge taken.
    _path: list[NodeId] = field(default_factory=list[NodeId])
    _taken: list[Edge] = field(default_factory=list[Edge])
    _at: dict[NodeId, int] = field(default_factory=dict[NodeId, int])
    _done: set[NodeId] = field(default_factory=set[NodeId])

    def backward(self) -> Iterator[tuple[int, list[str], bool]]:
        """Yield each back edge, the names on its cycle, and whether it closes a loop body."""
        numbers: dict[int, int] = {}
        for start in self._starts():
            if start in self._done:
                continue
            for edge in self._back_edges(start):
                numbers = numbers or {id(one): index for index, one in self.case.edges}
                yield numbers[id(edge)], self._names(edge), self._is_body(edge)

    def _names(self, back: Edge) -> list[str]:
        """Return the names on the cycle; a long one is shortened in the middle."""
        first, length = self._at[back.target], len(self._path) - self._at[back.target]
        names: list[str] = list(self._path[first : first + MAX_NAMED])
        if length > MAX_NAMED:
            names[-2:] = [f"({length - MAX_NAMED + 1} more)", back.source]
        return [*names, back.target]

    def _starts(self) -> list[NodeId]:
        graph = self.case.graph
        begins = [one.id for one in graph.nodes.values() if type_of(one) in {"start", "TRIGGER"}]
        roots = [node for node in graph.nodes if not graph.incoming(node)]
        return [*begins, *roots, *graph.nodes]

    def _back_edges(self, start: NodeId) -> Iterator[Edge]:
        waiting = [iter(self._enter(start))]
        while waiting:
            edge = next(waiting[-1], None)
            if edge is None:
                waiting.pop()
                self._leave()
            elif edge.target == edge.source or is_attachment(edge):
                continue
            elif edge.target in self._at:
                yield edge
            elif edge.target not in self._done:
                self._taken.append(edge)
                waiting.append(iter(self._enter(edge.target)))

    def _enter(self, node: NodeId) -> tuple[Edge, ...]:
        self._at[node] = len(self._path)
        self._path.append(node)
        return self.case.graph.outgoing(node)

    def _leave(self) -> None:
        node = self._path.pop()
        del self._at[node]
        self._done.add(node)
        if self._taken:
            self._taken.pop()

    def _is_body(self, edge: Edge) -> bool:
        nodes = self.case.graph.nodes
        if is_loop(nodes[edge.target]):
            return self._taken[self._at[edge.target]].source_port in LOOP_PORTS
        # A body that is also entered from elsewhere is visited before its loop.
        place = self._at[edge.source]
        is_entered = place > 0 and self._taken[place - 1].target_port == NEXT
        return is_loop(nodes[edge.source]) and edge.source_port in LOOP_PORTS and is_entered
