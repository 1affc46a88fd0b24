"""`/api/v1/servers`: MCP servers as the studio shows, approves, checks and switches them.

A definition enters only by an admin, and nothing of it is started before somebody approved its
very hash. Servers are named by their ids here: names may hold anything printable.
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
from toolweave.servers.approval import drift_as_json, approval_facts, pin_tools, tool_as_json, list_current_tools
from toolweave.servers.checks import check_server
from toolweave.servers.definition import Server
from toolweave.servers.discovery.search import Discovery, discover_all
from toolweave.servers.import_servers import discovery_as_json, import_server, client_locations
from toolweave.servers.summary import ServerRecord, summarize_server, record_of
from toolweave.servers.user_definitions import anchored, read_pasted

ServerIdentity = Annotated[str, InPath(max_length=64, pattern=r"\S", description="A server's id")]


class AddServersRequest(RequestBody):
    """Servers as other clients write them: `{"mcpServers": {…}}`, or one entry and its name."""

    definition: str = Field(min_length=2, max_length=200_000, description="The JSON text")
    name: str | None = Field(None, min_length=1, max_length=128)


class ServerImportRequest(RequestBody):
    """Which of the servers that were found are registered; all of them where none is named."""

    names: list[str] | None = Field(None, max_length=1_000)


class ApproveServerRequest(RequestBody):
    """The yes to what was shown."""

    hash: str = Field(min_length=1, max_length=200, description="Of the definition shown")
    accept_changes: bool = Field(
        False, alias="acceptChanges", description="Whether changed tools are accepted as well"
    )


class ServerListResponse(JsonRecord):
    """Every registered server."""

    servers: list[ServerRecord]


class ServerFactResponse(JsonRecord):
    """One fact that an approval is bound to."""

    label: str
    key: str
    value: str | list[str] | None


class ServerDetailsResponse(JsonRecord):
    """A server, and everything that decides what would run."""

    server: ServerRecord
    facts: list[ServerFactResponse]


class ToolChangeResponse(JsonRecord):
    """Where a tool differs."""

    pointer: str
    message: str


class ToolDriftResponse(JsonRecord):
    """A tool that is not as it was approved."""

    tool: str
    kind: str
    changes: list[ToolChangeResponse]


class ServerToolResponse(BaseModel):
    """A tool of a server; `parameters` is the tree that forms are made from."""

    name: str
    description: str
    parameters: list[dict[str, Any]]
    input_schema: dict[str, Any] = Field(alias="inputSchema")
    output_schema: dict[str, Any] | None = Field(alias="outputSchema")
    problems: list[ProblemResponse]


class ServerToolListResponse(BaseModel):
    """What a server can do now, and how that differs from what was approved."""

    description: str | None
    tools: list[ServerToolResponse]
    changes: list[ToolDriftResponse]


class ApproveServerResponse(JsonRecord):
    """What came of an approval; `changes` that were not accepted stay blocked."""

    server: ServerRecord
    pinned: int
    changes: list[ToolDriftResponse]


class ServerCheckResponse(BaseModel):
    """What came of trying a server."""

    name: str
    state: str
    latency_ms: float | None = Field(alias="latencyMs")
    tool_count: int | None = Field(alias="toolCount")
    protocol_version: str | None = Field(alias="protocolVersion")
    details: str | None
    code: str | None


class DiscoveredServersResponse(BaseModel):
    """Servers in the files of other clients."""

    servers: list[dict[str, Any]]
    file_problems: list[dict[str, Any]] = Field(alias="fileProblems")


class _Handlers:
    """The handlers."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    async def list_servers(self) -> ServerListResponse:
        """List every registered server with its state and what is wrong."""
        servers = await self._studio.home.registry.list()
        return ServerListResponse(servers=[await self._record(server) for server in servers])

    async def add_servers(
        self, body: Annotated[AddServersRequest, Depends(AddServersRequest.read)]
    ) -> ServerListResponse:
        """Register servers from pasted JSON; nothing is started."""
        entries, problems = read_pasted(body.definition, name=body.name)
        if not entries or any(problem.severity == "error" for problem in problems):
            message = "the definition cannot be used"
            raise Invalid("SERVER_DEFINITION_INVALID", message, problems=problems)
        registry = self._studio.home.registry
        added = [
            await registry.add(name, anchored(definition, Path.cwd()))
            for name, definition in entries
        ]
        return ServerListResponse(servers=[await self._record(server) for server in added])

    async def find_servers(self) -> Response:
        """List the servers that other clients have configured; their files are only read."""
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
        """Show exactly what would be started or reached: all that an approval is bound to."""
        found = await self._server(server)
        facts = await approval_facts(self._studio.transports, found)
        return ServerDetailsResponse(
            server=await self._record(found), facts=[ServerFactResponse.of(fact) for fact in facts]
        )

    async def remove_server(self, server: ServerIdentity) -> Response:
        """Forget a server, its approval and its pinned tools."""
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
        """Approve the definition of this hash, and hold the server to the tools it lists."""
        found = await self._server(server)
        approved = await self._studio.home.registry.approve(found.name, body.hash)
        listed = await list_current_tools(self._studio.gate, found.name)
        is_kept_out = bool(listed.drift) and not body.accept_changes
        if not is_kept_out:
            await anyio.to_thread.run_sync(pin_tools, self._studio.home.lockfile, found.name, listed)
        return ApproveServerResponse(
            server=await self._record(approved),
            pinned=0 if is_kept_out else len(listed.tools),
            changes=[ToolDriftResponse.of(change) for change in drift_as_json(listed.drift)],
        )

    async def enable_server(self, server: ServerIdentity) -> ServerRecord:
        """Switch a server on; failures of the past are forgotten."""
        found = await self._server(server)
        return await self._record(await self._studio.home.registry.enable(found.name))

    async def disable_server(self, server: ServerIdentity) -> ServerRecord:
        """Switch a server off until somebody enables it."""
        found = await self._server(server)
        disabled = await self._studio.home.registry.disable(found.name)
        self._studio.connections.drop(found.name)
        return await self._record(disabled)

    async def check_server(self, server: ServerIdentity) -> Response:
        """Try a server now; why it does not answer is in the answer."""
        found = await self._server(server)
        if self._studio.connections.health(found).retry.is_retrying:
            self._studio.connections.drop(found.name)  # and is tried now, not after its back-off
        return JsonResponse(
            (
                await check_server(self._studio.connections, self._studio.home.lockfile, found)
            ).as_json()
        )

    async def list_server_tools(self, server: ServerIdentity) -> Response:
        """List what a server can do, with the parameter tree of each tool."""
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
    """The server of this id, or name.

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
    503: "The database or the server does not answer.",
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
