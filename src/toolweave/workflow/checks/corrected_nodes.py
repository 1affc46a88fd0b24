"""Catalog nodes with misspelt names corrected, so that fixing a name reveals no new problems.

Not a check.
"""

from collections.abc import Sequence

from toolweave.catalog.spec import NodeSpec
from toolweave.tools.misspelling import misspelt
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.kinds import is_catalog
from toolweave.workflow.checks.node_names import meant_node
from toolweave.workflow.checks.spelling import MAX_LOOKED_UP
from toolweave.workflow.model import Node
from toolweave.workflow.modes import object_at


def catalog_nodes(case: CheckContext) -> Sequence[tuple[int, Node, NodeSpec]]:
    """Return every catalog node with its index and specification, including duplicate ids."""
    return case.once(_listed)


def corrected_specs(case: CheckContext) -> Sequence[NodeSpec | None]:
    """Return the specification of every node by its index, also where its name is misspelt."""
    return case.once(_corrected)


def _listed(case: CheckContext) -> tuple[tuple[int, Node, NodeSpec], ...]:
    found = enumerate(zip(case.workflow.nodes, corrected_specs(case), strict=True))
    return tuple([(index, node, spec) for index, (node, spec) in found if spec is not None])


def _corrected(case: CheckContext) -> list[NodeSpec | None]:
    left = MAX_LOOKED_UP
    specs = list(case.specs)
    for index, node in enumerate(case.workflow.nodes):
        if specs[index] is None and node.type != "mcp" and is_catalog(node) and left > 0:
            left -= 1
            subtype = node.data.get("subtype")
            named = subtype if isinstance(subtype, str) else ""
            meant = meant_node(case.known.catalog, node)
            if meant is not None and (_is_close(named, meant) or _knows_all(node, meant)):
                specs[index] = meant
    return specs


def _is_close(subtype: str, spec: NodeSpec) -> bool:
    return misspelt(subtype, [spec.subtype]) is not None


def _knows_all(node: Node, spec: NodeSpec) -> bool:
    """Whether a node that was found by its meaning has the settings of this one."""
    names = {name for one in spec.all_configurations for name in (one.name, *one.aliases)}
    return object_at(node.data, "configurations").keys() <= names
