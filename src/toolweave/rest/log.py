"""The JSON log: one object per line; of an exception only its type and place, never its message.

The message of an exception may contain a request body or a key.
"""

import logging
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TextIO

from toolweave.clock import timestamp
from toolweave.json_text import printable, write

ROOT = "toolweave"
MAX_FRAMES = 20

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


class JsonLines(logging.Formatter):
    """Formats time, level, message and `extra` as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        body: dict[str, Any] = {
            "time": timestamp(datetime.fromtimestamp(record.created, UTC)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        body |= {key: value for key, value in vars(record).items() if key not in _STANDARD}
        if record.exc_info and record.exc_info[0] is not None:
            frames = traceback.extract_tb(record.exc_info[2])[-MAX_FRAMES:]
            body["error"] = record.exc_info[0].__name__
            body["at"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        return printable(write(body))  # a terminal may show it, and anybody can send a path


@contextmanager
def logged_to(stream: TextIO) -> Generator[None]:
    """Send Toolweave's log only to `stream` within the `with` block."""
    logger = logging.getLogger(ROOT)
    before = logger.level, logger.propagate
    target = logging.StreamHandler(stream)
    target.setFormatter(JsonLines())
    logger.addHandler(target)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(target)
        logger.setLevel(before[0])
        logger.propagate = before[1]
