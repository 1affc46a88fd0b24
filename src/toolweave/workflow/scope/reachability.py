"""Which nodes can have run before which, and which loops a node is in. Once per workflow.

Edges back into the port `next` of a loop are left out of the order. What a body gives is seen in
the same iteration only. A node attached to an agent sees what the agent sees, and nobody sees it.
"""

from functools import cached_property

from toolweave.workflow.graph import Graph
from toolweave.workflow.model import Edge, Node, NodeId
from toolweave.workflow.scope.loop_bodies import innermost_loops

LOOPS = frozenset({"FLOW.LOOP", "FLOW.FOR_EACH"})
# Ports of a loop, with the names other systems have for them.
BODY_PORTS = frozenset({"loop", "iteration"})
BACK_PORT = "next"
# Drawn, never run.
NEVER_RUN = frozenset({"group", "note", "notes", "stickyNote", "comment"})


def is_loop(node: Node) -> bool:
    """Whether a node repeats a part of the workflow."""
    return node.ref in LOOPS


class Reach:
    """The order of a workflow's nodes, as far as its edges decide it."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._place = {node: index for index, node in enumerate(graph.nodes)}
        self._agents = _agents(graph)
        self.has_loops = not LOOPS.isdisjoint([node.ref for node in graph.nodes.values()])
        self._leads_back = False
        self._next: dict[NodeId, list[NodeId]] = {}
        waiting: dict[NodeId, int] = dict.fromkeys(graph.nodes, 0)
        following = self._next
        for edge in graph.edges:
            source, target = edge.source, edge.target
            if edge.target_port == BACK_PORT and self._is_back(edge):
                self._leads_back = True
                continue
            waiting[target] += 1
            if source in following:
                following[source].append(target)
            else:
                following[source] = [target]
        # The nodes after those they wait for; without those on a cycle or behind one.
        order = self.order = [node for node, count in waiting.items() if count == 0]
        for node in order:  # grows as it goes
            for target in following.get(node, ()):
                left = waiting[target] = waiting[target] - 1
                if left == 0:
                    order.append(target)

    @property
    def is_acyclic(self) -> bool:
        """Whether no edge leads back, not even into a loop."""
        return not self._leads_back and len(self.order) == len(self._graph.nodes)

    @cached_property
    def _loop_of(self) -> dict[NodeId, NodeId | None]:
        if not self.has_loops:
            return dict.fromkeys(self.order)
        nodes = list(self._graph.nodes)
        loops = [at for at, node in enumerate(nodes) if is_loop(self._graph.nodes[node])]
        following = [
            [
                (self._place[edge.target], edge.source_port in BODY_PORTS)
                for edge in self._graph.outgoing(node)
            ]
            for node in nodes
        ]
        innermost = innermost_loops(loops, following)
        found = {node: innermost[self._place[node]] for node in self.order}
        return {node: None if at is None else nodes[at] for node, at in found.items()}

    def loops_around(self, node: NodeId) -> tuple[Node, ...] | None:
        """The loops whose body a node is in, the innermost first; nothing where that is unclear."""
        if node in self._agents:
            node = self._agents[node][0]
        loop_of = self._loop_of
        if node not in loop_of:
            return None
        loop = loop_of[node]
        if loop is None:
            return ()
        found: list[Node] = []
        while loop is not None:
            found.append(self._graph.nodes[loop])
            loop = self._loop_of[loop]
        return tuple(found)

    @cached_property
    def _before(self) -> dict[NodeId, int]:
        """The nodes that can have run before each, as bits by place; one pass over the edges."""
        found: dict[NodeId, int] = dict.fromkeys(self.order, 0)
        place, following = self._place, self._next
        for node, bits in found.items():
            if targets := following.get(node):
                bits |= 1 << place[node]
                for target in targets:
                    if target in found:
                        found[target] |= bits
        return found

    def can_have_run(self, node: NodeId, before: NodeId) -> bool:
        """Whether `node` may have a value when `before` runs; true if the edges leave it open."""
        if node in self._agents or self._graph.nodes[node].type in NEVER_RUN:
            return False
        if before not in self._agents:
            return self._is_seen(node, before)
        return any(self._is_seen(node, one) for one in self._agents[before])

    def _is_seen(self, node: NodeId, before: NodeId) -> bool:
        known = self._before
        if node not in known or before not in known:
            return True
        if not known[before] >> self._place[node] & 1:
            return False
        return not self.has_loops or self.hiding_loop(node, before) is None

    def is_attached(self, node: NodeId) -> bool:
        """Whether a node is attached to an agent and is no step itself."""
        return node in self._agents

    def hiding_loop(self, node: NodeId, seen_from: NodeId) -> Node | None:
        """The loop because of which a value is not seen: the node is in its body, or is it."""
        loop = self._loop_of.get(node)
        if loop is None and not is_loop(self._graph.nodes[node]):
            return None
        around = {one.id for one in self.loops_around(seen_from) or ()}
        if node in around:
            return self._graph.nodes[node]
        return None if loop is None or loop in around else self._graph.nodes[loop]

    def is_before(self, node: NodeId, other: NodeId) -> bool:
        """Whether edges lead from `node` to `other`."""
        return bool(self._before.get(other, 0) >> self._place[node] & 1)

    def _is_back(self, edge: Edge) -> bool:
        return edge.target_port == BACK_PORT and is_loop(self._graph.nodes[edge.target])


def _agents(graph: Graph) -> dict[NodeId, tuple[NodeId, ...]]:
    """The agents of each node that is attached to some and is no step itself."""
    found: dict[NodeId, tuple[NodeId, ...]] = {}
    for node in [one for one in graph.nodes.values() if "attachedNodes" in one.data]:
        listed = node.data["attachedNodes"]
        for one in listed if isinstance(listed, list) else ():
            if isinstance(one, str) and one in graph.nodes and not graph.incoming(NodeId(one)):
                found[NodeId(one)] = (*found.get(NodeId(one), ()), node.id)
    return found
