"""What faults do to runs, in the long form: `python -m bench.faults` from the root.

The harnesses are those of `tests/engine`, each with its positive control there; here they go on for
longer. A line says how often something was killed, stopped or restarted, and what was lost or
happened twice: both must be 0. `--quick` shows that it works.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
from tests.engine.test_killed import KILLED, Victim, commits_of, goes_on, repeated
from tests.engine.test_postgres_restart import RUNS, STEPS, once_keys, ordeal
from tests.storage.postgres import Postgres, get_server

from toolweave.clock import SystemClock
from toolweave.engine.journal import Journal
from toolweave.storage.database import open_database

ROOT = Path(__file__).parents[1]
# A worker paused past its lease, a worker killed, a command killed while a service has its file.
LEASES = (
    "tests/engine/test_lost_lease.py",
    "tests/engine/test_workers.py::"
    "test_a_killed_workers_run_goes_to_another_and_nothing_is_repeated",
)


@dataclass(frozen=True, slots=True)
class Size:
    """How long it goes on."""

    commits: int | None = None
    kills: int = 200
    restarts: int = 4
    leases: int = 10


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of fault."""

    what: str
    runs: int
    faults: int
    lost: int
    twice: int
    took_s: float

    @property
    def cells(self) -> tuple[str, ...]:
        """As shown."""
        counts = (self.runs, self.faults, self.lost, self.twice)
        return (self.what, *map(str, counts), f"{self.took_s:.0f} s")


@contextmanager
def a_victim() -> Iterator[Victim]:
    """The process that is killed."""
    command = [sys.executable, "-m", "tests.engine.victim"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        yield Victim(process)
        assert process.stdin is not None
        process.stdin.close()


def judged(victim: Victim, folder: Path) -> tuple[int, int]:
    """Go on after a kill: whether something was lost, and how much happened twice."""
    try:
        return 0, len(repeated(goes_on(victim, folder)))
    except AssertionError as error:
        sys.stderr.write(f"{folder.name}: {error}\n")
        return 1, 0


def every_commit(victim: Victim, top: Path, most: int | None) -> Row:
    """Killed right before and right after each commit of a run."""
    began, faults, runs, lost, twice = time.monotonic(), 0, 0, 0, 0
    commits = commits_of(victim, top / "whole")
    for number in range(1, min(commits, most or commits) + 1):
        for when in ("before", "after"):
            folder = top / f"{when}-{number}"
            folder.mkdir()
            faults += victim.order(folder, "start", at=number, when=when) == KILLED
            found = judged(victim, folder)
            runs, lost, twice = runs + 1, lost + found[0], twice + found[1]
    return Row("killed at every commit", runs, faults, lost, twice, time.monotonic() - began)


def any_time(victim: Victim, top: Path, kills: int) -> Row:
    """Killed at any moment, each run twice."""
    began, faults, runs, lost, twice = time.monotonic(), 0, 0, 0, 0
    commits_of(victim, top / "warm")
    start = time.monotonic()
    commits_of(victim, top / "timed")
    whole_s = time.monotonic() - start
    dice = random.Random()
    while faults < kills and runs < 2 * kills:
        folder = top / f"any-{runs}"
        folder.mkdir()
        for _ in range(2):
            after_s = dice.uniform(0, whole_s)
            faults += victim.order(folder, "start", after_s=after_s) == KILLED
        found = judged(victim, folder)
        runs, lost, twice = runs + 1, lost + found[0], twice + found[1]
    return Row("killed at any time", runs, faults, lost, twice, time.monotonic() - began)


@contextmanager
def a_server() -> Iterator[Postgres]:
    """A Postgres that may be stopped."""
    with tempfile.TemporaryDirectory(prefix="toolweave-pg-", ignore_cleanup_errors=True) as name:
        data = Path(name, "data")
        data.mkdir()
        process = get_server(data)
        server = Postgres(process)
        try:
            yield server
        finally:
            server.stop()
            process.cleanup()


async def restarts(times: int) -> Row:
    """Postgres stopped as by a crash, twice during each lot of runs."""
    began, lost, twice = time.monotonic(), 0, 0
    with a_server() as server:
        for _ in range(times):
            async with open_database(server.new_database()) as database:
                journal = Journal(database, SystemClock())
                world = await ordeal(server, database, journal, 2)
            lost += RUNS * len(STEPS) - len(world.ended)
            twice += sum(world.ended[key] != 1 for key in once_keys(world))
    what = "Postgres restarted (-m immediate)"
    return Row(what, RUNS * times, 2 * times, lost, twice, time.monotonic() - began)


def leases(times: int) -> Row:
    """Two processes that want one run, on Postgres and on one SQLite file."""
    began, failed = time.monotonic(), 0
    for _ in range(times):
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", *LEASES]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            failed += 1
            sys.stderr.write(done.stdout[-3_000:])
    what = "worker paused, worker killed, two on one file"
    return Row(what, 3 * times, 3 * times, failed, 0, time.monotonic() - began)


def main() -> None:
    """Do it all and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    size = Size(commits=3, kills=4, restarts=1, leases=1) if quick else Size()
    with tempfile.TemporaryDirectory(prefix="toolweave-faults-") as name, a_victim() as victim:
        rows = [
            every_commit(victim, Path(name), size.commits),
            any_time(victim, Path(name), size.kills),
        ]
    rows += [anyio.run(restarts, size.restarts), leases(size.leases)]
    lines = [("what", "runs", "faults", "lost", "twice", "took"), *(row.cells for row in rows)]
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    for line in lines:
        text = "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        sys.stdout.write(text.rstrip() + "\n")
    sys.exit(any(row.lost or row.twice for row in rows))


if __name__ == "__main__":
    main()
