"""Error responses: one shape for all routes, JSON-RPC for `/mcp` and the external catalog."""

from collections.abc import Mapping

from starlette.datastructures import State
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from toolweave.errors import ToolweaveError
from toolweave.json_text import write
from toolweave.rest.protected_resource import MCP_PATHS, challenge

# These endpoints always answer in JSON-RPC 2.0.
RPC_PATHS = frozenset({"/api/v1/mcp/tools", "/api/v1/mcp/invoke"})

# Codes with another status than their error class.
STATUS_BY_CODE: Mapping[str, int] = {
    "BODY_TOO_LARGE": 413,
    "BODY_TOO_SLOW": 408,
    "CONTENT_TYPE_INVALID": 415,
    "HOST_DENIED": 421,
    "JSON_INVALID": 400,
    "METHOD_NOT_ALLOWED": 405,
}

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND = -32700, -32600, -32601
INVALID_PARAMS, INTERNAL_ERROR, SERVER_ERROR = -32602, -32603, -32000

RPC_BY_CODE: Mapping[str, int] = {
    "BODY_INVALID": INVALID_REQUEST,
    "BODY_TOO_LARGE": INVALID_REQUEST,
    "CONTENT_TYPE_INVALID": INVALID_REQUEST,
    "JSON_INVALID": PARSE_ERROR,
}
RPC_BY_STATUS: Mapping[int, int] = {
    404: METHOD_NOT_FOUND,
    405: METHOD_NOT_FOUND,
    422: INVALID_PARAMS,
    500: INTERNAL_ERROR,
    503: INTERNAL_ERROR,
}


def error_response(
    scope: Scope, error: ToolweaveError, headers: Mapping[str, str] | None = None
) -> Response:
    """Return the response that reports `error` for the request of `scope`."""
    status = STATUS_BY_CODE.get(error.code, error.status)
    state = State(scope.get("state"))
    request_id: str = state.request_id
    body: object = {"error": error.as_json(), "request_id": request_id}
    is_mcp = scope["path"] in MCP_PATHS and status in (401, 403, 429)
    if is_mcp or scope["path"] in RPC_PATHS:
        number = RPC_BY_CODE.get(error.code) or RPC_BY_STATUS.get(status, SERVER_ERROR)
        # MCP clients show the message of such an error, and nothing else of a response.
        message = f"{error.message}; {error.hint}" if is_mcp and error.hint else error.message
        body = {
            "jsonrpc": "2.0",
            "id": None if is_mcp else getattr(state, "rpc_id", request_id),
            "error": {"code": number, "message": message, "data": error.as_json()},
        }
    all_headers = {**_headers_of(scope, error, status), **(headers or {})}
    return Response(write(body), status, headers=all_headers, media_type="application/json")


def _headers_of(scope: Scope, error: ToolweaveError, status: int) -> dict[str, str]:
    missing = error.facts.get("scope")
    if scope["path"] in MCP_PATHS and (status == 401 or missing is not None):
        is_known = error.code == "KEY_INVALID"
        return {"WWW-Authenticate": challenge(scope, missing=missing, is_known=is_known)}
    if status == 401:
        return {"WWW-Authenticate": 'Bearer realm="toolweave"'}
    if missing is not None:
        return {"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{missing}"'}
    if (wait_s := error.facts.get("retry_after_s")) is not None:
        return {"Retry-After": str(wait_s)}
    return {}


class OtherMethods:
    """Answers 405 and lists all methods of an address that has one route per method."""

    def __init__(self, *allowed: str) -> None:
        self._allow = {"Allow": ", ".join(sorted(allowed))}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 405."""
        raise HTTPException(405, headers=self._allow)
