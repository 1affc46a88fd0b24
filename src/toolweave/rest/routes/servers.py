"""`/api/v1/servers`: MCP servers as the studio shows, approves, checks and switches them.

A definition enters only by an admin, and nothing of it is started before somebody approved its
very hash. Servers are named by their ids here: names may hold anything printable.
"""

from pathlib import Path
from typing import Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, Depends, Request
from fastapi import Path as InPath
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.routing import Route

from toolweave.app.studio import Studio
from toolweave.errors import Invalid, NotFound
from toolweave.rest import openapi
from toolweave.rest.auth import Doorkeeper
from toolweave.rest.error_responses import OtherMethods
from toolweave.rest.json_response import json_answer
from toolweave.rest.request_body import Strict, read_shape
from toolweave.rest.shapes import KEYED, READING, ProblemShape, responses
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
from toolweave.servers.summary import summarize_server, summary_as_json
from toolweave.servers.user_definitions import anchored, read_pasted

ServerIdentity = Annotated[str, InPath(max_length=64, pattern=r"\S", description="A server's id")]


class Pasting(Strict):
    """Servers as other clients write them: `{"mcpServers": {…}}`, or one entry and its name."""

    definition: str = Field(min_length=2, max_length=200_000, description="The JSON text")
    name: str | None = Field(None, min_length=1, max_length=128)


class ServerImportRequest(Strict):
    """Which of the servers that were found are registered; all of them where none is named."""

    names: list[str] | None = Field(None, max_length=1_000)


class Approving(Strict):
    """The yes to what was shown."""

    hash: str = Field(min_length=1, max_length=200, description="Of the definition shown")
    accept_changes: bool = Field(
        False, alias="acceptChanges", description="Whether changed tools are accepted as well"
    )


class ServerShape(BaseModel):
    """A server as it stands."""

    id: str
    name: str
    display_name: str = Field(alias="displayName")
    description: str | None
    state: str
    transport: str
    deployment_type: str = Field(alias="deploymentType")
    runner: str | None
    scope: str
    found_in: str | None = Field(alias="foundIn")
    enabled: bool
    approved: bool
    auto_disabled: bool = Field(alias="autoDisabled")
    failure_count: int = Field(alias="failureCount")
    last_connected_at: str | None = Field(alias="lastConnectedAt")
    connection_status: str = Field(alias="connectionStatus")
    latency_ms: float | None = Field(alias="latencyMs")
    tool_count: int | None = Field(alias="toolCount")
    details: str | None
    sign_in: bool = Field(alias="signIn", description="Whether a person can sign in there")


class ServersShape(BaseModel):
    """Every registered server."""

    servers: list[ServerShape]


class FactShape(BaseModel):
    """One fact that an approval is bound to."""

    label: str
    key: str
    value: str | list[str] | None


class ShownShape(BaseModel):
    """A server, and everything that decides what would run."""

    server: ServerShape
    facts: list[FactShape]


class ChangeShape(BaseModel):
    """Where a tool differs."""

    pointer: str
    message: str


class DriftShape(BaseModel):
    """A tool that is not as it was approved."""

    tool: str
    kind: str
    changes: list[ChangeShape]


class ServerToolShape(BaseModel):
    """A tool of a server; `parameters` is the tree that forms are made from."""

    name: str
    description: str
    parameters: list[dict[str, Any]]
    input_schema: dict[str, Any] = Field(alias="inputSchema")
    output_schema: dict[str, Any] | None = Field(alias="outputSchema")
    problems: list[ProblemShape]


class ServerToolsShape(BaseModel):
    """What a server can do now, and how that differs from what was approved."""

    description: str | None
    tools: list[ServerToolShape]
    changes: list[DriftShape]


class ApprovedShape(BaseModel):
    """What came of an approval; `changes` that were not accepted stay blocked."""

    server: ServerShape
    pinned: int
    changes: list[DriftShape]


class CheckedShape(BaseModel):
    """What came of trying a server."""

    name: str
    state: str
    latency_ms: float | None = Field(alias="latencyMs")
    tool_count: int | None = Field(alias="toolCount")
    protocol_version: str | None = Field(alias="protocolVersion")
    details: str | None
    code: str | None


class FoundShape(BaseModel):
    """Servers in the files of other clients."""

    servers: list[dict[str, Any]]
    file_problems: list[dict[str, Any]] = Field(alias="fileProblems")


