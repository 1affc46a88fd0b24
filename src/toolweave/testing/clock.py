"""A clock that only a test advances."""

import heapq
import math
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import anyio
import anyio.lowlevel

# Event loop turns that all tasks get after a sleeper wakes, before the next one.
TURNS = 20


@dataclass(order=True, slots=True)
class _Sleeper:
    due: float
    number: int
    wake: anyio.Event = field(compare=False)


class FakeClock:
    """Implements `toolweave.clock.Clock`; time passes only through `advance`."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._start = start
        self._jumped = timedelta()
        self._passed_s = 0.0
        self._count = 0
        self._sleepers: list[_Sleeper] = []
        self._somebody_slept = anyio.Event()

    def now(self) -> datetime:
        """Return the start time plus the advanced time."""
        return self._start + self._jumped + timedelta(seconds=self._passed_s)

    def jump(self, by: timedelta) -> None:
        """Set the wall clock forward or back; no time passes."""
        self._jumped += by

    def monotonic(self) -> float:
        """Return the advanced seconds."""
        return self._passed_s

    @property
    def sleeping(self) -> tuple[float, ...]:
        """Return the remaining seconds of each sleeper, shortest first."""
        return tuple(sleeper.due - self._passed_s for sleeper in sorted(self._sleepers))

    async def sleep(self, seconds: float) -> None:
        """Wait until this much time was advanced."""
        if not seconds >= 0:
            raise ValueError(f"cannot sleep {seconds} seconds")
        if seconds == 0:
            await anyio.lowlevel.checkpoint()
            return
        self._count += 1
        sleeper = _Sleeper(self._passed_s + seconds, self._count, anyio.Event())
        heapq.heappush(self._sleepers, sleeper)
        self._somebody_slept.set()
        try:
            await sleeper.wake.wait()
        finally:
            if sleeper in self._sleepers:  # cancelled
                self._sleepers.remove(sleeper)
                heapq.heapify(self._sleepers)

    async def advance(self, seconds: float) -> None:
        """Advance time: sleepers wake in order, and each runs as far as it can before the
        next one wakes."""
        end = self._passed_s + seconds
        while self._sleepers and self._sleepers[0].due <= end:
            sleeper = heapq.heappop(self._sleepers)
            self._passed_s = sleeper.due
            sleeper.wake.set()
            await _let_others_run()
        self._passed_s = end
        await _let_others_run()

    async def until_asleep(self, seconds: float) -> None:
        """Wait until a task sleeps for exactly this long."""
        while not any(math.isclose(left, seconds) for left in self.sleeping):
            self._somebody_slept = anyio.Event()
            await self._somebody_slept.wait()


async def _let_others_run() -> None:
    for _ in range(TURNS):
        await anyio.lowlevel.checkpoint()
