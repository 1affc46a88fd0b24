"""Checks of incoming messages: rate limits, and responses only with the exact request id."""

from mcp.shared.dispatcher import coerce_request_id
from mcp.shared.message import SessionMessage
from mcp_types import (
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic_core import from_json

from toolweave.servers.disconnect_reason import DisconnectReason
from toolweave.servers.transports.notification_limit import NotificationLimit


def read_message(text: str | bytes) -> SessionMessage:
    """Parse a message. Raises `ValueError`: the text is not JSON-RPC."""
    # In two steps: the adapter alone would parse the JSON again for every message type.
    message = jsonrpc_message_adapter.validate_python(from_json(text), by_name=False)
    return SessionMessage(message)


def accepts_message(
    item: SessionMessage, flood: NotificationLimit, faults: DisconnectReason
) -> bool:
    """Return whether a message is accepted; too many, or a wrong id, end the connection."""
    faults.messages += 1
    if isinstance(item.message, JSONRPCNotification):
        return flood.admits_notification()
    if isinstance(item.message, JSONRPCRequest) and not flood.admits_request():
        faults.protocol("too many requests to the client")
        return False
    if isinstance(item.message, JSONRPCResponse | JSONRPCError):
        return _admits_answer(item.message.id, flood, faults)
    return True


def _admits_answer(
    id_: RequestId | None, flood: NotificationLimit, faults: DisconnectReason
) -> bool:
    if not flood.admits_answer():
        faults.protocol("too many unsolicited responses")
        return False
    # The SDK takes "2" for 2, which JSON-RPC forbids: another call's response could be accepted.
    if isinstance(id_, str) and coerce_request_id(id_) != id_:
        faults.protocol(
            f"a response with the string id {id_[:40]!r}, where the request had a number"
        )
        return False
    return True
