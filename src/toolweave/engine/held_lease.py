"""The lease of a run in the process that holds it: whether it may have been lost meanwhile.

Others take a run when its lease was not renewed for `hold_s`. A process that stood still for that
long (stopped, suspended, starved) must not begin an effect before it knows that the run is its own.
"""

from collections.abc import Sequence
from contextlib import suppress

import anyio

from toolweave.clock import Clock
from toolweave.engine.journal import Journal, Lease
from toolweave.engine.journal_rows import JournalChange, Written
from toolweave.errors import Unavailable

# How often to try again while the database is unreachable.
AGAIN_S = 0.5


class HeldLease:
    """Writes under a lease, and knows when that last renewed it."""

    def __init__(self, lease: Lease, journal: Journal, clock: Clock) -> None:
        self._lease = lease
        self._journal = journal
        self._clock = clock
        # By both clocks: one does not count the time that the machine slept, the other may be set
        # back.
        self._renewed = clock.monotonic(), clock.now()

    async def append(self, events: Sequence[Written], change: JournalChange | None) -> int:
        """Write events; return the number of the last one. Raises `RUN_TAKEN`."""
        # Counted from before the write, whose duration others cannot know.
        renewed = self._clock.monotonic(), self._clock.now()
        last = await self._journal.append(self._lease, events, change)
        self._renewed = renewed
        return last

    @property
    def may_be_lost(self) -> bool:
        """Whether it was not renewed for so long that another process may have the run."""
        moment, now = self._renewed
        passed_s = self._clock.monotonic() - moment
        wall_s = (self._clock.now() - now).total_seconds()
        return max(passed_s, wall_s) > self._journal.hold_s

    async def confirm(self) -> None:
        """Renew it until it is certainly held. Raises `RUN_TAKEN`."""
        while self.may_be_lost:
            with suppress(Unavailable):
                await self.append((), None)
                continue
            await anyio.sleep(AGAIN_S)
