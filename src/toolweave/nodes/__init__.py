"""The nodes: one module each, specification and code together; being here is the registration."""

from importlib import import_module
from pkgutil import walk_packages
from typing import cast

from toolweave.catalog.node import Node
from toolweave.nodes.order import place


def discover() -> tuple[Node, ...]:
    """Every node there is, in the seed's order; a module that cannot be imported raises."""
    # Packages are imported here too: left to `walk_packages`, a broken one would be passed over.
    modules = [import_module(found.name) for found in walk_packages(__path__, f"{__name__}.")]
    nodes = [cast("Node", module.node) for module in modules if hasattr(module, "node")]
    return tuple(sorted(nodes, key=lambda node: place(node.spec)))
