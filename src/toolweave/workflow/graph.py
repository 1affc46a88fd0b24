"""The shape of a workflow: neighbours, order, cycles, reachability.

All iterative: a file may hold ten thousand nodes in one line.
"""

from collections.abc import Iterable
from functools import cached_property
from heapq import heapify, heappop, heappush

from toolweave.workflow.model import Edge, Node, NodeId, Workflow


class Graph:
    """Lookups over one workflow; edges to nodes that do not exist are ignored."""

    def __init__(self, workflow: Workflow) -> None:
        self.nodes: dict[NodeId, Node] = {node.id: node for node in workflow.nodes}
        if len(self.nodes) < len(workflow.nodes):
            # Of several nodes with one id, the first counts.
            self.nodes |= {node.id: node for node in reversed(workflow.nodes)}
        nodes = self.nodes
        edges: list[Edge] = []
        leaving: dict[NodeId, list[Edge]] = {}
        entering: dict[NodeId, list[Edge]] = {}
        for edge in workflow.edges:
            source, target = edge.source, edge.target
            if source in nodes and target in nodes:
                edges.append(edge)
                if source in leaving:
                    leaving[source].append(edge)
                else:
                    leaving[source] = [edge]
                if target in entering:
                    entering[target].append(edge)
                else:
                    entering[target] = [edge]
        self.edges = tuple(edges)
        self._out = {node: tuple(edges) for node, edges in leaving.items()}
        self._in = {node: tuple(edges) for node, edges in entering.items()}

    def outgoing(self, node: NodeId) -> tuple[Edge, ...]:
        """The edges that leave a node, in file order."""
        return self._out.get(node, ())

    def incoming(self, node: NodeId) -> tuple[Edge, ...]:
        """The edges that enter a node, in file order."""
        return self._in.get(node, ())

    @cached_property
    def fed(self) -> frozenset[NodeId]:
        """Nodes that an edge from another node enters."""
        return frozenset([edge.target for edge in self.edges if edge.source != edge.target])

    @cached_property
    def order(self) -> tuple[NodeId, ...]:
        """Nodes in topological order, else in file order; without those on or after a cycle."""
        place = {node: index for index, node in enumerate(self.nodes)}
        by_place = list(self.nodes)
        waiting = {node: len({edge.source for edge in self.incoming(node)}) for node in self.nodes}
        ready = [place[node] for node, count in waiting.items() if count == 0]
        heapify(ready)
        ordered: list[NodeId] = []
        while ready:
            node = by_place[heappop(ready)]
            ordered.append(node)
            for target in dict.fromkeys(edge.target for edge in self.outgoing(node)):
                waiting[target] -= 1
                if waiting[target] == 0:
                    heappush(ready, place[target])
        return tuple(ordered)

    @cached_property
    def cycle(self) -> tuple[NodeId, ...]:
        """One cycle, its first node repeated at the end; nothing when there is none."""
        left = set(self.nodes) - set(self.order)
        if not left:
            return ()
        # Every node left has a predecessor that is left, so walking back must meet itself.
        walk: list[NodeId] = [next(node for node in self.nodes if node in left)]
        seen = {walk[0]: 0}
        while True:
            back = next(edge.source for edge in self.incoming(walk[-1]) if edge.source in left)
            if back in seen:
                found = [*walk[seen[back] :], back]
                return tuple(reversed(found))
            seen[back] = len(walk)
            walk.append(back)

    def reachable(self, starts: Iterable[NodeId]) -> frozenset[NodeId]:
        """Every node that can be reached from `starts`, themselves included."""
        found = {node for node in starts if node in self.nodes}
        waiting = list(found)
        while waiting:
            for edge in self.outgoing(waiting.pop()):
                if edge.target not in found:
                    found.add(edge.target)
                    waiting.append(edge.target)
        return frozenset(found)
