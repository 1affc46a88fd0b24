"""Reads the names of a home for the completion of a shell.

A shell asks while the user types, so a home that cannot be opened has no names.
"""

from collections.abc import Awaitable, Callable

import anyio

from toolweave.cli.session import current_home
from toolweave.errors import ToolweaveError
from toolweave.home import Home
from toolweave.servers.known_servers import known_servers


def server_names() -> list[str]:
    """The registered servers."""

    async def names(home: Home) -> list[str]:
        return [server.name for server in await known_servers(home.database)]

    return _read(names)


def workflow_names() -> list[str]:
    """The stored workflows."""

    async def names(home: Home) -> list[str]:
        return [workflow.name for workflow in await home.workflows.list()]

    return _read(names)


def _read(names: Callable[[Home], Awaitable[list[str]]]) -> list[str]:
    async def read() -> list[str]:
        async with current_home() as home:
            return await names(home)

    try:
        return anyio.run(read)
    except (ToolweaveError, OSError):
        return []
