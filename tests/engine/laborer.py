"""A process that executes whatever is to be done on a database, and marks what it does.

`python -m tests.engine.laborer ADDRESS FOLDER HOLD_S [MACHINE VICE DAYS BACKEND VERSION QUEUES]`:
with a MACHINE it seems to be on another one, so that only its silence tells that it is gone; its
wall clock is wrong by DAYS, and it drives runs like an engine of VERSION. SIGTERM drains it. A VICE
is for positive controls: `unfenced` writes to runs it has lost, `greedy` takes runs that others
hold and leaves out that steps begin, `hasty` only the latter, `shy` takes no run of another one
that is gone, `clocked` compares leases with its own wall clock, `undrained` stops at once,
`careless` does not compare its runs with Temporal, `unkept` stops a run when Temporal gives its
activity up, and `talkative` lets the SDK of Temporal write its log to standard output.

Without arguments it is a foreman: for each line of arguments (JSON) it forks such a process, which
takes a tenth of the time. `LABORER_PACE` makes every step so many times as long.
"""

import asyncio
import ctypes
import json
import logging
import os
import select
import signal
import socket
import sys
import traceback
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from subprocess import PIPE, Popen
from typing import IO, Any

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
PACE = float(os.environ.get("LABORER_PACE", "1"))
DRAIN_S = 30.0
PR_SET_PDEATHSIG = 1
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
            await anyio.sleep(PACE * (0.1 + sum(context.key.encode()) % 50 / 100))
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


JOURNALS = {"unfenced": Unfenced, "greedy": Greedy, "hasty": Greedy, "shy": Shy}


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
    drain_s = 0.0 if vice == "undrained" else DRAIN_S
    async with open_database(address) as database:
        engine = engine_on(database, Marks(folder), hold_s, vice, days, backend, version, queues)
        with anyio.open_signal_receiver(signal.SIGTERM) as signals:
            async with engine.running(drives_runs=True, drain_s=drain_s):
                _say("working")
                async for _ in signals:
                    break


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
    blocks: bool = False,
) -> Generator["Popen[bytes]"]:
    """The process; killed at the end. If it `blocks`, nothing more fits in its standard output."""
    place = (address, str(folder), str(hold_s), machine)
    words = (*place, vice, str(days), backend, str(version), queues)
    argv = (sys.executable, "-m", "tests.engine.laborer", *words)
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as said, Popen(argv, cwd=ROOT, stdout=writer) as process:
        try:
            if not blocks:
                os.close(writer)
            assert b"working\n" in iter(said.readline, b"")
            if blocks:
                _fill(writer)
                os.close(writer)
            yield process
        finally:
            process.kill()


def _fill(pipe: int) -> None:
    os.set_blocking(pipe, False)
    with suppress(BlockingIOError):
        while True:
            os.write(pipe, b"." * 64)
    os.set_blocking(pipe, True)  # for all who write to it


class ForkedLaborer:
    """A process that works; not a child of this one."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._handle = os.pidfd_open(pid)

    def poll(self) -> int | None:
        """Nothing while it is there."""
        return 0 if self._ended(0) else None

    def wait(self, timeout_s: float = 60) -> None:
        assert self._ended(timeout_s), "a laborer stays"

    def send_signal(self, number: int) -> None:
        signal.pidfd_send_signal(self._handle, number)

    def kill(self) -> None:
        with suppress(ProcessLookupError):  # one with a vice may have ended by itself
            self.send_signal(signal.SIGKILL)
        self.wait()

    def _ended(self, timeout_s: float) -> bool:
        return bool(select.select([self._handle], [], [], timeout_s)[0])


class Foreman:
    """Forks laborers that have all their modules already."""

    def __init__(self, process: "Popen[str]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._orders: IO[str] = process.stdin
        self._answers: IO[str] = process.stdout

    def hire(
        self,
        address: str,
        folder: Path,
        hold_s: float,
        machine: str = HERE,
        vice: str = "",
        *,
        backend: str = "",
    ) -> ForkedLaborer:
        """Start one; raises `ConnectionError` where it cannot begin."""
        words = (address, str(folder), str(hold_s), machine, vice, "0", backend)
        self._orders.write(json.dumps(words) + "\n")
        self._orders.flush()
        hired = ForkedLaborer(int(self._answers.readline()))
        if self._answers.readline() != "working\n":
            raise ConnectionError("a laborer could not begin")
        return hired


@contextmanager
def foreman(*prefix: str, environ: Mapping[str, str] | None = None) -> Generator[Foreman]:
    """A foreman, perhaps by another command; at its end its laborers are killed."""
    argv = (*prefix, sys.executable, "-m", "tests.engine.laborer")
    together = {**os.environ, **(environ or {})}
    with Popen(argv, cwd=ROOT, stdin=PIPE, stdout=PIPE, text=True, env=together) as process:
        yield Foreman(process)
        assert process.stdin is not None
        process.stdin.close()


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def serve() -> None:
    """Fork for each line, until there are no more; all end with this process."""
    import_module("temporalio.worker")
    logging.disable()  # what fails here is meant to
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    parent = os.getpid()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            # By the system, never by their numbers: those of ended ones are used again.
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)
            _say(str(os.getpid()))
            try:
                main(*json.loads(line))
            except BaseException:
                traceback.print_exc()
                _say("failed")
            finally:
                os._exit(0)


def _is_dead(holder: str | None) -> bool:
    return holder is None or bool(holder)


def _is_past(_watch: object, lease: lease_watch.HeldRun, _before: object) -> bool:
    return datetime.fromisoformat(lease.held_until or "") < datetime.now(UTC)


async def _keep_nothing(_reconciler: object) -> None:
    await anyio.sleep_forever()


def _stop_with_activities() -> None:
    worker = import_module("toolweave.engine.temporal.worker").TemporalWorker
    patient = worker.wait

    async def wait(self: object, driving: "asyncio.Future[object]") -> None:
        try:
            await patient(self, driving)
        except asyncio.CancelledError:
            driving.cancel()
            raise

    worker.wait = wait


def _log_to_stdout() -> None:
    runtime = import_module("temporalio.runtime")
    level = runtime.TelemetryFilter(core_level="DEBUG", other_level="ERROR")
    telemetry = runtime.TelemetryConfig(logging=runtime.LoggingConfig(filter=level))
    made = runtime.Runtime(telemetry=telemetry)
    connection: Any = import_module("toolweave.engine.temporal.connection")
    connection._runtime = lambda: made


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
    if vice == "clocked":
        watch: Any = lease_watch.LeaseWatch
        watch._has_expired = _is_past
    if vice == "careless":  # by name: the other ones need no Temporal
        import_module("toolweave.engine.temporal.reconciler").Reconciler.keep = _keep_nothing
    if vice == "unkept":
        _stop_with_activities()
    if vice == "talkative":
        _log_to_stdout()
    here = Path(folder)
    anyio.run(work, address, here, float(hold_s), vice, float(days), backend, int(version), queues)


if __name__ == "__main__":
    main(*sys.argv[1:]) if sys.argv[1:] else serve()
