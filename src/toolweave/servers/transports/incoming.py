"""What comes in and what may: no floods, and an answer only under the very id it was asked."""

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
    """The message in `text`.

    Raises:
        ValueError: it is not JSON, or not JSON-RPC.
    """
    # In two steps: the adapter alone would read the JSON anew for every kind of message it tries.
    message = jsonrpc_message_adapter.validate_python(from_json(text), by_name=False)
    return SessionMessage(message)


def admits(item: SessionMessage, flood: NotificationLimit, faults: DisconnectReason) -> bool:
    """Whether a message may pass; too many, or one under a misspelt id, end the connection."""
    faults.messages += 1
    if isinstance(item.message, JSONRPCNotification):
        return flood.admits_notification()
    if isinstance(item.message, JSONRPCRequest) and not flood.admits_request():
        faults.protocol("a flood of requests to the client")
        return False
    if isinstance(item.message, JSONRPCResponse | JSONRPCError):
        return _admits_answer(item.message.id, flood, faults)
    return True


def _admits_answer(
    id_: RequestId | None, flood: NotificationLimit, faults: DisconnectReason
) -> bool:
    if not flood.admits_answer():
        faults.protocol("a flood of answers that nobody asked for")
        return False
    # The SDK takes "2" for 2, which JSON-RPC forbids: another call's answer could slip in.
    if isinstance(id_, str) and coerce_request_id(id_) != id_:
        faults.protocol(f"an answer under {id_[:40]!r}, a text where a number was asked with")
        return False
    return True
