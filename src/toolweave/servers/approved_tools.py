"""What approved servers offer to models and nodes, read from the registry and the lockfile."""

from collections.abc import Sequence

from toolweave.errors import Denied, Invalid, NotFound
from toolweave.servers.definition import HttpServer, Server, SseServer
from toolweave.servers.lockfile import Lockfile
from toolweave.servers.registry import Registry
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool


class ApprovedTools:
    """The real `Shelf`; it starts no server."""

    def __init__(self, registry: Registry, lockfile: Lockfile) -> None:
        self._registry = registry
        self._lockfile = lockfile

    async def tools(self, server: str) -> Sequence[Tool]:
        """The approved tools of a server.

        Raises:
            NotFound: `MCP_SERVER_NOT_FOUND`.
            Denied: `SERVER_NOT_APPROVED`.
        """
        found = await self._registry.get(server)
        if not found.is_approved:
            raise Denied(
                "SERVER_NOT_APPROVED",
                f"server {server!r} is not approved",
                hint=f"`toolweave servers approve {server}` shows it and approves it",
            )
        await self._lockfile.refresh()
        pins = self._lockfile.known_pins(server)
        return [read_tool(server, pins[name].definition) for name in sorted(pins)]

    async def server_for(self, kind: str, named: str | None = None) -> str:
        """The approved server that a node means: by its name or address, else by its kind.

        Raises:
            NotFound: `MCP_SERVER_NOT_FOUND`.
            Invalid: `SERVER_AMBIGUOUS` where several are of the kind.
        """
        approved = [one for one in await self._registry.list() if one.is_approved]
        if named:
            found = [one for one in approved if named == one.name or _is_at(one, named)]
        else:
            found = [one for one in approved if one.name.casefold() == kind]
            found = found or [one for one in approved if kind in one.name.casefold()]
        if not found:
            wanted = f"is called or reached as {named!r}" if named else f"has {kind!r} in its name"
            raise NotFound(
                "MCP_SERVER_NOT_FOUND",
                f"no approved server {wanted}",
                hint=f"`toolweave servers add {kind} …`, then `toolweave servers approve {kind}`; "
                "a workflow can name a server, but not bring one",
            )
        if len(found) > 1:
            names = ", ".join(repr(one.name) for one in found)
            raise Invalid(
                "SERVER_AMBIGUOUS",
                f"several servers could be meant: {names}",
                hint="name one of them in mcp_server_url",
            )
        return found[0].name


def _is_at(server: Server, url: str) -> bool:
    definition = server.definition
    if not isinstance(definition, HttpServer | SseServer):
        return False
    return definition.url.rstrip("/") == url.rstrip("/")
