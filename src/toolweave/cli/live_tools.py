"""Asks the servers of workflows for their tools; apart, as connections load the MCP SDK."""

from collections.abc import Iterable

from toolweave.app.studio import open_studio
from toolweave.authoring.live_environment import known_live
from toolweave.home import Home
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.model import Workflow


async def ask_servers(
    home: Home, workflows: Iterable[Workflow]
) -> tuple[KnownEnvironment, dict[str, str]]:
    """What the servers of `workflows` offer now, and why some did not answer."""
    async with open_studio(home) as studio:
        return await known_live(home, studio.connections, workflows)
