"""A process killed at every write of a run, and at any moment (`tests/engine/victim.py`)."""

import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random

import anyio
import anyio.to_thread
from bench.fault_rows import Found, Part, say
from tests.engine.test_killed import (
    KILLED,
    ONCE,
    Victim,
    goes_on,
    longest_way,
    repeated,
    rows,
    writes_of,
)

ROOT = Path(__file__).parents[1]
MOMENTS = ("before", "inside", "after")
# So many runs in a row that have fewer writes tell that there is no such write.
TRIES = 4
# So many processes, each with databases of its own, at once.
VICTIMS = 4
# About how long the effects of a whole run take.
EFFECTS_S = 0.15


async def in_threads(works: Sequence[Callable[[], Found]]) -> Found:
    """All at once, each in a thread; what they found together."""
    whole = Found()

    async def one(work: Callable[[], Found]) -> None:
        whole.add(await anyio.to_thread.run_sync(work))

    async with anyio.create_task_group() as tasks:
        for work in works:
            tasks.start_soon(one, work)
    return whole


@contextmanager
def a_victim() -> Iterator[tuple[Victim, Path]]:
    """The process that is killed, and where its runs are."""
    command = [sys.executable, "-m", "tests.engine.victim"]
    pipe = subprocess.PIPE
    with (
        tempfile.TemporaryDirectory(prefix="toolweave-faults-") as name,
        subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process,
    ):
        yield Victim(process), Path(name)
        assert process.stdin is not None
        process.stdin.close()


def judge(found: Found, victim: Victim, folder: Path, journal: str = "honest") -> None:
    """Go on after a kill, and count what was lost, what happened twice, what nobody knew."""
    found.runs += 1
    try:
        marks = goes_on(victim, folder, journal)
        asked = Counter(key for kind, key in rows(folder) if kind == "step_uncertain")
        # Ended twice, or begun again and nobody had been asked.
        again = {key for key in ONCE if marks[f"begin {key}"] > 1 + asked[key]}
        found.twice += len({*repeated(marks), *again})
    except AssertionError as error:
        # A step that never happened, or was finished and done again; a run without an end.
        text = str(error).splitlines()[0] if str(error) else "an expectation did not hold"
        if journal == "honest":
            say(f"{folder.name}: {text}")
        if "repeated" in text:
            found.twice += 1
        else:
            found.lost += 1
    found.uncertain += sum(kind == "step_uncertain" for kind, _ in rows(folder))


def at_every_write(most: int | None) -> Part:
    """Right before each write, within it, and right after: its start and its taking too."""

    async def work(_dice: Random) -> Found:
        found = Found()
        with a_victim() as (victim, top):
            number, reached = 1, True
            while reached and number <= (most or number):
                reached = False
                for moment in MOMENTS:
                    for attempt in range(TRIES):
                        folder = top / f"{moment}-{number}-{attempt}"
                        folder.mkdir()
                        is_killed = victim.order(folder, "start", at=number, when=moment) == KILLED
                        found.faults += is_killed
                        judge(found, victim, folder)
                        if is_killed:
                            reached = True
                            break
                if number % 10 == 0:
                    say(f"  write {number}: {found}")
                number += 1
            found.note = f"ok: {number - 2 if not reached else number - 1} writes a run"
        return found

    async def control(_dice: Random) -> Found:
        found = Found()
        with a_victim() as (victim, top):
            for journal, number, moment in (
                *(("hasty", number, "before") for number in range(4, 12)),
                *(("careless", number, "after") for number in range(3, 7)),
            ):
                folder = top / f"{journal}-{number}"
                folder.mkdir()
                victim.order(
                    folder, "start", "hasty" if journal == "hasty" else "honest",
                    at=number, when=moment,
                )  # fmt: skip
                judge(found, victim, folder, journal)
        return found

    least = len(MOMENTS) * (most or longest_way() + 2)
    return Part("killed at every write", work, control, least, has_uncertain=True)


def killed_by_dice(dice: Random, journal: str, kills: int) -> Found:
    """Two kills a run, one run after the other."""
    found = Found()
    with a_victim() as (victim, top):
        writes_of(victim, top / "warm")
        began = time.monotonic()
        writes_of(victim, top / "timed")
        whole_s = time.monotonic() - began
        while found.faults < kills and found.runs < 3 * kills:
            folder = top / f"any-{found.runs}"
            folder.mkdir()
            # At any moment, and again while effects are under way: to start takes longest.
            for begins_s, most_s in ((0, whole_s), (10, EFFECTS_S)):
                after_s = dice.uniform(0, most_s)
                ended = victim.order(folder, "start", journal, after_s=after_s, begins_s=begins_s)
                found.faults += ended == KILLED
            judge(found, victim, folder, journal)
            shutil.rmtree(folder)
            if found.runs % 20 == 0:
                say(f"  {found}")
    return found


def at_any_moment(kills: int) -> Part:
    """Kills at moments of the dice, on several databases at once."""

    async def killed(dice: Random, journal: str, kills: int) -> Found:
        lots = [(Random(dice.random()), -(-kills // VICTIMS)) for _ in range(VICTIMS)]
        return await in_threads([partial(killed_by_dice, own, journal, n) for own, n in lots])

    async def work(dice: Random) -> Found:
        return await killed(dice, "honest", kills)

    async def control(dice: Random) -> Found:
        return await killed(dice, "hasty", min(kills, 40))

    return Part("killed at any moment", work, control, kills, has_uncertain=kills > 20)
