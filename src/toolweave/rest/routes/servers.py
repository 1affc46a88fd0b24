"""`/api/v1/servers`: register, approve, check, enable and disable MCP servers.

Only an admin adds a definition, and nothing is started before the hash of the definition was
approved. Servers are identified by their ids: a name may contain any printable character.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, Depends
from fastapi import Path as InPath
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.routing import Route

from toolweave.app.studio import Studio
from toolweave.errors import Invalid, NotFound
from toolweave.json_record import JsonRecord
from toolweave.rest.auth import Authenticator
from toolweave.rest.error_responses import OtherMethods
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.request_body import RequestBody
from toolweave.rest.response_models import READING, ProblemResponse
from toolweave.rest.routing import Gate, add_route
from toolweave.servers.approval import (
    approval_facts,
    drift_as_json,
    list_current_tools,
    pin_tools,
    tool_as_json,
)
from toolweave.servers.checks import check_server
from toolweave.servers.definition import Server
from toolweave.servers.discovery.search import Discovery, discover_all
from toolweave.servers.import_servers import client_locations, discovery_as_json, import_server
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
        False, alias="acceptChanges", description="Also accept changed tools"
    )


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


class ToolChangeResponse(JsonRecord):
    """A difference of a tool."""

    pointer: str
    message: str


class ToolDriftResponse(JsonRecord):
    """A tool that changed since its approval."""

    tool: str
    kind: str
    changes: list[ToolChangeResponse]


class ServerToolResponse(BaseModel):
    """A tool of a server; `parameters` is its parameter tree, for forms."""

    name: str
    description: str
    parameters: list[dict[str, Any]]
    input_schema: dict[str, Any] = Field(alias="inputSchema")
    output_schema: dict[str, Any] | None = Field(alias="outputSchema")
    problems: list[ProblemResponse]


class ServerToolListResponse(BaseModel):
    """The current tools of a server, and the changes since its approval."""

    description: str | None
    tools: list[ServerToolResponse]
    changes: list[ToolDriftResponse]


class ApproveServerResponse(JsonRecord):
    """The result of an approval; tools with `changes` that were not accepted stay blocked."""

    server: ServerRecord
    pinned: int
    changes: list[ToolDriftResponse]


class ServerCheckResponse(BaseModel):
    """The result of a check."""

    name: str
    state: str
    latency_ms: float | None = Field(alias="latencyMs")
    tool_count: int | None = Field(alias="toolCount")
    protocol_version: str | None = Field(alias="protocolVersion")
    details: str | None
    code: str | None


class DiscoveredServersResponse(BaseModel):
    """Servers configured in other clients."""

    servers: list[dict[str, Any]]
    file_problems: list[dict[str, Any]] = Field(alias="fileProblems")


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
        added = [
            await registry.add(name, anchored(definition, Path.cwd()))
            for name, definition in entries
        ]
        return ServerListResponse(servers=[await self._record(server) for server in added])

    async def find_servers(self) -> Response:
        """List the servers configured in other clients; their files are only read."""
        found = await self._discovered()
        return JsonResponse(discovery_as_json(found, {}, {}))

    async def import_servers(
        self, body: Annotated[ServerImportRequest, Depends(ServerImportRequest.read)]
    ) -> Response:
        """Register servers of other clients, unapproved."""
        names = body.names
        discovery = await self._discovered()
        imported = {
            index: await import_server(self._studio.home.registry, found)
            for index, found in enumerate(discovery.found)
            if found.definition is not None and not found.shadowed_by
            if names is None or found.name in names
        }
        return JsonResponse(discovery_as_json(discovery, imported, {}))

    async def show_server(self, server: ServerIdentity) -> ServerDetailsResponse:
        """Show everything an approval covers: the exact command or address."""
        found = await self._server(server)
        facts = await approval_facts(self._studio.transports, found)
        return ServerDetailsResponse(
            server=await self._record(found), facts=[ServerFactResponse.of(fact) for fact in facts]
        )

    async def remove_server(self, server: ServerIdentity) -> Response:
        """Remove a server, its approval and its pinned tools."""
        found = await self._server(server)
        await self._studio.home.registry.remove(found.name)
        self._studio.connections.drop(found.name)
        self._studio.home.lockfile.unpin(found.name)
        return Response(status_code=204)

    async def approve_server(
        self,
        server: ServerIdentity,
        body: Annotated[ApproveServerRequest, Depends(ApproveServerRequest.read)],
    ) -> ApproveServerResponse:
        """Approve the definition with this hash, and pin the server's tools."""
        found = await self._server(server)
        approved = await self._studio.home.registry.approve(found.name, body.hash)
        listed = await list_current_tools(self._studio.gate, found.name)
        is_kept_out = bool(listed.drift) and not body.accept_changes
        if not is_kept_out:
            await anyio.to_thread.run_sync(
                pin_tools, self._studio.home.lockfile, found.name, listed
            )
        return ApproveServerResponse(
            server=await self._record(approved),
            pinned=0 if is_kept_out else len(listed.tools),
            changes=[ToolDriftResponse.of(change) for change in drift_as_json(listed.drift)],
        )

    async def enable_server(self, server: ServerIdentity) -> ServerRecord:
        """Enable a server and reset its failure count."""
        found = await self._server(server)
        return await self._record(await self._studio.home.registry.enable(found.name))

    async def disable_server(self, server: ServerIdentity) -> ServerRecord:
        """Disable a server."""
        found = await self._server(server)
        disabled = await self._studio.home.registry.disable(found.name)
        self._studio.connections.drop(found.name)
        return await self._record(disabled)

    async def check_server(self, server: ServerIdentity) -> Response:
        """Check a server now; the response says why it does not answer."""
        found = await self._server(server)
        if self._studio.connections.health(found).retry.is_retrying:
            self._studio.connections.drop(found.name)  # try now, not after the back-off
        return JsonResponse(
            (
                await check_server(self._studio.connections, self._studio.home.lockfile, found)
            ).as_json()
        )

    async def list_server_tools(self, server: ServerIdentity) -> Response:
        """List the tools of a server with their parameter trees."""
        found = await self._server(server)
        listed = await list_current_tools(self._studio.gate, found.name)
        answer = {
            "description": listed.description,
            "tools": [tool_as_json(tool) for tool in listed.tools],
            "changes": drift_as_json(listed.drift),
        }
        return JsonResponse(answer)

    async def _discovered(self) -> Discovery:
        places = client_locations(self._studio.home.environ)
        return await anyio.to_thread.run_sync(discover_all, places)

    async def _server(self, identity: str) -> Server:
        return await server_of(self._studio, identity)

    async def _record(self, server: Server) -> ServerRecord:
        home = self._studio.home
        return record_of(await summarize_server(home.pings, home.lockfile, server))


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
    """The endpoints: reading needs `tools:read`, everything else `servers:admin`."""
    handlers = _Handlers(studio)
    router = APIRouter(prefix="/api/v1/servers", tags=["servers"])
    one, found = "/{server}", "/discovered"
    read, admin = map(authenticator.require, ("tools:read", "servers:admin"))

    # Any: handlers of different parameters.
    def add(
        method: str,
        path: str,
        handler: Callable[..., Any],
        gate: Gate,
        *errors: int,
        status: int = 200,
        model: type[BaseModel] | None = None,
    ) -> None:
        statuses = (*READING, *errors)
        add_route(
            *(router, method, path, handler, gate, *statuses),
            status=status,
            model=model,
            texts=_TEXTS,
        )

    add("GET", "", handlers.list_servers, read)
    add("POST", "", handlers.add_servers, admin, 409, status=201)
    add("GET", found, handlers.find_servers, admin, model=DiscoveredServersResponse)
    add("POST", found, handlers.import_servers, admin, model=DiscoveredServersResponse)
    add("GET", one, handlers.show_server, admin, 404)
    add("DELETE", one, handlers.remove_server, admin, 404, status=204)
    add("POST", f"{one}/approve", handlers.approve_server, admin, *_REACHING)
    add("POST", f"{one}/enable", handlers.enable_server, admin, 404)
    add("POST", f"{one}/disable", handlers.disable_server, admin, 404)
    add("POST", f"{one}/check", handlers.check_server, admin, 404, model=ServerCheckResponse)
    tools = handlers.list_server_tools
    add("GET", f"{one}/tools", tools, read, *_REACHING, model=ServerToolListResponse)
    for path, methods in (("", "GET POST"), (found, "GET POST"), (one, "GET DELETE")):
        refuse = OtherMethods(*methods.split())
        router.routes.append(Route(router.prefix + path, endpoint=refuse))
    return router
