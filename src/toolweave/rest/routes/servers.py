"""`/api/v1/servers`: register, approve, check, enable and disable MCP servers.

Only an admin adds a definition, and nothing is started before the hash of the definition was
approved. Servers are identified by their ids: a name may contain any printable character.
"""

from pathlib import Path
from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Depends, Request, Response
from fastapi import Path as InPath
from pydantic import Field

from toolweave.app.studio import Studio
from toolweave.clock import timestamp
from toolweave.errors import Conflict, Invalid, NotFound
from toolweave.json_record import JsonRecord
from toolweave.rest.auth import Authenticator, key_of
from toolweave.rest.request_body import RequestBody
from toolweave.rest.response_models import READING
from toolweave.rest.routing import Routes
from toolweave.servers.approval import (
    ServerToolRecord,
    ToolDriftRecord,
    approval_facts,
    list_current_tools,
    pin_tools,
)
from toolweave.servers.approvals import ApprovalsRecord, list_approvals
from toolweave.servers.checks import ServerCheck, check_server
from toolweave.servers.definition import Server
from toolweave.servers.discovery.search import Discovery, discover_all
from toolweave.servers.import_servers import (
    DiscoveryRecord,
    client_locations,
    discovery_record,
    import_server,
)
from toolweave.servers.removal import remove_server
from toolweave.servers.summary import ServerRecord, record_of, summarize_server
from toolweave.servers.user_definitions import anchored, read_pasted

ServerIdentity = Annotated[str, InPath(max_length=64, pattern=r"\S", description="A server's id")]


class AddServersRequest(RequestBody):
    """Servers in the format of other clients: `{"mcpServers": {…}}`, or one entry and its name."""

    definition: str = Field(min_length=2, max_length=200_000, description="The JSON text")
    name: str | None = Field(None, min_length=1, max_length=128)


class ServerImportRequest(RequestBody):
    """The names of the discovered servers to register; default: all."""

    names: list[str] | None = Field(None, max_length=1_000)


class ApproveServerRequest(RequestBody):
    """Approves a definition."""

    hash: str = Field(min_length=1, max_length=200, description="The hash of the definition")
    accept_changes: bool = Field(
        False, alias="acceptChanges", description="Also accept changed tools, as they were shown"
    )


class ApproveLockfileRequest(RequestBody):
    """Approves the content of a lockfile."""

    hash: str = Field(min_length=1, max_length=200, description="The hash that was shown")


class ServerListResponse(JsonRecord):
    """The registered servers."""

    servers: list[ServerRecord]


class ServerFactResponse(JsonRecord):
    """A fact that the approval covers."""

    label: str
    key: str
    value: str | list[str] | None


class ServerDetailsResponse(JsonRecord):
    """A server, and everything that its approval covers."""

    server: ServerRecord
    facts: list[ServerFactResponse]


class ServerToolListResponse(JsonRecord):
    """The current tools of a server, and the changes since its approval."""

    description: str | None
    tools: list[ServerToolRecord]
    changes: list[ToolDriftRecord]


class ApproveServerResponse(JsonRecord):
    """The result of an approval; tools with `changes` that were not accepted stay blocked."""

    server: ServerRecord
    pinned: int
    changes: list[ToolDriftRecord]


