"""Progress messages of a running step as journal entries, limited per second and in total."""

import time
from collections.abc import Callable

from toolweave.engine.events import Key, StepProgress
from toolweave.tools.tool import ToolProgress

EVERY_S = 0.2
MAX_LINES = 200
MAX_MESSAGE = 500


class StepProgressReporter:
    """The messages of one attempt; if they come too fast, the newest is kept."""

    def __init__(self, key: Key, attempt: int, tell: Callable[[StepProgress], None]) -> None:
        self._key = key
        self._attempt = attempt
        self._tell = tell
        self._left = MAX_LINES
        self._last: float | None = None
        self._held: ToolProgress | None = None

    def hear(self, progress: ToolProgress) -> None:
        """Record it, now or later; chunks of a text belong to the text."""
        if progress.is_piece:
            return
        moment = time.monotonic()
        is_soon = self._last is not None and moment - self._last < EVERY_S
        if is_soon or self._left <= 1:
            self._held = progress  # the last entry is reserved for the last message
            return
        self._last = moment
        self._write(progress)

    def end(self) -> None:
        """Record what was held back when the attempt ends."""
        if self._held is not None:
            self._write(self._held)

    def _write(self, progress: ToolProgress) -> None:
        self._left -= 1
        self._held = None
        message = progress.message[:MAX_MESSAGE] if progress.message else None
        self._tell(StepProgress(self._key, progress.done, progress.total, message, self._attempt))
