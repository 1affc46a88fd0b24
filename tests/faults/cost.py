"""What a misbehaving server costs us: the longest stall of the event loop, the peak of memory.

A stall is the time a 5 ms timer was late, less the time the loop's thread was ready to run and
the machine had no processor for it (the kernel counts that): a busy machine is not our stall.
"""

import gc
import threading
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import psutil

from toolweave.tasks import background

TICK_S = 0.005
MAX_STALL_S = 0.25
MAX_GROWTH_BYTES = 64 * 1024 * 1024


@dataclass(slots=True)
class Cost:
    """What was measured; complete once the `async with` is left."""

    stall_s: float = 0.0
    growth_bytes: int = 0

    def assert_bearable(self) -> None:
        """Security target 6: the loop never stalls over 250 ms, memory grows by at most 64 MiB."""
        assert self.stall_s <= MAX_STALL_S, f"the loop stood still for {self.stall_s:.3f} s"
        assert self.growth_bytes <= MAX_GROWTH_BYTES, f"{self.growth_bytes >> 20} MiB more"


@asynccontextmanager
async def measured() -> AsyncGenerator[Cost]:
    """Measure for as long as this is entered."""
    cost = Cost()
    # What thousands of earlier tests left in this process is not looked through again meanwhile.
    gc.collect()
    gc.freeze()
    _forget_peak()
    before = psutil.Process().memory_info().rss
    async with background() as tasks:
        tasks.start_soon(_feel_stalls, cost)
        await anyio.sleep(2 * TICK_S)  # so that the first tick has begun
        try:
            yield cost
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.sleep(2 * TICK_S)  # a stall just now shows at the next tick
            cost.growth_bytes = _peak_bytes() - before
            # No `unfreeze`: it would return everything collected by pytest to the collector, and
            # each later collection in this process would take most of a second.


async def _feel_stalls(cost: Cost) -> None:
    thread = threading.get_native_id()
    while True:
        began, queued_s = time.monotonic(), _queued_s(thread)
        await anyio.sleep(TICK_S)
        late_s = time.monotonic() - began - TICK_S - (_queued_s(thread) - queued_s)
        cost.stall_s = max(cost.stall_s, late_s)


def _queued_s(thread: int) -> float:
    """How long a thread of ours was ready to run and did not, since it began."""
    try:
        stat = Path(f"/proc/self/task/{thread}/schedstat").read_text(encoding="ascii")
    except OSError:
        return 0.0  # then a busy machine counts as a stall
    return int(stat.split()[1]) / 1e9


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _peak_bytes() -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024
