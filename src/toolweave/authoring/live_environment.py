"""What a workflow is checked against when its servers are asked for their tools."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import anyio

from toolweave.authoring.environment import known_offline
from toolweave.errors import ToolweaveError
from toolweave.home import Home
from toolweave.servers.connections import Connections
from toolweave.tools.tool import Tool
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.model import Workflow


async def known_live(
    home: Home, connections: Connections, workflows: Iterable[Workflow]
) -> tuple[KnownEnvironment, dict[str, str]]:
    """The same with the servers that `workflows` name asked now; and why some did not answer."""
    known = await known_offline(home)
    found: dict[str, Sequence[Tool]] = {}
    reasons: dict[str, str] = {}
    unreachable: dict[str, str] = {}

    async def ask(name: str) -> None:
        try:
            server = await home.registry.get(name)
            live = await connections.use(server)
            found[name] = list(live.tools.values())
        except ToolweaveError as error:
            reasons[name] = error.message
            if error.code != "MCP_SERVER_NOT_FOUND":
                unreachable[name] = error.message

    async with anyio.create_task_group() as tasks:
        for name in sorted(_servers_in(workflows)):
            tasks.start_soon(ask, name)
    return replace(known, tools=found.get, unreachable=unreachable), reasons


def _servers_in(workflows: Iterable[Workflow]) -> set[str]:
    waiting = list(workflows)
    names: set[str] = set()
    while waiting:
        workflow = waiting.pop()
        waiting.extend(workflow.subflows)
        for node in workflow.nodes:
            server = node.data.get("serverId")
            if node.type == "mcp" and isinstance(server, str):
                names.add(server)
    return names
