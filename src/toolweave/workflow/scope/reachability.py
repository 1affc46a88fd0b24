"""Which nodes can have run before which, and which loops a node is in. Once per workflow.

A loop's body is what can be reached from its port `loop`; edges back into its port `next` are left
out of the order. Where a body ends, what follows the loop's port `done` has seen it run.
"""

from collections.abc import Iterable
from functools import cached_property

from toolweave.workflow.graph import Graph
from toolweave.workflow.model import Edge, Node, NodeId

LOOPS = frozenset({"FLOW.LOOP", "FLOW.FOR_EACH"})
# Ports of a loop, with the names other systems have for them.
BODY_PORTS = frozenset({"loop", "iteration"})
BACK_PORT = "next"
# Drawn, never run.
NEVER_RUN = frozenset({"group", "note", "notes", "stickyNote", "comment"})


def is_loop(node: Node) -> bool:
    """Whether a node repeats a part of the workflow."""
    return node.type == "FLOW" and node.ref in LOOPS


class Reach:
    """The order of a workflow's nodes, as far as its edges decide it."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._place = {node: index for index, node in enumerate(graph.nodes)}
        self._attached = frozenset(_attached(graph.nodes.values()))
        self._next: dict[NodeId, list[NodeId]] = {}
        self._waiting: dict[NodeId, int] = dict.fromkeys(graph.nodes, 0)
        for edge in graph.edges:
            if not self._is_back(edge):
                self._next.setdefault(edge.source, []).append(edge.target)
                self._waiting[edge.target] += 1

    @cached_property
    def order(self) -> tuple[NodeId, ...]:
        """The nodes after those they wait for; without those on a cycle or behind one."""
        waiting = dict(self._waiting)
        ordered = [node for node, count in waiting.items() if count == 0]
        for node in ordered:  # grows as it goes
            for target in self._next.get(node, ()):
                waiting[target] -= 1
                if waiting[target] == 0:
                    ordered.append(target)
        return tuple(ordered)

    @cached_property
    def _loop_of(self) -> dict[NodeId, NodeId | None]:
        if not any(map(is_loop, self._graph.nodes.values())):
            return dict.fromkeys(self.order)
        found: dict[NodeId, NodeId | None] = {}
        depth: dict[NodeId | None, int] = {None: 0}
        for node in self.order:
            around = [self._loop_behind(edge, found) for edge in self._forward(node)]
            innermost = max(around, key=lambda loop: depth[loop], default=None)
            found[node] = innermost
            if is_loop(self._graph.nodes[node]):
                depth[node] = depth[innermost] + 1
        return found

    def loops_around(self, node: NodeId) -> tuple[Node, ...] | None:
        """The loops whose body a node is in, the innermost first; nothing where that is unclear."""
        if node not in self._loop_of:
            return None
        found: list[Node] = []
        loop = self._loop_of[node]
        while loop is not None:
            found.append(self._graph.nodes[loop])
            loop = self._loop_of[loop]
        return tuple(found)

    @cached_property
    def _outermost(self) -> dict[NodeId, NodeId | None]:
        found: dict[NodeId, NodeId | None] = {}
        for node in self.order:
            loop = self._loop_of[node]
            found[node] = loop and (found[loop] or loop)
        return found

    @cached_property
    def _before(self) -> dict[NodeId, int]:
        """The nodes that can have run before each, as bits by place; one pass over the edges."""
        found: dict[NodeId, int] = {}
        # What a loop and its body have run when the loop is done, gathered where the body ends.
        ended: dict[NodeId, int] = {}
        for node in self.order:
            bits = 0
            for edge in self._forward(node):
                bits |= found[edge.source] | 1 << self._place[edge.source]
            found[node] = bits
            loop = self._loop_of[node]
            if loop is not None:
                ended[loop] = ended.get(loop, 0) | bits | 1 << self._place[node]
        return self._with_bodies(found, ended) if ended else found

    def _with_bodies(self, found: dict[NodeId, int], ended: dict[NodeId, int]) -> dict[NodeId, int]:
        """The same once more, now that it is known what each loop's body runs."""
        for node in reversed(self.order):
            loop = self._loop_of[node]
            if loop is not None and node in ended:
                ended[loop] |= ended[node]
        for node in self.order:
            bits = found[node]
            for edge in self._forward(node):
                bits |= found[edge.source]
                if self._leaves_loop(edge):
                    bits |= ended.get(edge.source, 0)
            found[node] = bits
        return found

    def can_have_run(self, node: NodeId, before: NodeId) -> bool:
        """Whether `node` may have a value when `before` runs; true if the edges leave it open."""
        if self._graph.nodes[node].type in NEVER_RUN:
            return False
        if node not in self._before or before not in self._before:
            return True
        if not self._attached.isdisjoint((node, before)):
            return True
        loop = self._outermost[node]
        if loop is not None and loop == self._outermost[before]:
            return True  # in an iteration before this one
        return self.is_before(node, before)

    def is_before(self, node: NodeId, other: NodeId) -> bool:
        """Whether edges lead from `node` to `other`."""
        return bool(self._before.get(other, 0) >> self._place[node] & 1)

    def _forward(self, node: NodeId) -> Iterable[Edge]:
        return (edge for edge in self._graph.incoming(node) if not self._is_back(edge))

    def _is_back(self, edge: Edge) -> bool:
        return edge.target_port == BACK_PORT and is_loop(self._graph.nodes[edge.target])

    def _leaves_loop(self, edge: Edge) -> bool:
        return edge.source_port not in BODY_PORTS and is_loop(self._graph.nodes[edge.source])

    def _loop_behind(self, edge: Edge, found: dict[NodeId, NodeId | None]) -> NodeId | None:
        """The innermost loop of what an edge leads to."""
        if edge.source_port in BODY_PORTS and is_loop(self._graph.nodes[edge.source]):
            return edge.source
        return found[edge.source]


def _attached(nodes: Iterable[Node]) -> Iterable[NodeId]:
    for node in nodes:
        listed = node.data.get("attachedNodes")
        for one in listed if isinstance(listed, list) else []:
            if isinstance(one, str):
                yield NodeId(one)
