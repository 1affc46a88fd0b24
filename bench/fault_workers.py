"""Workers that are killed or paused, and several processes on one SQLite file (`laborer.py`)."""

import os
import signal
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from subprocess import Popen

import anyio
import anyio.to_thread
from bench.fault_postgres import a_server
from bench.fault_rows import Found, Part, say
from tests.engine.laborer import GRAPH, HERE, ONCE, STEPS, Marks, engine_on, laborer
from tests.engine.temporal_server import TemporalServer, a_temporal_server

from toolweave.engine.engine import Engine
from toolweave.engine.lease_owner import HOLD_S
from toolweave.engine.runs import RunRequest
from toolweave.errors import Conflict
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate

WORKERS = 3
# How many runs are under way at any time.
AT_ONCE = 15
SHORT_HOLD_S = 1.0
TEMPORAL_LEASE_S = 3
# What is not over so long after the last fault is lost.
PATIENCE_S = 90.0


@dataclass
class Ground:
    """One database, its workers, and what they do in the world."""

    engine: Engine
    database: Database
    marks: Marks
    hire: Callable[[], "Popen[bytes]"]
    dismiss: Callable[["Popen[bytes]"], None]
    workers: list["Popen[bytes]"]
    patience_s: float
    # Empty for the local one.
    backend: str = ""
    started: list[str] = field(default_factory=list[str])
    is_fed: bool = True


Fault = Callable[[Ground, Random], Awaitable[float | None]]


@asynccontextmanager
async def home(
    address: str,
    folder: Path,
    hold_s: float,
    *,
    workers: int,
    away: bool = False,
    vice: str = "",
    backend: str = "",
) -> AsyncGenerator[Ground]:
    """Workers on a database; with `away`, each seems to be on a machine of its own."""
    async with AsyncExitStack() as stack, open_database(address) as database:
        await migrate(database)
        marks = Marks(folder)
        engine = engine_on(database, marks, hold_s, backend=backend)
        number = 0

        def hire() -> "Popen[bytes]":
            nonlocal number
            number += 1
            machine = f"machine-{number}" if away else HERE
            return stack.enter_context(
                laborer(address, folder, hold_s, machine, vice, backend=backend)
            )

        def dismiss(one: "Popen[bytes]") -> None:
            os.kill(one.pid, signal.SIGKILL)
            one.wait()

        await stack.enter_async_context(engine.running())
        hired = [hire() for _ in range(workers)]
        patience_s = 20.0 if vice else PATIENCE_S
        yield Ground(engine, database, marks, hire, dismiss, hired, patience_s, backend)


async def feed(there: Ground) -> None:
    """Keep so many runs under way."""
    while there.is_fed:
        row = await there.database.row("SELECT count(*) FROM runs WHERE finished_at IS NULL")
        for _ in range(AT_ONCE - (row[0] if row else 0)):
            key = f"run {len(there.started)}"
            there.started.append(
                await there.engine.runs.start(RunRequest(GRAPH, {"n": 1}, once_key=key))
            )
        await anyio.sleep(0.1)


async def decide(there: Ground) -> None:
    """A person who decides about uncertain steps, and first looks whether anybody is at it."""
    while True:
        await anyio.sleep(0.1)
        alive = {one.pid for one in there.workers if one.poll() is None}
        busy = {key for pid, key in there.marks.under_way() if pid in alive}
        ended = there.marks.count("end")
        for run in await there.engine.newest(status="uncertain", limit=1000):
            for step in list((await there.engine.state(run.id)).uncertain):
                key = f"{run.id}/{step}"
                if key in busy:
                    continue
                try:
                    choice = "skip" if ended[key] else "retry"
                    # Locally a worker continues it; Temporal must be told.
                    resume = bool(there.backend)
                    await there.engine.resolve(run.id, step, choice, resume=resume)
                except Conflict:
                    continue


async def unfinished(there: Ground) -> int:
    row = await there.database.row("SELECT count(*) FROM runs WHERE finished_at IS NULL")
    return int(row[0]) if row else 0


async def holds(there: Ground, pid: int) -> bool:
    """Whether a process holds runs."""
    held = "SELECT count(*) FROM runs WHERE status = 'running' AND holder LIKE ?"
    return await there.database.row(held, f"%/{pid}/%") != (0,)


