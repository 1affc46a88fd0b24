"""Modules that are imported in a thread, because they are slow: one at a time.

The MCP SDK's modules import each other. Two threads that load it at once see half of it, and both
fail.
"""

import threading
from importlib import import_module
from types import ModuleType

import anyio.to_thread

_LOCK = threading.RLock()


def load_module(name: str) -> ModuleType:
    """Import a module while no other thread does so here; blocking."""
    with _LOCK:
        return import_module(name)


async def load_in_thread(name: str) -> ModuleType:
    """Import a module without blocking the event loop."""
    return await anyio.to_thread.run_sync(load_module, name)