class _Answers:
    """The handlers."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    async def list_servers(self) -> Response:
        """List every registered server with its state and what is wrong."""
        servers = await self._studio.home.registry.list()
        return json_answer({"servers": [await self._shown(server) for server in servers]})

    async def add_servers(self, request: Request) -> Response:
        """Register servers from pasted JSON; nothing is started."""
        body = await read_shape(request, Pasting)
        entries, problems = read_pasted(body.definition, name=body.name)
        if not entries or any(problem.severity == "error" for problem in problems):
            message = "the definition cannot be used"
            raise Invalid("SERVER_DEFINITION_INVALID", message, problems=problems)
        registry = self._studio.home.registry
        added = [
            await registry.add(name, anchored(definition, Path.cwd()))
            for name, definition in entries
        ]
        return json_answer({"servers": [await self._shown(server) for server in added]}, 201)

    async def find_servers(self) -> Response:
        """List the servers that other clients have configured; their files are only read."""
        found = await self._discovered()
        return json_answer(discovery_as_json(found, {}, {}))

    async def import_servers(self, request: Request) -> Response:
        """Register servers of other clients, unapproved."""
        names = (await read_shape(request, ServerImportRequest)).names
        discovery = await self._discovered()
        imported = {
            index: await import_server(self._studio.home.registry, found)
            for index, found in enumerate(discovery.found)
            if found.definition is not None and not found.shadowed_by
            if names is None or found.name in names
        }
        return json_answer(discovery_as_json(discovery, imported, {}))

    async def show_server(self, server: ServerIdentity) -> Response:
        """Show exactly what would be started or reached: all that an approval is bound to."""
        found = await self._server(server)
        facts = [
            {"label": fact.label, "key": fact.key, "value": fact.value}
            for fact in await approval_facts(self._studio.transports, found)
        ]
        return json_answer({"server": await self._shown(found), "facts": facts})

    async def remove_server(self, server: ServerIdentity) -> Response:
        """Forget a server, its approval and its pinned tools."""
        found = await self._server(server)
        await self._studio.home.registry.remove(found.name)
        self._studio.connections.drop(found.name)
        self._studio.home.lockfile.unpin(found.name)
        return Response(status_code=204)

    async def approve_server(self, server: ServerIdentity, request: Request) -> Response:
        """Approve the definition of this hash, and hold the server to the tools it lists."""
        body = await read_shape(request, Approving)
        found = await self._server(server)
        approved = await self._studio.home.registry.approve(found.name, body.hash)
        listed = await list_current_tools(self._studio.gate, found.name)
        is_kept_out = bool(listed.drift) and not body.accept_changes
        if not is_kept_out:
            await anyio.to_thread.run_sync(
                pin_tools, self._studio.home.lockfile, found.name, listed
            )
        answer = {
            "server": await self._shown(approved),
            "pinned": 0 if is_kept_out else len(listed.tools),
            "changes": drift_as_json(listed.drift),
        }
        return json_answer(answer)

    async def enable_server(self, server: ServerIdentity) -> Response:
        """Switch a server on; failures of the past are forgotten."""
        found = await self._server(server)
        return json_answer(await self._shown(await self._studio.home.registry.enable(found.name)))

    async def disable_server(self, server: ServerIdentity) -> Response:
        """Switch a server off until somebody enables it."""
        found = await self._server(server)
        disabled = await self._studio.home.registry.disable(found.name)
        self._studio.connections.drop(found.name)
        return json_answer(await self._shown(disabled))

    async def check_server(self, server: ServerIdentity) -> Response:
        """Try a server now; why it does not answer is in the answer."""
        found = await self._server(server)
        if self._studio.connections.health(found).retry.is_retrying:
            self._studio.connections.drop(found.name)  # and is tried now, not after its back-off
        return json_answer(
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
        return json_answer(answer)

    async def _discovered(self) -> Discovery:
        places = client_locations(self._studio.home.environ)
        return await anyio.to_thread.run_sync(discover_all, places)

    async def _server(self, identity: str) -> Server:
        return await server_of(self._studio, identity)

    async def _shown(self, server: Server) -> dict[str, Any]:
        return summary_as_json(
            await summarize_server(self._studio.home.pings, self._studio.home.lockfile, server)
        )


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
    404: "No server of this id.",
    409: "The name is taken, the definition is another by now, or the server is switched off.",
    422: "The request has not the expected form.",
    503: "The database or the server does not answer.",
    504: "The server did not answer in time.",
}
_REACHING = (409, 504)


def server_routes(studio: Studio, doorkeeper: Doorkeeper) -> APIRouter:
    """The endpoints: looking wants `tools:read`, everything else `servers:admin`."""
    answers = _Answers(studio)
    router = APIRouter(prefix="/api/v1/servers", tags=["servers"])
    one, found = "/{server}", "/discovered"
    looks, changes = "tools:read", "servers:admin"
    shown, switched = _told(ShownShape, 200, 404), _told(ServerShape, 200, 404)
    approved = _told(ApprovedShape, 200, 404, *_REACHING)
    listed = _told(ServerToolsShape, 200, 404, *_REACHING)
    tried = _told(CheckedShape, 200, 404)
    # Any: what OpenAPI is told of each.
    table: tuple[tuple[str, str, str, Any, Any, type[Strict] | None], ...] = (
        (looks, "GET", "", answers.list_servers, _told(ServersShape), None),
        (changes, "POST", "", answers.add_servers, _told(ServersShape, 201, 409), Pasting),
        (changes, "GET", found, answers.find_servers, _told(FoundShape), None),
        (changes, "POST", found, answers.import_servers, _told(FoundShape), ServerImportRequest),
        (changes, "GET", one, answers.show_server, shown, None),
        (changes, "DELETE", one, answers.remove_server, _told(None, 204, 404), None),
        (changes, "POST", f"{one}/approve", answers.approve_server, approved, Approving),
        (changes, "POST", f"{one}/enable", answers.enable_server, switched, None),
        (changes, "POST", f"{one}/disable", answers.disable_server, switched, None),
        (changes, "POST", f"{one}/check", answers.check_server, tried, None),
        (looks, "GET", f"{one}/tools", answers.list_server_tools, listed, None),
    )
    for scope, method, path, answer, told, reading in table:
        router.add_api_route(
            path,
            answer,
            methods=[method],
            dependencies=[Depends(doorkeeper.wants(scope))],
            responses=told,
            status_code=next(status for status in (201, 204, 200) if status in told),
            openapi_extra=openapi.keyed(reading),
        )
    for path, methods in (("", "GET POST"), (found, "GET POST"), (one, "GET DELETE")):
        refuse = OtherMethods(*methods.split())
        router.routes.append(Route(router.prefix + path, endpoint=refuse))
    return router


def _told(
    ok: type[BaseModel] | None, status: int = 200, *more: int
) -> dict[int | str, dict[str, Any]]:
    return responses(ok, *KEYED, *READING, *more, texts=_TEXTS, status=status)