class _Handlers:
    """The handlers."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    async def list_servers(self) -> ServerListResponse:
        """List all registered servers with their state and problems."""
        servers = await self._studio.home.registry.list()
        return ServerListResponse(servers=[await self._record(server) for server in servers])

    async def add_servers(
        self, body: Annotated[AddServersRequest, Depends(AddServersRequest.read)]
    ) -> ServerListResponse:
        """Register servers from pasted JSON; nothing is started."""
        entries, problems = read_pasted(body.definition, name=body.name)
        if not entries or any(problem.severity == "error" for problem in problems):
            message = "the definition is invalid"
            raise Invalid("SERVER_DEFINITION_INVALID", message, problems=problems)
        registry = self._studio.home.registry
        known = {server.name for server in await registry.list()}
        if len(entries) > 1 and (taken := [name for name, _ in entries if name in known]):
            # A definition is registered completely or not at all.
            message = f"already registered: {', '.join(map(repr, taken))}; nothing was added"
            raise Conflict("SERVER_NAME_TAKEN", message, hint="remove them from the definition")
        added = [
            await registry.add(name, anchored(definition, Path.cwd()))
            for name, definition in entries
        ]
        return ServerListResponse(servers=[await self._record(server) for server in added])

    async def find_servers(self) -> DiscoveryRecord:
        """List the servers configured in other clients; their files are only read."""
        return discovery_record(await self._discovered())

    async def import_servers(
        self, body: Annotated[ServerImportRequest, Depends(ServerImportRequest.read)]
    ) -> DiscoveryRecord:
        """Register servers of other clients, unapproved."""
        names = body.names
        discovery = await self._discovered()
        imported = {
            index: await import_server(self._studio.home.registry, found)
            for index, found in enumerate(discovery.found)
            if found.definition is not None and not found.shadowed_by
            if names is None or found.name in names
        }
        return discovery_record(discovery, imported)

    async def list_approvals(self) -> ApprovalsRecord:
        """List what is approved, by whom, when and from which file."""
        home = self._studio.home
        return await list_approvals(home.registry, home.lockfile)

    async def approve_lockfile(
        self,
        request: Request,
        body: Annotated[ApproveLockfileRequest, Depends(ApproveLockfileRequest.read)],
    ) -> ApprovalsRecord:
        """Approve the content of the project's lockfile that has this hash."""
        home = self._studio.home
        by, now = _approver(request), timestamp(home.clock.now())
        await anyio.to_thread.run_sync(lambda: home.lockfile.approve(body.hash, by=by, at=now))
        return await self.list_approvals()

    async def show_server(self, server: ServerIdentity) -> ServerDetailsResponse:
        """Show everything an approval covers: the exact command or address."""
        found = await self._server(server)
        facts = await approval_facts(self._studio.transports, found)
        return ServerDetailsResponse(
            server=await self._record(found), facts=[ServerFactResponse.of(fact) for fact in facts]
        )

    async def remove_server(self, server: ServerIdentity) -> Response:
        """Remove a server, its approval, its pinned tools and its sign-in."""
        found = await self._server(server)
        home = self._studio.home
        await remove_server(home.registry, home.lockfile, home.vault, found.name)
        self._studio.connections.drop(found.name)
        return Response(status_code=204)

    async def approve_server(
        self,
        request: Request,
        server: ServerIdentity,
        body: Annotated[ApproveServerRequest, Depends(ApproveServerRequest.read)],
    ) -> ApproveServerResponse:
        """Approve the definition with this hash, and pin the server's tools.

        `acceptChanges` accepts the tools that this key was shown last, by this or another request.
        If the server lists others now, nothing is pinned, and the response has their changes.
        """
        found = await self._server(server)
        self._studio.home.lockfile.require_approved()
        approved = await self._studio.home.registry.approve(
            found.name, body.hash, by=_approver(request)
        )
        listed = await list_current_tools(self._studio.gate, found.name)
        who, shown = key_of(request).id, self._studio.gate.shown_tools
        is_accepted = body.accept_changes and shown.are(who, found.name, listed.definitions)
        is_kept_out = bool(listed.drift) and not is_accepted
        if is_kept_out:
            shown.note(who, found.name, listed.definitions)
        else:
            await anyio.to_thread.run_sync(
                pin_tools, self._studio.home.lockfile, found.name, listed
            )
        return ApproveServerResponse(
            server=await self._record(approved),
            pinned=0 if is_kept_out else len(listed.tools),
            changes=[ToolDriftRecord.of(change) for change in listed.drift],
        )

    async def enable_server(self, server: ServerIdentity) -> ServerRecord:
        """Enable a server, reset its failure count and connect to it."""
        found = await self._server(server)
        enabled = await self._studio.home.registry.enable(found.name)
        await self._studio.connections.start(enabled)
        return await self._record(enabled)

    async def disable_server(self, server: ServerIdentity) -> ServerRecord:
        """Disable a server."""
        found = await self._server(server)
        disabled = await self._studio.home.registry.disable(found.name)
        self._studio.connections.drop(found.name)
        return await self._record(disabled)

    async def check_server(self, server: ServerIdentity) -> ServerCheck:
        """Check a server now; the response says why it does not answer."""
        found = await self._server(server)
        if self._studio.connections.health(found).retry.is_retrying:
            self._studio.connections.drop(found.name)  # try now, not after the back-off
        return await check_server(self._studio.connections, self._studio.home.lockfile, found)

    async def list_server_tools(
        self, server: ServerIdentity, request: Request
    ) -> ServerToolListResponse:
        """List the tools of a server with their parameter trees."""
        found = await self._server(server)
        listed = await list_current_tools(self._studio.gate, found.name)
        who = key_of(request).id
        self._studio.gate.shown_tools.note(who, found.name, listed.definitions)
        return ServerToolListResponse(
            description=listed.description,
            tools=[ServerToolRecord.read(tool) for tool in listed.tools],
            changes=[ToolDriftRecord.of(change) for change in listed.drift],
        )

    async def _discovered(self) -> Discovery:
        places = client_locations(self._studio.home.environ)
        return await anyio.to_thread.run_sync(discover_all, places)

    async def _server(self, identity: str) -> Server:
        return await server_of(self._studio, identity)

    async def _record(self, server: Server) -> ServerRecord:
        home = self._studio.home
        summary = await summarize_server(
            home.pings,
            home.lockfile,
            server,
            home.settings.retry.waits_s,
            connections=self._studio.connections,
        )
        return record_of(summary)


