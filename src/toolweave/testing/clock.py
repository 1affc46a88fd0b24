"""A clock that stands still until a test moves it."""

import heapq
import math
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import anyio
import anyio.lowlevel

# After a sleeper is woken, everybody gets this many turns of the event loop before the next one.
TURNS = 20


@dataclass(order=True, slots=True)
class _Sleeper:
    due: float
    number: int
    wake: anyio.Event = field(compare=False)


class FakeClock:
    """Fulfils `toolweave.clock.Clock`; only `advance` makes time pass."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._start = start
        self._passed_s = 0.0
        self._count = 0
        self._sleepers: list[_Sleeper] = []
        self._somebody_slept = anyio.Event()

    def now(self) -> datetime:
        """The start, and what was advanced since."""
        return self._start + timedelta(seconds=self._passed_s)

    def monotonic(self) -> float:
        """The seconds that were advanced."""
        return self._passed_s

    @property
    def sleeping(self) -> tuple[float, ...]:
        """How many seconds each sleeper still has, the first to wake first."""
        return tuple(sleeper.due - self._passed_s for sleeper in sorted(self._sleepers))

    async def sleep(self, seconds: float) -> None:
        """Wait until that much time was advanced."""
        if not seconds >= 0:
            raise ValueError(f"nobody can sleep {seconds} seconds")
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
        """Let time pass: sleepers wake in order, each at its own moment, and go on as far as
        they can before the next one wakes."""
        end = self._passed_s + seconds
        while self._sleepers and self._sleepers[0].due <= end:
            sleeper = heapq.heappop(self._sleepers)
            self._passed_s = sleeper.due
            sleeper.wake.set()
            await _let_others_run()
        self._passed_s = end
        await _let_others_run()

    async def until_asleep(self, seconds: float) -> None:
        """Wait until somebody has exactly this long to sleep."""
        while not any(math.isclose(left, seconds) for left in self.sleeping):
            self._somebody_slept = anyio.Event()
            await self._somebody_slept.wait()


async def _let_others_run() -> None:
    for _ in range(TURNS):
        await anyio.lowlevel.checkpoint()
