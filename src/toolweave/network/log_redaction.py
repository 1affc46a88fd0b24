"""What libraries log of our requests, made safe to keep: an address may hold a secret.

A query or a path can be a key (`/s/SECRET/mcp`), so only the origin of an address stays, and
no traceback, whose text can quote it.
"""

import logging
import re

TALKATIVE = (
    "httpx2",
    "mcp.client.sse",
    "mcp.client.streamable_http",
)

_ADDRESS = re.compile(r"(?i)(https?://[^\s/?#'\"<>]+)[^\s'\"<>]*")


def hide_addresses() -> None:
    """From now on those libraries log origins instead of addresses."""
    for name in TALKATIVE:
        logging.getLogger(name).addFilter(_only_origins)


def _only_origins(record: logging.LogRecord) -> bool:
    record.msg, record.args = _ADDRESS.sub(r"\1/…", record.getMessage()), ()
    record.exc_info = record.exc_text = None
    return True
