"""The time of a replay: that of the recorded run. It passes when the replay says so."""

import time
from datetime import datetime, timedelta

import anyio

from toolweave.engine.context import current_step


class ReplayClock:
    """Implements `toolweave.clock.Clock`: each step sees the time at which it was recorded."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._starts: dict[str, datetime] = {}

    def begin(self, now: datetime, at_ms: dict[str, float]) -> None:
        """Begin a replay at this time; `at_ms` says when each step (`RUN/STEP`) started."""
        self._now = now
        self._starts = {key: now + timedelta(milliseconds=ms) for key, ms in at_ms.items()}

    def advance_to(self, moment: datetime) -> None:
        """Let time pass until then; it never goes back."""
        self._now = max(self._now, moment)

    def now(self) -> datetime:
        """The time of the replay, or the later one at which the current step was recorded."""
        start = self._starts.get(current_step.get())
        return self._now if start is None else max(self._now, start)

    def monotonic(self) -> float:
        """Seconds that never jump."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait in real time: only background tasks of the engine sleep."""
        await anyio.sleep(seconds)