def _approver(request: Request) -> str:
    return f"key {key_of(request).name}"


async def server_of(studio: Studio, identity: str) -> Server:
    """Return the server with this id or name.

    Raises:
        NotFound: `MCP_SERVER_NOT_FOUND`.
    """
    for server in await studio.home.registry.list():
        if identity in {server.id, server.name}:
            return server
    raise NotFound("MCP_SERVER_NOT_FOUND", f"there is no server {identity!r}")


_TEXTS = {
    404: "No server has this id.",
    409: "The name is taken, the definition has changed, or the server is disabled.",
    422: "The request does not have the expected form.",
    503: "The database or the server is unavailable.",
    504: "The server did not answer in time.",
}
_REACHING = (404, 409, 504)


def server_routes(studio: Studio, authenticator: Authenticator) -> APIRouter:
    """The endpoints."""
    handlers, one, found = _Handlers(studio), "/{server}", "/discovered"
    routes = Routes(authenticator, "/api/v1/servers", "servers", *READING, texts=_TEXTS)
    routes.add("GET", "", handlers.list_servers)
    routes.add("POST", "", handlers.add_servers, 409, status=201)
    routes.add("GET", found, handlers.find_servers)
    routes.add("POST", found, handlers.import_servers)
    routes.add("GET", "/approvals", handlers.list_approvals)
    routes.add("POST", "/approvals/lockfile", handlers.approve_lockfile, 409)
    routes.add("GET", one, handlers.show_server, 404)
    routes.add("DELETE", one, handlers.remove_server, 404, status=204)
    routes.add("POST", f"{one}/approve", handlers.approve_server, *_REACHING)
    routes.add("POST", f"{one}/enable", handlers.enable_server, 404)
    routes.add("POST", f"{one}/disable", handlers.disable_server, 404)
    routes.add("POST", f"{one}/check", handlers.check_server, 404)
    routes.add("GET", f"{one}/tools", handlers.list_server_tools, *_REACHING)
    return routes.router()
