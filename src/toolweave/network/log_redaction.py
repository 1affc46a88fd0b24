"""Redact URLs in the logs of HTTP libraries, because a URL may contain a secret.

A query or a path can be a key (`/s/SECRET/mcp`), so only the origin of a URL stays, and
no traceback, whose text can contain it.
"""

import logging

from toolweave.patterns import pattern

TALKATIVE = (
    "httpx2",
    "mcp.client.sse",
    "mcp.client.streamable_http",
)

_ADDRESS = pattern(r"(?i)(https?://[^\s/?#'\"<>]+)[^\s'\"<>]*")


def redact_urls() -> None:
    """Make those libraries log origins instead of URLs."""
    for name in TALKATIVE:
        logging.getLogger(name).addFilter(_only_origins)


def _only_origins(record: logging.LogRecord) -> bool:
    record.msg, record.args = _ADDRESS.sub(r"\1/…", record.getMessage()), ()
    record.exc_info = record.exc_text = None
    return True
