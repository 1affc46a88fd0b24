"""Catalog nodes with misspelt names corrected, so that fixing a name reveals no new problems.

Not a check.
"""

from collections.abc import Iterator

from toolweave.catalog.spec import NodeSpec
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.kinds import is_catalog, meant_spec
from toolweave.workflow.checks.spelling import MAX_LOOKED_UP
from toolweave.workflow.model import Node


def catalog_nodes(case: CheckContext) -> Iterator[tuple[int, Node, NodeSpec]]:
    """Yield every catalog node with its index and specification, including duplicate ids."""
    left = MAX_LOOKED_UP
    for index, (node, spec) in enumerate(zip(case.workflow.nodes, case.specs, strict=True)):
        if spec is None and is_catalog(node) and left > 0:
            left -= 1
            subtype = node.data.get("subtype")
            named = subtype if isinstance(subtype, str) else ""
            meant = meant_spec(case.known.catalog, node.type, named)
            if meant is not None:
                yield index, node, meant
        elif spec is not None:
            yield index, node, spec
