"""The web application: routes, error translation, the guard around all of it."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

import toolweave
from toolweave.catalog.toolbox import Toolbox
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import write
from toolweave.problems import Problem, pointer
from toolweave.rest.auth import Doorkeeper, Unauthorized
from toolweave.rest.guard import BodyTooLarge, Guard
from toolweave.rest.routes.knowledge import knowledge_routes

RPC_CODES = {400: -32700, 404: -32601, 415: -32600, 422: -32602, 500: -32603}
STATUS_BY_CODE = {"JSON_INVALID": 400, "CONTENT_TYPE_INVALID": 415}
RPC_PATHS = ("/api/v1/mcp/invoke",)


def create_app(
    toolbox: Toolbox,
    doorkeeper: Doorkeeper,
    *,
    hosts: Sequence[str],
    origins: Sequence[str],
    service_token: str | None,
    mcp: ASGIApp | None = None,
    lifespan: Callable[[FastAPI], AbstractAsyncContextManager[None]] | None = None,
) -> ASGIApp:
    """Everything served over HTTP, behind the guard."""
    app = FastAPI(
        title="Toolweave",
        version=toolweave.__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        lifespan=lifespan,
    )
    app.include_router(knowledge_routes(toolbox, doorkeeper, service_token=service_token))

    @app.get("/health", tags=["health"])
    async def alive() -> dict[str, bool]:
        """Whether the process answers; the only endpoint without a key."""
        return {"healthy": True}

    app.add_exception_handler(ToolweaveError, _tell)
    app.add_exception_handler(RequestValidationError, _tell_validation)
    app.add_exception_handler(HTTPException, _tell_http)
    app.add_exception_handler(BodyTooLarge, _tell_too_large)
    app.add_exception_handler(Exception, _tell_fault)
    if mcp is not None:
        app.mount("/mcp", mcp)
    return Guard(app, hosts=hosts, origins=origins)


async def _tell(request: Request, error: Exception) -> Response:
    assert isinstance(error, ToolweaveError)
    status = STATUS_BY_CODE.get(error.code, error.status)
    headers: dict[str, str] = {}
    if isinstance(error, Unauthorized):
        headers["WWW-Authenticate"] = "Bearer"
    if (wait_s := error.facts.get("retry_after_s")) is not None:
        headers["Retry-After"] = str(wait_s)
    return _response(request, status, error, headers)


async def _tell_validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = [
        Problem("REQUEST_INVALID", pointer(*fault["loc"]), str(fault["msg"]))
        for fault in error.errors()
    ]
    told = Invalid("REQUEST_INVALID", "the request cannot be understood", problems=problems)
    return _response(request, 422, told, {})


async def _tell_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    told = ToolweaveError(f"HTTP_{error.status_code}", str(error.detail))
    return _response(request, error.status_code, told, dict(error.headers or {}))


async def _tell_too_large(request: Request, _: Exception) -> Response:
    told = ToolweaveError("BODY_TOO_LARGE", "the body is too large")
    return _response(request, 413, told, {})


async def _tell_fault(request: Request, _: Exception) -> Response:
    told = ToolweaveError("INTERNAL", "a fault of ours; the log has the details")
    return _response(request, 500, told, {})


def _response(
    request: Request, status: int, error: ToolweaveError, headers: dict[str, str]
) -> Response:
    body: object = {"error": error.as_json()}
    if request.url.path in RPC_PATHS:
        # 004: the external pair answers in JSON-RPC whatever happens.
        rpc = {"code": RPC_CODES.get(status, -32000), "message": error.message}
        body = {
            "jsonrpc": "2.0",
            "id": getattr(request.state, "request_id", None),
            "error": {**rpc, "data": error.as_json()},
        }
    return Response(write(body), status, headers=headers, media_type="application/json")
