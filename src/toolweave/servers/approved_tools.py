"""Tools of approved servers for models and nodes, read from the registry and the lockfile."""

from collections.abc import Sequence

from toolweave.errors import Denied, Invalid, NotFound
from toolweave.servers.content_tools import content_tools
from toolweave.servers.definition import HttpServer, Server, SseServer
from toolweave.servers.lockfile import Lockfile
from toolweave.servers.registry import Registry
from toolweave.servers.skill_reading import skill_tools
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool


class ApprovedTools:
    """The tools of approved servers; starts no server."""

    def __init__(self, registry: Registry, lockfile: Lockfile) -> None:
        self._registry = registry
        self._lockfile = lockfile

    async def tools(self, server: str) -> Sequence[Tool]:
        """Return the approved tools of a server. Raises `NotFound` or `Denied`."""
        found = await self._registry.get(server)
        if not found.is_approved:
            raise Denied(
                "SERVER_NOT_APPROVED",
                f"server {server!r} is not approved",
                hint=f"run `toolweave servers approve {server}` to review and approve it",
            )
        await self._lockfile.refresh()
        pins = self._lockfile.known_pins(server)
        return [read_tool(server, pins[name].definition) for name in sorted(pins)]

    async def chat_tools(self, server: str) -> Sequence[Tool]:
        """Return the approved tools, and those that read what the server offers beside them."""
        own = await self.tools(server)
        content = content_tools(server, self._lockfile.offers(server))
        return [*own, *content, *await self.skill_tools(server)]

    async def skill_tools(self, server: str) -> Sequence[Tool]:
        """Return the tool that reads the approved skills of a server, if it has some."""
        return skill_tools(server, self._lockfile.skills(server).values())

    async def server_for(self, kind: str, named: str | None = None) -> str:
        """Return the approved server with this name or address, else the one of this kind."""
        approved = [one for one in await self._registry.list() if one.is_approved]
        if named:
            found = [one for one in approved if named == one.name or _is_at(one, named)]
        else:
            found = [one for one in approved if one.name.casefold() == kind]
            found = found or [one for one in approved if kind in one.name.casefold()]
        if not found:
            wanted = f"has the name or address {named!r}" if named else f"has {kind!r} in its name"
            raise NotFound(
                "MCP_SERVER_NOT_FOUND",
                f"no approved server {wanted}",
                hint=f"`toolweave servers add {kind} …`, then `toolweave servers approve {kind}`; "
                "a workflow can only refer to a registered server",
            )
        if len(found) > 1:
            names = ", ".join(repr(one.name) for one in found)
            raise Invalid(
                "SERVER_AMBIGUOUS",
                f"several servers match: {names}",
                hint="set mcp_server_url to one of them",
            )
        return found[0].name


def _is_at(server: Server, url: str) -> bool:
    definition = server.definition
    if not isinstance(definition, HttpServer | SseServer):
        return False
    return definition.url.rstrip("/") == url.rstrip("/")
