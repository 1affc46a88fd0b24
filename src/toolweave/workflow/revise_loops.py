"""Loops of the visual editor: a decision whose answer leads back to an earlier step.

The check of cycles and the plan of a run use the same edges. In catalog workflows FLOW.LOOP repeats
steps, and an edge back is an error.
"""

from toolweave.catalog.spec import NODE_TYPES
from toolweave.workflow.graph import Graph
from toolweave.workflow.model import Edge, Node, NodeId

# A person or a model decides here, so the loop can end.
DECIDING = frozenset({"askUserQuestion", "ifElse", "switch", "branch"})
_FLOW = frozenset({"template", "multi_input", "result", "input", "flow-link"})
# How often one edge may lead back in a run.
MAX_TURNS = 100


def leads_back(graph: Graph) -> tuple[Edge, ...]:
    """Return the edges of a drawn workflow that lead back from or after a decision."""
    nodes = graph.nodes.values()
    if not any(node.type in DECIDING for node in nodes) or not all(map(_is_drawn, nodes)):
        return ()
    return tuple(_Walk(graph).found())


def _is_drawn(node: Node) -> bool:
    return node.type not in NODE_TYPES and node.type not in _FLOW


class _Walk:
    """One depth-first walk over the graph from the start nodes."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._path: list[NodeId] = []
        self._at: dict[NodeId, int] = {}
        self._done: set[NodeId] = set()

    def found(self) -> list[Edge]:
        """Return the edges back to a node on the current path, if a decision is on the cycle."""
        graph = self._graph
        begins = [node.id for node in graph.nodes.values() if node.type == "start"]
        roots = [node for node in graph.nodes if not graph.incoming(node)]
        found: list[Edge] = []
        for start in (*begins, *roots, *graph.nodes):
            if start not in self._done:
                self._from(start, found)
        return found

    def _from(self, start: NodeId, found: list[Edge]) -> None:
        waiting = [iter(self._enter(start))]
        while waiting:
            edge = next(waiting[-1], None)
            if edge is None:
                waiting.pop()
                node = self._path.pop()
                del self._at[node]
                self._done.add(node)
            elif edge.target in self._at:
                cycle = self._path[self._at[edge.target] :]
                if any(self._graph.nodes[one].type in DECIDING for one in cycle):
                    found.append(edge)
            elif edge.target not in self._done:
                waiting.append(iter(self._enter(edge.target)))

    def _enter(self, node: NodeId) -> tuple[Edge, ...]:
        self._at[node] = len(self._path)
        self._path.append(node)
        return self._graph.outgoing(node)
