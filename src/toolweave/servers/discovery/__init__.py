"""Servers that other MCP clients are configured with: one file per client, read, never written."""

import pkgutil
from importlib import import_module

from toolweave.servers.discovery.client import Client


def discover() -> tuple[Client, ...]:
    """Every client we can read; being in this folder is the registration."""
    modules = [
        import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)
    ]
    candidates = [getattr(module, "client", None) for module in modules]
    return tuple(candidate for candidate in candidates if isinstance(candidate, Client))
