"""The wall clock of a worker jumps by a day while it works (libfaketime of Debian's `faketime`)."""

import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from random import Random

import anyio
from bench.fault_ground import Fleet, Ground, home, one_that_works, ordeal
from bench.fault_postgres import a_server
from bench.fault_rows import Found, Part
from bench.fault_workers import none_uncertain
from tests.engine.laborer import foreman

LIBRARIES = Path("/usr/lib")
JUMPS = ("+1d", "-1d", "+0")
# A jump must be seen in what the worker writes.
SEEN_S = 20.0


def library() -> str:
    """Where libfaketime is."""
    found = sorted(LIBRARIES.glob("*/faketime/libfaketimeMT.so.1"))
    assert found, "faketime is not installed"
    return str(found[0])


def set_clock(file: Path, to: str) -> None:
    """By how much clocks that read this file are wrong."""
    file.write_text(to, encoding="ascii")


def jumping_clock(times: int) -> Part:
    """No lease may be lost by a clock, so no step may become uncertain: no worker is ever gone."""

    async def work(dice: Random, vice: str = "") -> Found:
        with (
            a_server() as server,
            tempfile.TemporaryDirectory(prefix="toolweave-") as name,
            ExitStack() as stack,
        ):
            wrong = Path(name, "clock")
            set_clock(wrong, "+0")
            environ = {
                "LD_PRELOAD": library(),
                "FAKETIME_TIMESTAMP_FILE": str(wrong),
                "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            }
            right = stack.enter_context(foreman())
            # The first worker is the second foreman's.
            foremen = (right, stack.enter_context(foreman(environ=environ)), right)
            fleet = Fleet(hold_s=3.0, away=True, vice=vice, foremen=foremen)
            async with home(server.new_database(), Path(name), fleet) as there:
                jumps = Jumps(wrong)
                found, _ = await ordeal(there, jumps.jump, 4 if vice else times, dice)
            found.note = f"ok: {jumps.seen} of the jumps seen in what that worker wrote"
            if jumps.seen < jumps.made and not vice:
                found.wrong.append(f"{jumps.seen} jumps of {jumps.made} were seen")
            return none_uncertain(found)

    async def control(dice: Random) -> Found:
        return await work(dice, "clocked")

    return Part("clock of a worker jumps by a day", work, control, times)


class Jumps:
    """Makes the clock of the first worker jump, and looks at what it writes then."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.made = 0
        self.seen = 0

    async def jump(self, there: Ground, dice: Random) -> float:
        """One jump."""
        await one_that_works(there, dice)
        to = JUMPS[self.made % len(JUMPS)]
        set_clock(self._file, to)
        self.made += 1
        began = time.monotonic()
        with anyio.move_on_after(SEEN_S):
            while not await self._is_seen(there, to):  # noqa: ASYNC110  # by another process
                await anyio.sleep(0.05)
            self.seen += 1
        await anyio.sleep(dice.uniform(0.0, 1.0))
        return time.monotonic() - began

    async def _is_seen(self, there: Ground, to: str) -> bool:
        ahead = {"+1d": "> 0.9", "-1d": "< -0.9", "+0": "BETWEEN -0.5 AND 0.5"}[to]
        query = (
            "SELECT count(*) FROM runs WHERE holder LIKE ? AND held_until IS NOT NULL AND "
            f"extract(epoch FROM held_until::timestamptz - now()) / 86400 {ahead}"
        )
        return await there.database.row(query, f"%/{there.workers[0].pid}/%") != (0,)
