"""Servers in the configuration of other MCP clients: one module per client, read-only."""

import pkgutil
from importlib import import_module

from toolweave.servers.discovery.client import Client


def discover() -> tuple[Client, ...]:
    """Return all supported clients; a module in this folder is registered automatically."""
    modules = [
        import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)
    ]
    candidates = [getattr(module, "client", None) for module in modules]
    return tuple(candidate for candidate in candidates if isinstance(candidate, Client))
