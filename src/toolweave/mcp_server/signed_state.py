"""The signed state that a client carries while its user answers a question.

The SDK's boundary signs the state and verifies it before we read it; it is bound to the tool, the
arguments, the API key and an expiry time.
"""

import secrets
from contextlib import suppress
from pathlib import Path

from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity

from toolweave.mcp_server.identity import NAME
from toolweave.mcp_server.tool_call import Context, McpCaller
from toolweave.storage.files import write_private

FILE = "seal.key"
# A person may take a day to answer.
VALID_S = 24 * 3600.0
_LENGTH = 64


def sealing(key: str | None) -> RequestStateBoundary:
    """The boundary, with the home's key or a key of this process."""
    security = RequestStateSecurity(
        keys=[key or secrets.token_hex()], ttl=VALID_S, bind_principal=_principal
    )
    return RequestStateBoundary(security, default_audience=NAME)


def seal_key(home: Path) -> str | None:
    """The home's key, created once and readable only by the user; `None` if it cannot be stored."""
    path = home / FILE
    with suppress(OSError):
        with suppress(FileExistsError):
            write_private(path, secrets.token_hex(_LENGTH // 2))
        text = path.read_text(encoding="ascii", errors="replace").strip()
        if len(text) == _LENGTH:
            return text
    return None


def _principal(context: Context) -> str:
    return McpCaller(context).who
