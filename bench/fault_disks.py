"""A disk that is full, again and again, in the middle of runs: a small file system of its own."""

import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import anyio
from bench.fault_rows import Found, Part, say
from tests.engine.building import EchoTools, Kinds, workflow
from tests.engine.victim import HastyJournal

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.clock import SystemClock
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.events import FINAL
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.errors import Unavailable
from toolweave.storage.database import open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.unchecked import Unchecked

BRANCHES, LENGTH = 4, 8
# `end` passes its input on: a pure step in the middle.
PATTERN = ("once", "end", "keyed", "once")
DISK_BYTES = 24_000_000
# How much room there is at first, how much is made each time, and what a step gives.
FIRST_BYTES, ROOM_BYTES, VALUE_CHARS = 300_000, 150_000, 15_000


def names() -> dict[str, str]:
    """The steps and their kinds."""
    return {
        f"b{branch}_{index}": PATTERN[index % len(PATTERN)]
        for branch in range(BRANCHES)
        for index in range(LENGTH)
    }


KINDS = names()
EFFECTS = [name for name, kind in KINDS.items() if kind != "end"]
ONCE = [name for name, kind in KINDS.items() if kind == "once"]
GRAPH = workflow(
    {"s": "start", **KINDS},
    [
        f"{'s' if index == 0 else f'b{branch}_{index - 1}'} > b{branch}_{index}"
        for branch in range(BRANCHES)
        for index in range(LENGTH)
    ],
)


@contextmanager
def small_disk() -> Iterator[Path]:
    """A file system nearly full of ballast."""
    with tempfile.TemporaryDirectory(prefix="toolweave-disk-") as name:
        size = f"size={DISK_BYTES}"
        subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", name], check=True)
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", "--lazy", name], check=True)


class World:
    """What really happened."""

    def __init__(self) -> None:
        self.begun: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()

    async def effect(self, context: NodeContext) -> Outcome:
        step = context.key.partition("/")[2]
        self.begun[step] += 1
        await anyio.sleep(0.002 * (1 + sum(step.encode()) % 7))
        self.ended[step] += 1
        return Outcome(step[0] * VALUE_CHARS)


async def filled(dice: Random, kind: type[Journal]) -> Found:
    """One run on a disk that is full wherever the dice say, until it is over."""
    found, world = Found(runs=1), World()
    with small_disk() as folder:
        ballast = folder / "ballast"
        async with open_database(folder / "runs.db") as database:
            await migrate(database)
            spare = shutil.disk_usage(folder).free - dice.randrange(FIRST_BYTES)
            ballast.write_bytes(b"\0" * spare)
            clock = SystemClock()
            kinds = Kinds(**dict.fromkeys(EFFECTS, world.effect))
            services = EngineServices(EchoTools(), clock)
            engine = Engine(
                database, kind(database, clock), kinds, services=services, checker=Unchecked()
            )
            async with engine.running():
                while not await goes_on(engine, world, found):
                    found.faults += 1
                    spare -= dice.randrange(ROOM_BYTES // 4, ROOM_BYTES)
                    with ballast.open("r+b") as file:
                        file.truncate(max(spare, 0))
            runs = await engine.newest()
            rows = await database.rows("SELECT body FROM journal WHERE kind = 'step_uncertain'")
    asked = Counter(str(row[0]).partition('"key":"')[2].partition('"')[0] for row in rows)
    found.uncertain = sum(asked.values())
    found.lost = sum(not world.ended[step] for step in EFFECTS)
    found.lost += [run.status for run in runs] != ["success"]
    found.twice = sum(world.ended[step] > 1 or world.begun[step] > 1 + asked[step] for step in ONCE)
    return found


async def goes_on(engine: Engine, world: World, found: Found) -> bool:
    """Start or go on; whether it is over, and not because the disk is full."""
    try:
        run = await engine.runs.start(RunRequest(GRAPH, {"n": 1}, once_key="the run"))
        while (await engine.advance(run)) not in FINAL:
            for key in list((await engine.state(run)).uncertain):
                await engine.resolve(run, key, "skip" if world.ended[key] else "retry")
    except Unavailable as error:
        if error.code != "STORAGE_FULL":
            found.wrong.append(f"a full disk is told as {error.code}")
        return False
    return True


def full(rounds: int) -> Part:
    """So many runs, each stopped by a full disk several times."""

    async def repeated(dice: Random, kind: type[Journal], rounds: int) -> Found:
        whole = Found()
        for number in range(rounds):
            one = await filled(dice, kind)
            whole.runs, whole.faults = whole.runs + 1, whole.faults + one.faults
            whole.lost, whole.twice = whole.lost + one.lost, whole.twice + one.twice
            whole.uncertain += one.uncertain
            whole.wrong += one.wrong
            if number % 10 == 9:
                say(f"  {whole}")
        return whole

    async def work(dice: Random) -> Found:
        return await repeated(dice, Journal, rounds)

    async def control(dice: Random) -> Found:
        return await repeated(dice, HastyJournal, min(rounds, 5))

    return Part("disk full (ENOSPC)", work, control, rounds, has_uncertain=True)
