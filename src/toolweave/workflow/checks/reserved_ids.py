"""References to a node whose id is a reserved word, such as `loop`. Not a check."""

from toolweave.cel.paths import Path
from toolweave.workflow.model import Node, NodeId
from toolweave.workflow.scope.node_outputs import VALUE_PORTS
from toolweave.workflow.scope.references import Language
from toolweave.workflow.scope.scope import TABLE, Scope


def by_reserved_id(scope: Scope, node: Node, path: Path, language: Language) -> Path | None:
    """`nodes.loop.output.results` for `loop.results`, if the node gives that."""
    root = str(path[0])
    if root not in TABLE or root not in scope.graph.nodes:
        return None
    if not scope.reach.can_have_run(NodeId(root), node.id):
        return None
    meant = ("nodes", root, VALUE_PORTS[0], *path[1:])
    return None if scope.find(node, meant, language).trouble else meant
