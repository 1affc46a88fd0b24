"""What a misbehaving server costs us: the longest stall of the event loop, the peak of memory.

A stall is the time a 5 ms timer was late, less the time that the machine had no processor for the
loop's thread or for another of our threads, which may have held the interpreter's lock (the kernel
counts that): a busy machine is not our stall.
"""

import gc
import threading
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
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
            gc.unfreeze()


async def _feel_stalls(cost: Cost) -> None:
    thread = threading.get_native_id()
    while True:
        began, queued = time.monotonic(), _queued_s()
        await anyio.sleep(TICK_S)
        late_s = time.monotonic() - began - TICK_S
        if late_s > cost.stall_s:
            waits = {one: total - queued.get(one, 0.0) for one, total in _queued_s().items()}
            late_s -= waits.pop(thread, 0.0) + max(waits.values(), default=0.0)
            cost.stall_s = max(cost.stall_s, late_s)


def _queued_s() -> dict[int, float]:
    """How long each thread of ours was ready to run and did not, since it began."""
    found: dict[int, float] = {}
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # the thread has ended, or the kernel does not count
            stat = (task / "schedstat").read_text(encoding="ascii")
            found[int(task.name)] = int(stat.split()[1]) / 1e9
    return found


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _peak_bytes() -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024
