"""What a server sends over HTTP, on its way in: floods are dropped, stand-ins made truthful."""

from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest

from toolweave.servers.faults import Faults
from toolweave.servers.transports.flood import Flood


def admits(item: SessionMessage, flood: Flood, faults: Faults) -> bool:
    """Whether a message may pass; too many requests end the connection."""
    if isinstance(item.message, JSONRPCNotification):
        return flood.admits_notification()
    if isinstance(item.message, JSONRPCRequest) and not flood.admits_request():
        faults.protocol("a flood of requests to the client")
        return False
    return True
