"""Finds runs by status, by when they started and by the text of their inputs."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import orjson

from toolweave.clock import timestamp
from toolweave.storage.database import Value


@dataclass(frozen=True, slots=True)
class RunSearch:
    """Runs that started at or after `since`, before `until`, with `text` in their inputs.

    With `statuses`, only runs with one of them.
    """

    since: datetime | None = None
    until: datetime | None = None
    text: str | None = None
    statuses: tuple[str, ...] = ()

    def conditions(self) -> Iterator[tuple[str, tuple[Value, ...]]]:
        """SQL conditions on the table of runs, each with its values."""
        if self.statuses:
            yield f"status IN ({', '.join('?' * len(self.statuses))})", self.statuses
        if self.since is not None:
            yield "started_at >= ?", (timestamp(self.since),)
        if self.until is not None:
            yield "started_at < ?", (timestamp(self.until),)
        # The database knows lower case of ASCII only; other texts are compared in `matches`.
        if self.text and self.text.isascii():
            yield f"lower({STARTED_BODY}) LIKE ? ESCAPE '!'", (f"%{_pattern(self.text)}%",)

    def matches(self, body: str | None) -> bool:
        """Whether the inputs in the first event of a run contain the text."""
        if not self.text or body is None:
            return not self.text
        inputs: object = orjson.loads(body).get("inputs")
        return _folded(self.text)[1:-1] in _folded(inputs)


# The first event of a run; a large one is in `blobs`.
STARTED_BODY = (
    "(SELECT coalesce(blobs.text, journal.body) FROM journal "
    "LEFT JOIN blobs ON blobs.hash = journal.blob "
    "WHERE journal.run = runs.id AND journal.seq = 1)"
)


def _folded(value: object) -> str:
    return orjson.dumps(value).decode().casefold()


def _pattern(text: str) -> str:
    quoted = _folded(text)[1:-1]
    for special in "!%_":
        quoted = quoted.replace(special, f"!{special}")
    return quoted
