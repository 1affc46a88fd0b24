"""What commands check workflows against: the lockfile, or the servers themselves if asked."""

from collections.abc import Iterable
from importlib import import_module
from typing import Protocol, cast

from toolweave.authoring.environment import known_offline
from toolweave.home import Home
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.model import Workflow


class _LiveTools(Protocol):
    async def ask_servers(
        self, home: Home, workflows: Iterable[Workflow]
    ) -> tuple[KnownEnvironment, dict[str, str]]: ...


async def known_tools(
    home: Home, workflows: Iterable[Workflow], *, live: bool
) -> tuple[KnownEnvironment, dict[str, str]]:
    """What is known, and with `live` why some servers did not answer."""
    if not live:
        return await known_offline(home), {}
    module = cast(_LiveTools, import_module("toolweave.cli.live_tools"))
    return await module.ask_servers(home, workflows)