async def moved(there: Ground, pid: int) -> float | None:
    """Seconds until no run is held by a process; nothing if that never comes."""
    began = time.monotonic()
    with anyio.move_on_after(there.patience_s):
        while await holds(there, pid):  # noqa: ASYNC110  # others take them
            await anyio.sleep(0.05)
        return time.monotonic() - began
    return None


async def killing(there: Ground, dice: Random) -> float | None:
    """Kill a worker and hire another; how long its runs took to be with somebody else."""
    await anyio.sleep(dice.uniform(0.3, 1.5))
    one = there.workers.pop(dice.randrange(len(there.workers)))
    with anyio.fail_after(there.patience_s):
        while not await holds(there, one.pid):  # noqa: ASYNC110  # it takes them
            await anyio.sleep(0.01)
    there.dismiss(one)
    took_s = await moved(there, one.pid)
    there.workers.append(await anyio.to_thread.run_sync(there.hire))
    return took_s


async def pausing(there: Ground, dice: Random) -> float | None:
    """Stop a worker until its runs are with others, and let it continue."""
    await anyio.sleep(dice.uniform(0.3, 1.5))
    one = dice.choice(there.workers)
    os.kill(one.pid, signal.SIGSTOP)
    try:
        return await moved(there, one.pid)
    finally:
        os.kill(one.pid, signal.SIGCONT)


async def judged(there: Ground) -> Found:
    """Count what the world and the journal tell."""
    found = Found(runs=len(there.started))
    statuses = {run.id: run.status for run in await there.engine.newest(limit=100_000)}
    not_done = [run for run in there.started if statuses.get(run) != "success"]
    begun, ended = there.marks.count("begin"), there.marks.count("end")
    keys = [f"{run}/{step}" for run in there.started if run not in not_done for step in STEPS]
    found.lost = len(not_done) + sum(not ended[key] for key in keys)
    rows = await there.database.rows("SELECT run, kind, body FROM journal ORDER BY run, seq")
    told: Counter[tuple[str, str]] = Counter()
    open_ones: set[str] = set()
    twice: set[str] = set()
    for run, kind, body in rows:
        key = f"{run}/" + str(body).partition('"key":"')[2].partition('"')[0]
        told[kind, key] += 1
        if kind == "step_uncertain":
            open_ones.add(key)
        elif kind == "resolved":
            open_ones.discard(key)
        elif kind == "step_finished" and key in open_ones:
            twice.add(key)  # by one who had lost the run
    found.uncertain = sum(n for (kind, _), n in told.items() if kind == "step_uncertain")
    once = [key for key in begun if key.rpartition("/")[2] in ONCE]
    twice |= {key for key in once if ended[key] > 1}
    twice |= {key for key in once if begun[key] > 1 + told["step_uncertain", key]}
    twice |= {key for (kind, key), n in told.items() if kind == "step_finished" and n > 1}
    found.twice = len(twice)
    return found


async def ordeal(there: Ground, fault: Fault, times: int, dice: Random) -> Found:
    """Feed, do so many faults, wait for the end of all runs, and count."""
    slowest, faults, stuck = 0.0, 0, 0
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(feed, there)
        tasks.start_soon(decide, there)
        for number in range(times):
            took_s = await fault(there, dice)
            faults += 1
            stuck += took_s is None
            slowest = max(slowest, took_s or 0)
            if stuck:
                break
            if number % 5 == 4:
                say(f"  {number + 1} of {times}, {len(there.started)} runs")
        there.is_fed = False
        with anyio.move_on_after(0 if stuck else there.patience_s):
            while await unfinished(there):  # noqa: ASYNC110  # other processes end them
                await anyio.sleep(0.1)
        tasks.cancel_scope.cancel()
    found = await judged(there)
    found.faults = faults
    found.note = f"ok: runs moved within {slowest:.1f} s"
    if stuck:
        found.note = "runs never moved"
    return found


