"""Typed errors for failed HTTP exchanges, passed through the SDK to the waiting call.

The SDK turns every HTTP failure into a generic JSON-RPC error, or ends the connection of all
other calls too. So the transports respond in the server's place with a JSON-RPC error that
carries the typed one, signed so that no server can forge it; `typed_error_in` extracts it.
"""

import secrets
import shlex
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

import httpx2
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, ErrorData, JSONRPCError, RequestId

from toolweave.errors import (
    Conflict,
    Denied,
    Invalid,
    Limited,
    NotFound,
    TimedOut,
    ToolweaveError,
    Unavailable,
)
from toolweave.network.addresses import origin_of
from toolweave.network.client import invalid_response, request_origin, too_large

KINDS: dict[str, type[ToolweaveError]] = {
    kind.__name__: kind
    for kind in (Invalid, NotFound, Denied, Conflict, Limited, Unavailable, TimedOut)
}
SEAL = secrets.token_hex(16)
MAX_REDIRECTS = 5
MAX_RETRY_AFTER_S = 86_400.0

Send = Callable[[httpx2.Request], Awaitable[httpx2.Response]]


class HttpFailures:
    """The last network failure of one connection, for cases where the SDK hides it."""

    def __init__(self) -> None:
        self.last: ToolweaveError | None = None

    def record(self, error: ToolweaveError) -> None:
        """Store `error` as the last failure."""
        self.last = error

    def take(self) -> ToolweaveError | None:
        """Return and clear the last failure."""
        last, self.last = self.last, None
        return last


def as_disconnect(error: ToolweaveError, where: str) -> ToolweaveError:
    """Return `error`, or `MCP_SERVER_DISCONNECTED` if the server closed the connection."""
    if error.facts.get("closed"):
        return disconnected(where)
    return error


def disconnected(where: str) -> Unavailable:
    """Return the error for a server that went away before it responded."""
    return Unavailable(
        "MCP_SERVER_DISCONNECTED",
        f"{where} closed the connection before it responded",
        hint="check that the server is running; its log may say why it stopped",
    )


async def send_within_origin(send: Send, request: httpx2.Request) -> httpx2.Response:
    """Send a request, following only redirects that keep the origin and the method."""
    onward = request
    for _ in range(MAX_REDIRECTS + 1):
        sent = onward
        try:
            response = await send(sent)
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
            raise invalid_response(request_origin(request), type(error).__name__) from None
        if response.next_request is None:
            return response
        await response.aclose()
        onward = response.next_request
        if not _stays(sent, onward):
            break
    target = onward.url.copy_with(userinfo=b"", query=None, fragment=None)
    raise Unavailable(
        "SERVER_REDIRECTED",
        f"{request_origin(request)} redirects to {str(target)[:200]!r}, which is not followed",
        hint="if that is the correct address, use it in the server's definition",
        facts={"location": str(target)[:200]},
    )


def _stays(sent: httpx2.Request, following: httpx2.Request) -> bool:
    try:
        return (
            following.method == sent.method
            and origin_of(following.url) == origin_of(sent.url)
            and following.url.userinfo in {b"", sent.url.userinfo}
        )
    except Denied:
        return False


def status_error(
    response: httpx2.Response, *, now: datetime | None = None
) -> ToolweaveError | None:
    """Return the error for an HTTP status; `None` for success."""
    status, where = response.status_code, request_origin(response.request)
    if response.is_success:
        return None
    facts: dict[str, Any] = {"status": status}
    wait_s = retry_after_s(response.headers.get("retry-after"), now or datetime.now(UTC))
    if wait_s is not None:
        facts["retry_after_s"] = wait_s
    if status == 401:
        return sign_in_required(where, facts=facts)
    if status == 429:
        return Limited(
            "SERVER_RATE_LIMITED", f"{where} is rate limiting requests (HTTP 429)", facts=facts
        )
    return Unavailable(
        "SERVER_HTTP_ERROR",
        f"{where} responded with HTTP {status} {response.reason_phrase}".rstrip(),
        hint="check the server's log" if status >= 500 else "check the address and its headers",
        facts=facts,
    )


def sign_in_required(
    where: str,
    *,
    server: str | None = None,
    scopes: str | None = None,
    facts: dict[str, Any] | None = None,
) -> Denied:
    """Return the error for a server that requires a sign-in or token; `scopes` are missing.

    The command is in the message too: not every place shows hints.
    """
    what = f"more permissions: {scopes}" if scopes else "authentication"
    command = f"`toolweave servers sign-in {shlex.quote(server)}`" if server else None
    # A server without OAuth in its definition: which one it is, the caller knows.
    change = "`toolweave servers approve NAME --oauth`"
    return Denied(
        "SERVER_SIGN_IN_REQUIRED",
        f"{where} requires {what} ({command or f'{change} and a sign-in, or a token'})",
        hint=f"run {command}"
        if command
        else f"run {change} and then sign in, or add a token to the headers of its definition",
        facts=facts,
    )


def retry_after_s(text: str | None, now: datetime) -> float | None:
    """Return the seconds in a `Retry-After` header, at most a day; `None` if invalid."""
    if not text:
        return None
    if text.isascii() and text.isdigit():
        return min(float(text[:9]), MAX_RETRY_AFTER_S)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return min(max((aware - now).total_seconds(), 0.0), MAX_RETRY_AFTER_S)


def as_rpc_error(request_id: RequestId | None, error: ToolweaveError) -> JSONRPCError:
    """Return the JSON-RPC error that carries `error` through the SDK to the call `request_id`."""
    body = error.as_json()
    data = {"seal": SEAL, "kind": type(error).__name__, "hint": None, "facts": None, **body}
    return JSONRPCError(
        jsonrpc="2.0",
        id=request_id,
        error=ErrorData(code=INTERNAL_ERROR, message=error.message, data=data),
    )


def typed_error_in(error: BaseException) -> ToolweaveError | None:
    """Return the typed error behind the SDK's error; `None` if the server sent it."""
    if isinstance(error, ToolweaveError):
        return error
    if isinstance(error, BaseExceptionGroup):
        nested = cast("BaseExceptionGroup[BaseException]", error).exceptions
        return next((found for each in nested if (found := typed_error_in(each))), None)
    data = cast("object", error.data) if isinstance(error, MCPError) else None
    if not isinstance(data, dict):
        return None
    data = cast("dict[str, Any]", data)  # Any: JSON that is ours if the signature is
    if data.get("seal") != SEAL:
        return None
    kind = KINDS.get(data["kind"], ToolweaveError)
    return kind(data["code"], data["message"], hint=data["hint"], facts=data["facts"])


def clarify_sdk_message(
    message: JSONRPCError, where: str, *, last: ToolweaveError | None, max_bytes: int
) -> JSONRPCError:
    """Return `message`, or a clearer text for a message that the SDK created."""
    said = message.error.message
    if said.startswith("SSE stream ended"):
        found = as_disconnect(last, where) if last else disconnected(where)
    elif said.startswith("SSE stream failed"):
        found = as_disconnect(last, where) if last else too_large(where, max_bytes)
    elif said.startswith("Failed to parse"):
        found = invalid_response(where, "its response is not a JSON-RPC message")
    elif said.startswith(("Unexpected content type", "server answered a request with 202")):
        found = invalid_response(where, said[:100])
    else:
        return message
    return as_rpc_error(message.id, found)
