"""What a workflow is checked against: the catalog, approved tools, and live servers if asked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import anyio

from toolweave.app.live_catalog import built_in
from toolweave.app.studio import Studio
from toolweave.assistant.models import Models
from toolweave.catalog.live import specs_of
from toolweave.clock import Clock, SystemClock
from toolweave.errors import Invalid, NotFound, ToolweaveError
from toolweave.home import Home
from toolweave.problems import did_you_mean
from toolweave.servers.commands import Commands
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool
from toolweave.workflow.checks.context import KnownEnvironment, KnownHome
from toolweave.workflow.model import Node, Workflow

Tools = Mapping[str, Sequence[Tool]]


def known_built_in(clock: Clock | None = None) -> KnownEnvironment:
    """Without a home directory: the nodes of this package only."""
    return KnownEnvironment(built_in(), (clock or SystemClock()).now())


async def known_offline(ground: Home) -> KnownEnvironment:
    """The catalog with every approved tool; no server is started."""
    tools: Tools = {
        server.name: [
            read_tool(server.name, pin.definition)
            for pin in ground.lockfile.pins(server.name).values()
        ]
        for server in await ground.registry.list()
        if server.is_approved
    }
    specs = specs_of(tool for of_server in tools.values() for tool in of_server)
    return KnownEnvironment(
        built_in().with_specs(specs),
        ground.clock.now(),
        pinned=tools.get,
        home=await known_home(ground),
    )


async def known_home(ground: Home) -> KnownHome:
    """What nodes can name: models, commands, servers."""
    models = await Models(
        ground.database, ground.vault, clock=ground.clock, environ=ground.environ
    ).list()
    commands = await Commands(ground.database, ground.clock).list()
    servers = [server for server in await ground.registry.list() if server.is_approved]
    return KnownHome(
        frozenset(name for model in models for name in (model.name, model.provider)),
        {command.name: command.is_approved for command in commands},
        {server.name: getattr(server.definition, "url", None) for server in servers},
    )


async def known_live(
    studio: Studio, workflows: Iterable[Workflow]
) -> tuple[KnownEnvironment, dict[str, str]]:
    """The same with the servers that `workflows` name asked now; and why some did not answer."""
    known = await known_offline(studio.ground)
    found: dict[str, Sequence[Tool]] = {}
    reasons: dict[str, str] = {}

    async def ask(name: str) -> None:
        try:
            server = await studio.ground.registry.get(name)
            live = await studio.connections.use(server)
            found[name] = list(live.tools.values())
        except ToolweaveError as error:
            reasons[name] = error.message

    async with anyio.create_task_group() as tasks:
        for name in sorted(_servers_in(workflows)):
            tasks.start_soon(ask, name)
    return replace(known, tools=found.get), reasons


def node_in(workflow: Workflow, node_id: str) -> Node:
    """The node of this id.

    Raises:
        NotFound: `NODE_ID_UNKNOWN`, with the id that may be meant.
    """
    found = workflow.node(node_id)
    if found is None:
        known = [node.id for node in workflow.nodes]
        raise NotFound(
            "NODE_ID_UNKNOWN",
            f"the workflow has no node {node_id!r}",
            hint=did_you_mean(node_id, known) or f"its nodes are {', '.join(known[:20])}",
        )
    return found


def tool_in(tools: Sequence[Tool], server: str, name: str) -> Tool:
    """The tool of this name.

    Raises:
        Invalid: `MCP_TOOL_NOT_FOUND`, with the name that may be meant.
    """
    for tool in tools:
        if tool.name == name:
            return tool
    hint = did_you_mean(name, [tool.name for tool in tools])
    raise Invalid(
        "MCP_TOOL_NOT_FOUND",
        f"no approved tool {name!r} of server {server!r} is known",
        hint=hint or f"`toolweave servers tools {server}` lists them",
    )


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