def killed(kills: int, *, away: bool) -> Part:
    """On one machine the system tells that a worker is gone; of another only its silence does."""

    async def work(dice: Random, vice: str = "") -> Found:
        hold_s = HOLD_S if away and not vice else SHORT_HOLD_S
        with a_server() as server, tempfile.TemporaryDirectory(prefix="toolweave-") as name:
            address = server.new_database()
            async with home(
                address, Path(name), hold_s, workers=WORKERS, away=away, vice=vice
            ) as there:
                return await ordeal(there, killing, 1 if vice else kills, dice)

    async def control(dice: Random) -> Found:
        return await work(dice, "shy")

    where = "another machine" if away else "this machine"
    return Part(f"worker killed on {where}", work, control, kills, has_uncertain=kills > 3)


def killed_on_temporal(kills: int) -> Part:
    """Workers that Temporal places runs on, each on a machine of its own."""

    async def work(dice: Random, vice: str = "") -> Found:
        async with on_temporal(vice) as (there, _):
            return await ordeal(there, killing, 1 if vice else kills, dice)

    async def control(dice: Random) -> Found:
        return await work(dice, "shy")

    return Part("worker of Temporal killed", work, control, kills, has_uncertain=kills > 3)


def temporal_killed(times: int) -> Part:
    """Temporal itself, killed: running steps end as if it was there, lost signals are found."""

    async def work(dice: Random, vice: str = "") -> Found:
        async with on_temporal(vice) as (there, server):

            async def outage(there: Ground, dice: Random) -> float:
                await anyio.sleep(dice.uniform(0.3, 1.5))
                server.kill()
                started, length_s = len(there.started), dice.uniform(0.5, 2 * TEMPORAL_LEASE_S)
                await anyio.sleep(length_s)
                while len(there.started) == started:  # noqa: ASYNC110  # a start that is lost
                    await anyio.sleep(0.1)
                await anyio.to_thread.run_sync(server.start)
                return 0.0

            found = await ordeal(there, outage, 1 if vice else times, dice)
        if found.uncertain:
            found.wrong.append(f"{found.uncertain} steps became uncertain")
        return found

    async def control(dice: Random) -> Found:
        return await work(dice, "careless")

    return Part("Temporal killed", work, control, times, has_uncertain=False)


@asynccontextmanager
async def on_temporal(vice: str) -> AsyncGenerator[tuple[Ground, TemporalServer]]:
    """Workers, a Postgres and a Temporal of their own."""
    with a_server() as postgres, tempfile.TemporaryDirectory(prefix="toolweave-") as name:
        folder = Path(name)
        with a_temporal_server(folder) as server:
            backend = server.address(lease_s=TEMPORAL_LEASE_S)
            async with home(
                postgres.new_database(),
                folder,
                TEMPORAL_LEASE_S,
                workers=WORKERS,
                away=True,
                vice=vice,
                backend=backend,
            ) as there:
                yield there, server


def paused(times: int) -> Part:
    """A worker stopped (SIGSTOP) past its lease, then continued: it must be fenced."""

    async def work(dice: Random, vice: str = "") -> Found:
        with a_server() as server, tempfile.TemporaryDirectory(prefix="toolweave-") as name:
            address = server.new_database()
            async with home(address, Path(name), SHORT_HOLD_S, workers=WORKERS, vice=vice) as there:
                return await ordeal(there, pausing, 10 if vice else times, dice)

    async def control(dice: Random) -> Found:
        return await work(dice, "unfenced")

    return Part("worker paused past its lease", work, control, times, has_uncertain=times > 3)


def beside(seconds: int) -> Part:
    """Several processes on one SQLite file, one of them killed now and then."""

    async def working(_there: Ground, _dice: Random) -> float:
        await anyio.sleep(1)
        return 0.0

    async def work(dice: Random, vice: str = "") -> Found:
        with tempfile.TemporaryDirectory(prefix="toolweave-") as name:
            address = f"sqlite:///{Path(name, 'runs.db')}"
            async with home(address, Path(name), HOLD_S, workers=2, vice=vice) as there:
                fault = working if vice else killing
                return await ordeal(there, fault, 3 if vice else seconds, dice)

    async def control(dice: Random) -> Found:
        return await work(dice, "greedy")

    return Part("two processes on one SQLite file", work, control, seconds, has_uncertain=True)
