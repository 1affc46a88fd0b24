"""Reads the names of a home for the completion of a shell.

A shell asks while the user types, so a home that cannot be opened has no names.
"""

from collections.abc import Awaitable, Callable

import anyio

from toolweave.cli.session import current_home
from toolweave.errors import ToolweaveError
from toolweave.home import Home
from toolweave.patterns import pattern
from toolweave.servers.known_servers import known_servers

_PLAIN = pattern(r"\w[\w .:@+/,-]*")


def server_names() -> list[str]:
    """The registered servers."""

    async def names(home: Home) -> list[str]:
        return [one.name for one in await known_servers(home.database) if _is_plain(one.name)]

    return _read(names)


def workflow_names() -> list[str]:
    """The stored workflows."""

    async def names(home: Home) -> list[str]:
        found = await home.workflows.list()
        return [one.name if _is_plain(one.name) else one.slug for one in found]

    return _read(names)


def _is_plain(name: str) -> bool:
    """Whether a name can stand in a command line as it is: the shell puts it there unquoted."""
    return _PLAIN.fullmatch(name) is not None


def _read(names: Callable[[Home], Awaitable[list[str]]]) -> list[str]:
    async def read() -> list[str]:
        async with current_home() as home:
            return await names(home)

    try:
        return anyio.run(read)
    except (ToolweaveError, OSError):
        return []
