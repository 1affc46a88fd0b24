"""The code of every node of a workflow: of the catalog, of the drawing tool, of live tools."""

from toolweave import nodes
from toolweave.catalog.node import Effectful, Looping, Pure
from toolweave.engine.plan import Kind
from toolweave.workflow.model import Node

LIVE_TOOL = "TOOL.MCP:"


class NodeKinds:
    """Every kind of node of this package."""

    def __init__(self) -> None:
        self._by_ref = {
            node.spec.ref: Kind(node, node.spec.effect, node.spec)
            for node in nodes.discover()
            if isinstance(node, Pure | Effectful | Looping)
        }
        self._by_type = {
            name: Kind(plain, plain.effect)
            for plain in nodes.discover_plain()
            for name in plain.types
            if isinstance(plain, Pure | Effectful)
        }

    def of(self, node: Node) -> Kind | None:
        """The code of a node; nothing where there is none."""
        if node.ref is None:
            return self._by_type.get(node.type)
        if node.ref.startswith(LIVE_TOOL):
            return self._by_type["TOOL.MCP"]
        return self._by_ref.get(node.ref)
