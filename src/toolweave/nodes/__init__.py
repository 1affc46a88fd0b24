"""The nodes: one module each, specification and code together; being here is the registration."""

from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import TYPE_CHECKING, cast

from toolweave.nodes.order import place

if TYPE_CHECKING:  # loaded with the first node; the cache of specifications needs none
    from toolweave.catalog.node import DialectNode, NodeCode


# Where the nodes are that are no entries of the catalog.
PLAIN_FAMILIES = ("mcp", "prompt")


def discover() -> "tuple[NodeCode, ...]":
    """Every node in the catalog's order; a module that cannot be imported raises."""
    return tuple(node for _, node in discover_modules())


def discover_modules() -> "tuple[tuple[str, NodeCode], ...]":
    """The same, each with the name of its module."""
    nodes = [
        (module.__name__, cast("NodeCode", module.node))
        for module in _modules()
        if hasattr(module, "node")
    ]
    return tuple(sorted(nodes, key=lambda found: place(found[1].spec)))


def discover_plain() -> "tuple[DialectNode, ...]":
    """Every kind of node that is no entry of the catalog."""
    modules = (one for family in PLAIN_FAMILIES for one in _modules_in(_folders(family), family))
    return tuple(
        cast("DialectNode", module.plain) for module in modules if hasattr(module, "plain")
    )


def _modules() -> tuple[ModuleType, ...]:
    return _modules_in(tuple(__path__))


def _folders(family: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{family}" for folder in __path__)


@cache
def _modules_in(folders: tuple[str, ...], family: str = "") -> tuple[ModuleType, ...]:
    # Packages are imported here too: left to `walk_packages`, a broken one would be passed over.
    prefix = f"{__name__}.{family}." if family else f"{__name__}."
    found = [one.name for one in walk_packages(folders, prefix)]
    # What begins with an underscore is code that nodes of a family share.
    return tuple(import_module(name) for name in found if "._" not in name)
