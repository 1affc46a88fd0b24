"""Leaves out rows that are damaged or of a later version, so that the others are read."""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

from toolweave.errors import ToolweaveError
from toolweave.storage.database import Row

T = TypeVar("T")

logger = logging.getLogger(__name__)

# What reading a value of another form raises.
UNREADABLE = (ToolweaveError, ValueError, TypeError, LookupError, AttributeError, AssertionError)


def readable(table: str, rows: Iterable[Row], read: Callable[[Row], T]) -> list[T]:
    """Read rows; one that cannot be read is named in the log by its first column."""
    found: list[T] = []
    for row in rows:
        try:
            found.append(read(row))
        except UNREADABLE as error:
            extra = {"table": table, "row": str(row[0]), "error": type(error).__name__}
            logger.warning("a row cannot be read", extra=extra)
    return found
