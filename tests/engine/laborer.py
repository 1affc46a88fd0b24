"""A process that executes whatever is to be done on a database, and marks what it does.

`python -m tests.engine.laborer ADDRESS FOLDER HOLD_S [MACHINE VICE DAYS BACKEND VERSION QUEUES]`:
with a MACHINE it seems to be on another one, so that only its silence tells that it is gone; its
wall clock is wrong by DAYS, and it drives runs like an engine of VERSION. A VICE is for positive
controls: `unfenced` writes to runs it has lost, `greedy` takes runs that others hold and leaves out
that steps begin, `shy` takes no run of another one that is gone, `careless` does not compare its
runs with Temporal.
"""

import os
import socket
import sys
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from subprocess import PIPE, Popen

import anyio
from tests.engine.building import EchoTools, Kinds, waits, workflow

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.clock import SystemClock
from toolweave.engine import lease_watch
from toolweave.engine.backend_choice import choose_backend
from toolweave.engine.compatibility import VERSION
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.journal import Journal, JournalEntry, Lease, Written
from toolweave.engine.journal_rows import JournalChange
from toolweave.errors import Conflict
from toolweave.settings import read_queues
from toolweave.storage.database import Database, open_database
from toolweave.testing.unchecked import Unchecked

ROOT = Path(__file__).parents[2]
HERE = "-"
STEPS = ("a", "b", "c", "d")
ONCE = ("a", "c", "d")
GRAPH = workflow(
    {"s": "start", "a": "once", "b": "keyed", "c": "once", "d": "once", "e": "end"},
    ["s > a", "a > b", "b > c", "s > d", "c > e", "d > e"],
)


class Marks:
    """What really happened, and who did it, whatever is journaled."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "marks"

    def add(self, what: str, key: str) -> None:
        handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(handle, f"{os.getpid()} {what} {key}\n".encode())
        os.close(handle)

    def read(self) -> list[tuple[int, str, str]]:
        """Who, what (`begin`, `end`, `stopped`), and of which run and step."""
        text = self._path.read_text(encoding="utf-8") if self._path.exists() else ""
        lines = (line.split(" ", 2) for line in text.splitlines())
        return [(int(pid), what, key) for pid, what, key in lines]

    def count(self, what: str) -> Counter[str]:
        return Counter(key for _, done, key in self.read() if done == what)

    def under_way(self) -> set[tuple[int, str]]:
        """Who has begun what, and not said how it ended."""
        found: set[tuple[int, str]] = set()
        for pid, what, key in self.read():
            (found.add if what == "begin" else found.discard)((pid, key))
        return found

    async def effect(self, context: NodeContext) -> Outcome:
        """Takes time: with an instant effect no harness would ever see a step twice."""
        self.add("begin", context.key)
        try:
            # Branches and runs drift apart.
            await anyio.sleep(0.1 + sum(context.key.encode()) % 50 / 100)
        except BaseException:
            self.add("stopped", context.key)
            raise
        self.add("end", context.key)
        return Outcome(context.given.incoming)


class Unfenced(Journal):
    """Writes without holding the lease."""

    async def append(
        self, lease: Lease, events: Sequence[Written], change: JournalChange | None = None
    ) -> int:
        row = await self.database.row("SELECT epoch FROM runs WHERE id = ?", lease.run)
        assert row is not None
        return await super().append(replace(lease, epoch=row[0]), events, change)


class Greedy(Journal):
    """Leaves out that a step begins; such a process also takes every other one for dead."""

    async def append(
        self, lease: Lease, events: Sequence[Written], change: JournalChange | None = None
    ) -> int:
        kept = [event for event in events if event.kind != "step_started"]
        return await super().append(lease, kept, change)


class Shy(Journal):
    """Takes only what nobody ever held."""

    async def take(self, run: str) -> tuple[Lease, list[JournalEntry]]:
        row = await self.database.row("SELECT holder FROM runs WHERE id = ?", run)
        if row is not None and row[0] not in {None, self.holder}:
            raise Conflict("RUN_HELD", "it is another one's")
        return await super().take(run)


JOURNALS = {"unfenced": Unfenced, "greedy": Greedy, "shy": Shy}


@dataclass(frozen=True)
class WrongClock(SystemClock):
    """A wall clock that is wrong by days."""

    days: float

    def now(self) -> datetime:
        return super().now() + timedelta(days=self.days)


def engine_on(
    database: Database,
    marks: Marks,
    hold_s: float,
    vice: str = "",
    days: float = 0,
    backend: str = "",
    version: int = VERSION,
    queues: str = "default",
) -> Engine:
    clock = WrongClock(days)
    written = JOURNALS.get(vice, Journal)(database, clock, hold_s=hold_s, version=version)
    kinds = Kinds(**dict.fromkeys(STEPS, marks.effect), year=waits(seconds=365 * 86_400))
    return Engine(
        database,
        written,
        kinds,
        services=EngineServices(EchoTools(), clock),
        checker=Unchecked(),
        open_backend=choose_backend(backend).open,
        queues=read_queues(queues),
    )


async def work(
    address: str,
    folder: Path,
    hold_s: float,
    vice: str,
    days: float,
    backend: str,
    version: int,
    queues: str,
) -> None:
    marks = Marks(folder)
    async with (
        open_database(address) as database,
        engine_on(database, marks, hold_s, vice, days, backend, version, queues).running(
            drives_runs=True
        ),
    ):
        sys.stdout.write("working\n")
        sys.stdout.flush()
        await anyio.sleep_forever()


@contextmanager
def laborer(
    address: str,
    folder: Path,
    hold_s: float,
    machine: str = HERE,
    vice: str = "",
    *,
    days: float = 0,
    backend: str = "",
    version: int = VERSION,
    queues: str = "default",
) -> Generator["Popen[bytes]"]:
    """The process; killed at the end."""
    place = (address, str(folder), str(hold_s), machine)
    words = (*place, vice, str(days), backend, str(version), queues)
    argv = (sys.executable, "-m", "tests.engine.laborer", *words)
    with Popen(argv, cwd=ROOT, stdout=PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"working\n"
            yield process
        finally:
            process.kill()


def _is_dead(holder: str | None) -> bool:
    return holder is None or bool(holder)


async def _keep_nothing(_reconciler: object) -> None:
    await anyio.sleep_forever()


def main(
    address: str,
    folder: str,
    hold_s: str,
    machine: str = HERE,
    vice: str = "",
    days: str = "0",
    backend: str = "",
    version: str = str(VERSION),
    queues: str = "default",
) -> None:
    if machine != HERE:
        socket.gethostname = lambda: machine
    if vice == "greedy":
        lease_watch.is_gone = _is_dead
    if vice == "careless":  # by name: the other ones need no Temporal
        import_module("toolweave.engine.temporal.reconciler").Reconciler.keep = _keep_nothing
    here = Path(folder)
    anyio.run(work, address, here, float(hold_s), vice, float(days), backend, int(version), queues)


if __name__ == "__main__":
    main(*sys.argv[1:])
