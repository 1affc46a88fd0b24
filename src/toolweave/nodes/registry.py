"""The code of every node: of the catalog, of the visual editor, of live tools."""

from toolweave import nodes
from toolweave.catalog.node import Effectful, Looping, Pure
from toolweave.catalog.node_kind import NodeKind
from toolweave.nodes.prompt.model_answer import ANSWERED_BY, MODEL, asked
from toolweave.workflow.model import Node

LIVE_TOOL = "TOOL.MCP:"


class NodeRegistry:
    """Every kind of node of this package."""

    def __init__(self) -> None:
        self._by_ref = {
            node.spec.ref: NodeKind(node, node.spec.effect, node.spec)
            for node in nodes.discover()
            if isinstance(node, Pure | Effectful | Looping)
        }
        self._by_type = {
            name: NodeKind(plain, plain.effect)
            for plain in nodes.discover_plain()
            for name in plain.types
            if isinstance(plain, Pure | Effectful)
        }
        # The same where a model answers.
        self._asked = {name: NodeKind(code, code.effect) for code in asked for name in code.types}

    def of(self, node: Node) -> NodeKind | None:
        """The code of a node; nothing where there is none."""
        if node.ref is None:
            if node.data.get(ANSWERED_BY) == MODEL and node.type in self._asked:
                return self._asked[node.type]
            return self._by_type.get(node.type)
        if node.ref.startswith(LIVE_TOOL):
            return self._by_type["TOOL.MCP"]
        return self._by_ref.get(node.ref)
