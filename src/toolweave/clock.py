"""Time as a dependency: rooms take a `Clock`, so tests can move it."""

import time
from datetime import UTC, datetime
from typing import Protocol

import anyio


class Clock(Protocol):
    """Wall time for people, monotonic time for deadlines, and sleeping."""

    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Now, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds that never jump."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait without holding a thread."""
        await anyio.sleep(seconds)


def has_passed(end: str, now: datetime) -> bool:
    """Whether a stored end has come; one that cannot be read has, so that nothing lasts by it."""
    try:
        return datetime.fromisoformat(end) <= now
    except (ValueError, TypeError):
        return True


def timestamp(moment: datetime) -> str:
    """`2025-11-16T10:30:00.000Z`, the form every file and answer uses."""
    utc = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")
