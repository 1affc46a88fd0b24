"""The code of every node: of the catalog, of the visual editor, of live tools."""

from functools import cache
from importlib import import_module
from typing import cast

from toolweave import nodes
from toolweave.catalog.node import Effectful, Looping, NodeCode, Pure
from toolweave.catalog.node_kind import NodeKind
from toolweave.nodes.prompt.model_answer import ANSWERED_BY, MODEL, asked
from toolweave.nodes.spec_cache import module_of
from toolweave.workflow.model import Node

LIVE_TOOL = "TOOL.MCP:"


class NodeRegistry:
    """Every kind of node of this package; a node is imported when it is first asked for."""

    def of(self, node: Node) -> NodeKind | None:
        """The code of a node; nothing where there is none."""
        if node.ref is None:
            if node.data.get(ANSWERED_BY) == MODEL and node.type in _asked():
                return _asked()[node.type]
            return _plain().get(node.type)
        if node.ref.startswith(LIVE_TOOL):
            return _plain()["TOOL.MCP"]
        return _of_catalog(node.ref)


@cache
def _of_catalog(ref: str) -> NodeKind | None:
    module = module_of(ref)
    if module is None:
        return None
    code = cast("NodeCode", import_module(module).node)
    if not isinstance(code, Pure | Effectful | Looping):
        return None
    return NodeKind(code, code.spec.effect, code.spec)


@cache
def _plain() -> dict[str, NodeKind]:
    return {
        name: NodeKind(plain, plain.effect)
        for plain in nodes.discover_plain()
        for name in plain.types
        if isinstance(plain, Pure | Effectful)
    }


@cache
def _asked() -> dict[str, NodeKind]:
    """The same where a model answers."""
    return {name: NodeKind(code, code.effect) for code in asked for name in code.types}
