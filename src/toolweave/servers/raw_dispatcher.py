"""Requests to a server whose raw responses are kept beside the SDK's models."""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, cast

import mcp_types as types
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from pydantic import TypeAdapter

from toolweave.errors import Denied, ToolweaveError, Unavailable
from toolweave.servers.disconnect_reason import DisconnectReason, printable
from toolweave.servers.transports.failures import typed_error_in


class _Anything(types.Result):
    """A result that is not read: the raw response is used instead."""


# A call result that is valid in every protocol version.
DONE: dict[str, Any] = {"content": [], "resultType": "complete"}
READ_DONE: dict[str, Any] = {"contents": [], "ttlMs": 0, "cacheScope": "private"}

ANYTHING: TypeAdapter[_Anything] = TypeAdapter(_Anything)

_last_raw: ContextVar[dict[str, Any] | None] = ContextVar("last_raw", default=None)


class KeepingDispatcher(JSONRPCDispatcher):
    """Stores the raw response of a request for the task that sent it."""

    @property
    def is_closed(self) -> bool:
        """Whether the transport is closed; a server may send this error code itself."""
        return self._closed

    async def send_raw_request(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        opts: CallOptions | None = None,
        **related: Any,  # the SDK's routing argument, passed through unchanged
    ) -> dict[str, Any]:
        """Send as the SDK does, and keep the raw response."""
        _last_raw.set(None)
        try:
            raw = await super().send_raw_request(method, params, opts, **related)
        except MCPError as error:
            refused = typed_error_in(error) if method == "server/discover" else None
            if isinstance(refused, Denied):
                raise refused from None  # a missing sign-in says nothing of the protocol version
            raise
        _last_raw.set(raw)
        # Parsed here: the SDK's models of a large result would block the event loop.
        if method == "resources/read" and raw.get("resultType") != "input_required":
            return dict(READ_DONE)
        return DONE if method == "tools/call" else raw


def take_raw() -> dict[str, Any]:
    """Return and release the raw response of this task's last request."""
    raw = _last_raw.get() or {}
    _last_raw.set(None)
    return raw


def request_error(
    error: MCPError, dispatcher: KeepingDispatcher, faults: DisconnectReason, what: str
) -> ToolweaveError:
    """Return why a request failed, with the server's own error where it sent one."""
    if (found := typed_error_in(error)) is not None:
        return found
    if error.code == types.CONNECTION_CLOSED and dispatcher.is_closed:
        return faults.closed()
    if faults.first is not None:
        return faults.first
    facts: dict[str, Any] = {"rpc_code": error.code}
    data: object = error.data
    if error.code == types.URL_ELICITATION_REQUIRED and isinstance(data, dict):
        # Any: what the server sent.
        facts["elicitations"] = cast("dict[str, Any]", data).get("elicitations")
    return Unavailable(
        "SERVER_REFUSED",
        f"server {faults.server!r} {what} error {error.code}: {printable(error.message, 500)}",
        facts=facts,
    )
