"""What a workflow is checked against: the catalog, approved tools, and live servers if asked."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import anyio
import anyio.to_thread

from toolweave.assistant.models import Models
from toolweave.catalog.live import specs_of
from toolweave.clock import Clock, SystemClock
from toolweave.errors import Invalid, NotFound, Unavailable
from toolweave.home import Home
from toolweave.nodes.spec_cache import built_in_catalog
from toolweave.problems import did_you_mean
from toolweave.servers.commands import Commands
from toolweave.servers.known_servers import known_servers
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool
from toolweave.workflow.checks.context import KnownEnvironment, KnownHome
from toolweave.workflow.model import Node, Workflow
from toolweave.workflow.modes import KEPT_TASK, TASK_CONFIG, snapshots_in, text_at

Tools = Mapping[str, Sequence[Tool]]


def known_built_in(clock: Clock | None = None) -> KnownEnvironment:
    """Without a home directory: the nodes of this package only."""
    return KnownEnvironment(built_in_catalog(), (clock or SystemClock()).now())


async def known_offline(home: Home) -> KnownEnvironment:
    """The catalog with every approved tool; no server is started."""
    tools = await approved_tools(home)
    specs = specs_of(tool for of_server in tools.values() for tool in of_server)
    return KnownEnvironment(
        built_in_catalog(home.settings.home).with_specs(specs),
        home.clock.now(),
        pinned=tools.get,
        workflows=await home.workflows.slugs(),
        home=await known_home(home),
    )


async def approved_tools(home: Home) -> Tools:
    """The approved tools by the name of their server."""
    return {
        server.name: [
            read_tool(server.name, pin.definition)
            for pin in home.lockfile.pins(server.name).values()
        ]
        for server in await known_servers(home.database)
        if server.is_approved
    }


async def known_home(home: Home) -> KnownHome:
    """What nodes can name: models, commands, servers, secrets."""
    models = await Models(home.database, home.vault, clock=home.clock, environ=home.environ).list()
    commands = await Commands(home.database, home.clock).list()
    registered = await known_servers(home.database)
    servers = [server for server in registered if server.is_approved]
    return KnownHome(
        frozenset(name for model in models for name in (model.name, model.provider)),
        {command.name: command.is_approved for command in commands},
        {server.name: server.url for server in servers},
        {command.name: frozenset(command.holes) for command in commands},
        frozenset(await home.vault.names()),
        frozenset(server.name for server in registered if not server.is_approved),
        home.settings.allow_private_http,
    )


class ToolKnowledge:
    """What is known without asking any server; tools that are as they were are not read again."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._tools: dict[tuple[str, str, str], Tool] = {}
        self._built_in = built_in_catalog(home.settings.home)
        self._catalog = self._built_in
        self._reading = anyio.Lock()

    async def known(self) -> KnownEnvironment:
        """The catalog with every approved tool, as of now."""
        servers = await known_servers(self._home.database)
        names = [server.name for server in servers if server.is_approved]
        home = await known_home(self._home)
        async with self._reading:
            known = await anyio.to_thread.run_sync(self._read, names)
        workflows = await self._home.workflows.slugs()
        return replace(known, home=home, workflows=workflows)

    def _read(self, names: Sequence[str]) -> KnownEnvironment:
        pins = {
            (server, tool, pin.hash): pin
            for server in names
            for tool, pin in self._home.lockfile.pins(server).items()
        }
        if pins.keys() != self._tools.keys():
            self._tools = {
                key: self._tools.get(key) or read_tool(key[0], pin.definition)
                for key, pin in pins.items()
            }
            self._catalog = self._built_in.with_specs(specs_of(self._tools.values()))
        tools: dict[str, list[Tool]] = {name: [] for name in names}
        for (server, _, _), tool in self._tools.items():
            tools.setdefault(server, []).append(tool)
        return KnownEnvironment(self._catalog, self._home.clock.now(), pinned=tools.get)


def require_answer(known: KnownEnvironment, reasons: Mapping[str, str], server: str) -> None:
    """Refuse to go on without the tools of a server that was asked for them.

    Raises `Unavailable`: `MCP_SERVER_DISCONNECTED`; `NotFound`: `MCP_SERVER_NOT_FOUND`.
    """
    if server in known.unreachable:
        raise Unavailable("MCP_SERVER_DISCONNECTED", known.unreachable[server])
    if server in reasons:
        raise NotFound("MCP_SERVER_NOT_FOUND", reasons[server])


def node_in(workflow: Workflow, node_id: str) -> Node:
    """The node of this id. Raises `NotFound`: `NODE_ID_UNKNOWN`, with the id that may be meant."""
    found = workflow.node(node_id)
    if found is None:
        known = [node.id for node in workflow.nodes]
        raise NotFound(
            "NODE_ID_UNKNOWN",
            f"the workflow has no node {node_id!r}",
            hint=did_you_mean(node_id, known) or f"its nodes are {', '.join(known[:20])}",
        )
    return found


def mcp_node_in(workflow: Workflow, node_id: str) -> Node:
    """The same for an MCP node. Raises `NotFound`: `MCP_NODE_NOT_FOUND`."""
    try:
        return node_in(workflow, node_id)
    except NotFound as error:
        raise NotFound("MCP_NODE_NOT_FOUND", error.message, hint=error.hint) from None


def offered_tools(
    node: Node, tools: Sequence[Tool], names: Sequence[str] | None, *, live: bool
) -> list[Tool]:
    """The tools that a task chooses from: those named, all for an empty list.

    With None, a choice that was made before stays, unless the server is asked for its tools.
    """
    server = text_at(node.data, "serverId")
    if names:
        return [tool_in(tools, server, name) for name in dict.fromkeys(names)]
    config = node.data.get(TASK_CONFIG) or node.data.get(KEPT_TASK)
    listed = {tool.name for tool in snapshots_in({TASK_CONFIG: config})}
    kept = [tool for tool in tools if tool.name in listed] if names is None and not live else []
    return kept or list(tools)


def tool_in(tools: Sequence[Tool], server: str, name: str) -> Tool:
    """The tool of this name."""
    for tool in tools:
        if tool.name == name:
            return tool
    hint = did_you_mean(name, [tool.name for tool in tools])
    raise Invalid(
        "MCP_TOOL_NOT_FOUND",
        f"no approved tool {name!r} of server {server!r} is known",
        hint=hint or f"`toolweave servers tools {server}` lists them",
    )
