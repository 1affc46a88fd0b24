"""Catalog nodes as they are meant: a misspelt one is checked like the right one, so that mending
its name brings nothing to light that was not told. No subject of its own.
"""

from collections.abc import Iterator

from toolweave.catalog.spec import NodeSpec
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.kinds import is_catalog, meant_spec
from toolweave.workflow.checks.spelling import MAX_LOOKED_UP
from toolweave.workflow.model import Node


def catalog_nodes(case: CheckContext) -> Iterator[tuple[int, Node, NodeSpec]]:
    """Every catalog node with its number and specification, also later ones of the same id."""
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
