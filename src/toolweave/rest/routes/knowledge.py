"""`/api/v1/mcp/…`: the node catalog over REST, as seed 004 writes it.

The external pair speaks JSON-RPC 2.0 and wants an API key; the internal pair is plain, for
programs of this machine that hold the service token (security.md settles the seed's "no auth").
"""

import hmac
import time
from functools import partial
from ipaddress import ip_address
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import Response

import toolweave
from toolweave.catalog.questions import EXAMPLES, GUIDANCE, QUESTIONS, TAGS
from toolweave.catalog.toolbox import Toolbox
from toolweave.errors import Denied, NotFound
from toolweave.json_text import JsonObject, write
from toolweave.rest import shapes
from toolweave.rest.auth import Doorkeeper, Unauthorized
from toolweave.rest.bodies import Invocation, RpcInvocation, arguments_of, read_invocation

ToolName = Annotated[str, Path(max_length=200, description="A tool's name")]

_INVOKE_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "anyOf": [Invocation.model_json_schema(), RpcInvocation.model_json_schema()]
                }
            }
        },
    }
}


class _Answers:
    """The handlers of the six endpoints."""

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox
        self._listing = {"tools": [_listed(question) for question in QUESTIONS]}

    async def list_tools(self, request: Request) -> Response:
        """List the knowledge tools, as a JSON-RPC 2.0 answer."""
        return _rpc(request.state.request_id, self._listing)

    async def list_tools_internal(self) -> Response:
        """List the knowledge tools, plainly, for programs of this machine."""
        return _json(self._listing)

    async def invoke(self, request: Request) -> Response:
        """Invoke a knowledge tool; the answer is wrapped in JSON-RPC 2.0."""
        invocation, rpc_id = await read_invocation(request)
        answer = _invoke(self._toolbox, invocation, request.state.request_id)
        return _rpc(rpc_id if rpc_id is not None else request.state.request_id, answer)

    async def invoke_internal(self, request: Request) -> Response:
        """Invoke a knowledge tool without the JSON-RPC wrapper."""
        invocation, _ = await read_invocation(request)
        return _json(_invoke(self._toolbox, invocation, request.state.request_id))

    async def show_tool(self, tool_name: ToolName, request: Request) -> Response:
        """One tool: what it is for, guidance, and usage examples."""
        started = time.perf_counter()
        question = next((q for q in QUESTIONS if q["name"] == tool_name), None)
        if question is None:
            raise _no_tool(self._toolbox, tool_name)
        return _json(
            {
                "name": tool_name,
                "description": question["description"],
                "version": "1.0.0",
                "available": True,
                "category": "workflow",
                "parameters": question["inputSchema"],
                "workflow_guidance": GUIDANCE,
                "usage_examples": list(EXAMPLES[tool_name]),
                "processing_time_ms": _since(started),
                "request_id": request.state.request_id,
            }
        )

    async def health(self, request: Request) -> Response:
        """Whether the catalog answers."""
        started = time.perf_counter()
        return _json(
            {
                "healthy": True,
                "version": toolweave.__version__,
                "available_tools": [question["name"] for question in QUESTIONS],
                "timestamp": int(time.time()),
                "error": None,
                "request_id": request.state.request_id,
                "processing_time_ms": _since(started),
            }
        )


def knowledge_routes(
    toolbox: Toolbox, doorkeeper: Doorkeeper, *, service_token: str | None
) -> APIRouter:
    """The six endpoints; without a service token the internal pair is off."""
    router = APIRouter(prefix="/api/v1/mcp", tags=["catalog"])
    answers = _Answers(toolbox)
    reads, executes, checks = (
        [Depends(doorkeeper.wants(scope))]
        for scope in ("tools:read", "tools:execute", "health:check")
    )
    internal = [Depends(_Internal(service_token))]
    get, post = (
        partial(router.add_api_route, methods=["GET"]),
        partial(router.add_api_route, methods=["POST"], openapi_extra=_INVOKE_BODY),
    )
    get("/tools", answers.list_tools, dependencies=reads, responses=shapes.TOOLS)
    post("/invoke", answers.invoke, dependencies=executes, responses=shapes.INVOKE)
    # Before `/tools/{tool_name}`, which would take it for a tool's name.
    get(
        "/tools/internal",
        answers.list_tools_internal,
        dependencies=internal,
        responses=shapes.TOOLS_INTERNAL,
    )
    post(
        "/invoke/internal",
        answers.invoke_internal,
        dependencies=internal,
        responses=shapes.INVOKE_INTERNAL,
    )
    get("/tools/{tool_name}", answers.show_tool, dependencies=reads, responses=shapes.TOOL)
    get("/health", answers.health, dependencies=checks, responses=shapes.HEALTH)
    return router


class _Internal:
    """Lets in a peer on this machine that shows the service token."""

    def __init__(self, service_token: str | None) -> None:
        self._token = service_token

    async def __call__(self, request: Request) -> None:
        """Refuse everybody else."""
        if self._token is None or not _is_loopback(request):
            raise Denied("INTERNAL_ONLY", "this endpoint answers programs of this machine only")
        given = request.headers.get("x-service-token", "")
        if not hmac.compare_digest(given.encode(), self._token.encode()):
            raise Unauthorized(
                "SERVICE_TOKEN_INVALID",
                "the service token is missing or wrong",
                hint="send `X-Service-Token`; it is in the file `service.token` of the home",
            )


def _is_loopback(request: Request) -> bool:
    try:
        return request.client is not None and ip_address(request.client.host).is_loopback
    except ValueError:
        return False


def _invoke(toolbox: Toolbox, invocation: Invocation, request_id: str) -> dict[str, Any]:
    started = time.perf_counter()
    if not toolbox.knows(invocation.name):
        raise _no_tool(toolbox, invocation.name)
    answer: dict[str, Any] = toolbox.call(invocation.name, arguments_of(invocation))
    if not answer["isError"]:
        # 004: the words are for people, the data is in structuredContent.
        words = f"Tool '{invocation.name}' executed successfully"
        answer = {**answer, "content": [{"type": "text", "text": words}]}
    return {
        **answer,
        "_tool_name": invocation.name,
        "_execution_time_ms": _since(started),
        "_request_id": request_id,
    }


def _no_tool(toolbox: Toolbox, name: str) -> NotFound:
    return NotFound(
        "TOOL_NOT_FOUND", f"no tool is called {name[:100]!r}", hint=toolbox.did_you_mean(name)
    )


def _listed(question: JsonObject) -> JsonObject:
    return {
        "name": question["name"],
        "description": question["description"],
        "parameters": question["inputSchema"],
        "category": "workflow",
        "tags": list(TAGS[str(question["name"])]),
    }


def _rpc(rpc_id: object, result: object) -> Response:
    return _json({"jsonrpc": "2.0", "id": rpc_id, "result": result})


def _json(body: object) -> Response:
    return Response(write(body), media_type="application/json")


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)
