"""`/api/v1/mcp/…`: the catalog tools over REST.

The external endpoints use JSON-RPC 2.0 and need an API key; the internal ones use plain JSON, for
programs on this machine that have the service token.
"""

import time
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

import toolweave
from toolweave.access.authorization import route_rule
from toolweave.catalog.tool_definitions import EXAMPLES, GUIDANCE, QUESTIONS, TAGS
from toolweave.catalog.tool_service import ToolService
from toolweave.errors import NotFound, ToolweaveError
from toolweave.json_text import JsonObject
from toolweave.rest import openapi, response_models
from toolweave.rest.auth import Authenticator, ServiceTokenCheck
from toolweave.rest.error_responses import error_response
from toolweave.rest.guard import BodyTooLarge, too_large
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.request_body import Invocation, arguments_of, note_rpc_id, read_invocation
from toolweave.rest.response_models import Responses

PREFIX = "/api/v1/mcp"
INVOKE = f"{PREFIX}/invoke"
# Refused before the body is read; of somebody without a key nothing is read.
SENT_ID = frozenset({403, 429, 503})
ToolName = Annotated[str, Path(max_length=200, description="A tool's name")]


class _Handlers:
    """The handlers of the six endpoints."""

    def __init__(self, toolbox: ToolService) -> None:
        self._toolbox = toolbox
        self._listing = {"tools": [_listed(question) for question in QUESTIONS]}

    async def list_tools(self, request: Request) -> Response:
        """List the catalog tools, as a JSON-RPC 2.0 response."""
        return _rpc(request.state.request_id, self._listing)

    async def list_tools_internal(self) -> Response:
        """List the catalog tools as plain JSON, for programs on this machine."""
        return JsonResponse(self._listing)

    async def invoke(self, request: Request) -> Response:
        """Invoke a catalog tool; the response is JSON-RPC 2.0."""
        answer = self._invoke(await read_invocation(request), request)
        state = request.scope["state"]
        return _rpc(state.get("rpc_id", state["request_id"]), answer)

    async def invoke_internal(self, request: Request) -> Response:
        """Invoke a catalog tool; the response is plain JSON."""
        return JsonResponse(self._invoke(await read_invocation(request), request))

    async def show_tool(self, tool_name: ToolName, request: Request) -> Response:
        """Show a catalog tool with guidance and usage examples."""
        started = time.perf_counter()
        question = next((q for q in QUESTIONS if q["name"] == tool_name), None)
        if question is None:
            raise _no_tool(self._toolbox, tool_name)
        return JsonResponse(
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
        """Check whether the catalog is available."""
        started = time.perf_counter()
        types = self._toolbox.call("get_node_types", {})
        is_healthy = not types["isError"] and bool(types["structuredContent"])
        return JsonResponse(
            {
                "healthy": is_healthy,
                "version": toolweave.__version__,
                "available_tools": [question["name"] for question in QUESTIONS],
                "timestamp": int(time.time()),
                "error": None if is_healthy else "the catalog has no nodes",
                "request_id": request.state.request_id,
                "processing_time_ms": _since(started),
            }
        )

    def _invoke(self, invocation: Invocation, request: Request) -> dict[str, Any]:
        started = time.perf_counter()
        name = invocation.name
        if not self._toolbox.knows(name):
            raise _no_tool(self._toolbox, name)
        state = request.scope["state"]
        state["tool"] = name
        answer = self._toolbox.call(name, arguments_of(invocation))
        state["is_error"] = answer["isError"]
        return {
            **_documented_fields(name, answer),
            "_tool_name": name,
            "_execution_time_ms": _since(started),
            "_request_id": state["request_id"],
        }


def knowledge_routes(
    toolbox: ToolService, authenticator: Authenticator, *, service_token: str | None
) -> APIRouter:
    """The six endpoints; without a service token the internal ones are disabled."""
    handlers = _Handlers(toolbox)
    inside = ServiceTokenCheck(service_token)
    router = APIRouter(prefix=PREFIX, tags=["catalog"])

    # Any: a handler of whatever parameters.
    def add(
        path: str, handler: Callable[..., Any], responses: Responses, method: str = "GET"
    ) -> None:
        is_internal = path.endswith("/internal")
        gate = inside if is_internal else authenticator.gate(method, PREFIX + path)
        body = openapi.INVOCATION if method == "POST" else {}
        security = openapi.INTERNAL if is_internal else openapi.KEYED
        router.add_api_route(
            path,
            handler,
            methods=[method],
            dependencies=[Depends(gate)],
            responses=responses,
            openapi_extra={**security, **body},
        )

    add("/tools", handlers.list_tools, response_models.TOOLS)
    # Before `/tools/{tool_name}`, which would match it.
    add("/tools/internal", handlers.list_tools_internal, response_models.TOOLS_INTERNAL)
    add("/tools/{tool_name}", handlers.show_tool, response_models.TOOL)
    add("/health", handlers.health, response_models.HEALTH)
    add("/invoke", handlers.invoke, response_models.INVOKE, "POST")
    add("/invoke/internal", handlers.invoke_internal, response_models.INVOKE_INTERNAL, "POST")
    return router


class FastInvoke:
    """`POST /invoke` without the router, for a thousand requests per second.

    Handler, key and errors are those of the route, which documents it and has its other methods.
    """

    def __init__(self, app: ASGIApp, toolbox: ToolService, authenticator: Authenticator) -> None:
        self._app = app
        self._handlers = _Handlers(toolbox)
        self._authenticator = authenticator
        self._rule = route_rule("POST", INVOKE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer an invocation; forward everything else."""
        if scope["path"] != INVOKE or scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            await self._authenticator.authenticate(request, self._rule)
            answer = await self._handlers.invoke(request)
        except ToolweaveError as error:
            if error.status in SENT_ID:
                await note_rpc_id(request)
            answer = error_response(scope, error)
        except BodyTooLarge:
            answer = error_response(scope, too_large())
        await answer(scope, receive, send)


def _documented_fields(name: str, answer: dict[str, Any]) -> dict[str, Any]:
    """Put a text into `content` beside the data; a failure has no data."""
    if not answer["isError"]:
        words = f"Tool '{name}' executed successfully"
        return {**answer, "content": [{"type": "text", "text": words}]}
    words = f"Error: {answer['content'][0]['text']}"
    content: dict[str, Any] = {"content": [{"type": "text", "text": words}], "isError": True}
    if "structuredContent" in answer:
        content["_problems"] = answer["structuredContent"]["problems"]
    return content


def _no_tool(toolbox: ToolService, name: str) -> NotFound:
    return NotFound(
        "TOOL_NOT_FOUND", f"there is no tool {name[:100]!r}", hint=toolbox.did_you_mean(name)
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
    return JsonResponse({"jsonrpc": "2.0", "id": rpc_id, "result": result})


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)
