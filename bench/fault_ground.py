"""Workers on a database, fed with runs while something befalls them (`tests/engine/laborer.py`)."""

import signal
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from statistics import median

import anyio
import anyio.to_thread
from bench.fault_rows import Found, say
from tests.engine.laborer import (
    GRAPH,
    HERE,
    ONCE,
    STEPS,
    Foreman,
    ForkedLaborer,
    Marks,
    engine_on,
    foreman,
)

from toolweave.engine.engine import Engine
from toolweave.engine.runs import RunRequest
from toolweave.errors import Conflict, Unavailable
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate

# How often those look who feed and decide: all of it costs the processor that workers need.
LOOK_S = 0.3
# What is not over so long after the last fault is lost; of a control, sooner.
PATIENCE_S, CONTROL_PATIENCE_S = 180.0, 30.0


@dataclass(frozen=True, slots=True)
class Fleet:
    """Which workers there are, and how much they have to do."""

    workers: int = 3
    hold_s: float = 2.0
    # Whether each seems to be on a machine of its own.
    away: bool = False
    vice: str = ""
    # Empty for the local one.
    backend: str = ""
    # How many runs are under way at any time.
    at_once: int = 4
    # How many times as long as otherwise a step takes.
    pace: float = 1.0
    # One for each worker, where they differ.
    foremen: Sequence[Foreman] = ()
    # The address of the database for workers, where it is another one.
    address: str = ""


@dataclass
class Ground:
    """One database, its workers, and what they do in the world."""

    fleet: Fleet
    engine: Engine
    database: Database
    marks: Marks
    hire: Callable[[], ForkedLaborer]
    workers: list[ForkedLaborer]
    patience_s: float
    started: list[str] = field(default_factory=list[str])
    is_fed: bool = True
    # Whether nobody starts another run.
    was_fed: bool = False
    numbers: Iterator[int] = field(default_factory=count)


Fault = Callable[[Ground, Random], Awaitable[float | None]]


@asynccontextmanager
async def home(address: str, folder: Path, fleet: Fleet) -> AsyncGenerator[Ground]:
    """Workers on a database."""
    async with AsyncExitStack() as stack, open_database(address) as database:
        await migrate(database)
        marks = Marks(folder)
        engine = engine_on(database, marks, fleet.hold_s, backend=fleet.backend)
        foremen = fleet.foremen or [
            stack.enter_context(foreman(environ={"LABORER_PACE": str(fleet.pace)}))
        ]
        number = 0

        def hire() -> ForkedLaborer:
            nonlocal number
            number += 1
            return foremen[number % len(foremen)].hire(
                fleet.address or address,
                folder,
                fleet.hold_s,
                f"machine-{number}" if fleet.away else HERE,
                fleet.vice,
                backend=fleet.backend,
            )

        await stack.enter_async_context(engine.running())
        hired = [await anyio.to_thread.run_sync(hire) for _ in range(fleet.workers)]
        patience_s = CONTROL_PATIENCE_S if fleet.vice else PATIENCE_S
        there = Ground(fleet, engine, database, marks, hire, hired, patience_s)
        yield there
        for one in there.workers:
            one.kill()


async def feed(there: Ground) -> None:
    """Keep so many runs under way, whether the database is there or not."""
    while there.is_fed:
        with suppress(Unavailable):
            for _ in range(there.fleet.at_once - await unfinished(there)):
                await start_one(there)
        await anyio.sleep(LOOK_S)
    there.was_fed = True


async def start_one(there: Ground) -> None:
    """Start a run, once, however often the database is away."""
    request = RunRequest(GRAPH, {"n": 1}, once_key=f"run {next(there.numbers)}")
    while True:
        try:
            there.started.append(await there.engine.runs.start(request))
            return
        except (Unavailable, Conflict):
            await anyio.sleep(LOOK_S)


async def decide(there: Ground) -> None:
    """A person who decides about uncertain steps, and first looks whether anybody is at it."""
    while True:
        await anyio.sleep(LOOK_S)
        try:
            runs = await there.engine.newest(status="uncertain", limit=1000)
            if runs:
                await _decide_about(there, [run.id for run in runs])
        except (Unavailable, Conflict):
            continue


async def _decide_about(there: Ground, runs: list[str]) -> None:
    alive = {one.pid for one in there.workers if one.poll() is None}
    busy = {key for pid, key in there.marks.under_way() if pid in alive}
    ended = there.marks.count("end")
    for run in runs:
        for step in list((await there.engine.state(run)).uncertain):
            key = f"{run}/{step}"
            if key in busy:
                continue
            try:
                choice = "skip" if ended[key] else "retry"
                # Locally a worker continues it; Temporal must be told.
                resume = bool(there.fleet.backend)
                await there.engine.resolve(run, step, choice, resume=resume)
            except Conflict:
                continue


async def unfinished(there: Ground) -> int:
    """How many runs are not over. Raises `Unavailable`."""
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
            await anyio.sleep(0.1)
        return time.monotonic() - began
    return None


async def one_that_works(there: Ground, dice: Random) -> ForkedLaborer:
    """A worker that holds runs."""
    await anyio.sleep(dice.uniform(0.1, 0.6))
    with anyio.fail_after(there.patience_s):
        while True:
            rows = await there.database.rows("SELECT holder FROM runs WHERE status = 'running'")
            held = {str(holder).split("/")[1] for (holder,) in rows if holder}
            able = [one for one in there.workers if str(one.pid) in held and one.poll() is None]
            if able:
                return dice.choice(able)
            await anyio.sleep(0.1)


async def killing(there: Ground, dice: Random) -> float | None:
    """Kill a worker and hire another; how long its runs took to be with somebody else."""
    one = await one_that_works(there, dice)
    there.workers.remove(one)
    one.kill()
    took_s = await moved(there, one.pid)
    there.workers.append(await anyio.to_thread.run_sync(there.hire))
    return took_s


async def pausing(there: Ground, dice: Random) -> float | None:
    """Stop a worker until its runs are with others, and let it continue."""
    one = await one_that_works(there, dice)
    one.send_signal(signal.SIGSTOP)
    try:
        return await moved(there, one.pid)
    finally:
        one.send_signal(signal.SIGCONT)


async def draining(there: Ground, dice: Random) -> float:
    """Ask a worker to stop, and hire another."""
    one = await one_that_works(there, dice)
    began = time.monotonic()
    one.send_signal(signal.SIGTERM)
    await anyio.to_thread.run_sync(one.wait)
    there.workers.remove(one)
    took_s = time.monotonic() - began
    there.workers.append(await anyio.to_thread.run_sync(there.hire))
    return took_s


async def judged(there: Ground) -> Found:
    """Count what the world and the journal tell."""
    found = Found(runs=len(there.started))
    rows = await there.database.rows("SELECT id, status FROM runs")
    statuses = {str(run): str(status) for run, status in rows}
    not_done = {run for run in there.started if statuses.get(run) != "success"}
    begun, ended = there.marks.count("begin"), there.marks.count("end")
    keys = [f"{run}/{step}" for run in there.started if run not in not_done for step in STEPS]
    missing = [key for key in keys if not ended[key]]
    found.lost = len(not_done) + len(missing)
    if found.lost and not there.fleet.vice:
        say(f"lost: {[(run, statuses.get(run)) for run in not_done]} {missing}")
        for run in [*not_done, *(key.partition("/")[0] for key in missing)][:3]:
            say(f"{[entry.event for entry in await there.engine.journal.read(run)]}"[:5_000])
    rows = await there.database.rows(
        "SELECT run, kind, body FROM journal WHERE kind IN "
        "('step_uncertain', 'resolved', 'step_finished') ORDER BY run, seq"
    )
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
    if twice and not there.fleet.vice:
        for key in sorted(twice)[:3]:
            marks = [mark for mark in there.marks.read() if mark[2] == key]
            entries = await there.engine.journal.read(key.partition("/")[0])
            say(f"twice: {key} {marks} {[entry.event for entry in entries]}"[:6_000])
    gone = sum(one.poll() is not None for one in there.workers)
    if gone:
        found.wrong.append(f"{gone} workers ended by themselves")
    return found


async def until_over(there: Ground) -> None:
    """Wait for the end of all runs, for as long as patience lasts."""
    there.is_fed = False
    with anyio.move_on_after(there.patience_s):
        while True:
            try:
                if there.was_fed and not await unfinished(there):
                    return
            except Unavailable:
                pass
            await anyio.sleep(LOOK_S)


async def ordeal(
    there: Ground, fault: Fault, times: int, dice: Random
) -> tuple[Found, list[float]]:
    """Feed, do so many faults, wait for the end of all runs; the count, and how long each took."""
    moves, faults, stuck = list[float](), 0, 0
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(feed, there)
        tasks.start_soon(decide, there)
        for number in range(times):
            took_s = await fault(there, dice)
            faults += 1
            if took_s is None:
                stuck += 1
                break
            moves.append(took_s)
            if number % 10 == 9:
                say(f"{number + 1} of {times}, {len(there.started)} runs")
        if not stuck:
            await until_over(there)
        tasks.cancel_scope.cancel()
    found = await judged(there)
    found.faults = faults
    if stuck:
        found.wrong.append("runs never moved")
    return found, moves


async def side_by_side(
    grounds: int,
    address: Callable[[Path], str],
    fleet: Callable[[int], Fleet],
    fault: Fault,
    times: int,
    dice: Random,
) -> Found:
    """Several independent databases at once; each has its share of the faults."""
    whole, moves = Found(), list[float]()

    async def one(number: int) -> None:
        own = Random(dice.random())
        share = times // grounds + (number < times % grounds)
        with tempfile.TemporaryDirectory(prefix="toolweave-") as name:
            async with home(address(Path(name)), Path(name), fleet(number)) as there:
                found, took_s = await ordeal(there, fault, share, own)
        whole.add(found)
        moves.extend(took_s)

    async with anyio.create_task_group() as tasks:
        for number in range(min(grounds, times)):
            tasks.start_soon(one, number)
    whole.note = f"ok: {min(grounds, times)} databases at once, {spread(moves)}"
    return whole


def spread(moves: list[float]) -> str:
    """How long most of them took, and the slowest."""
    ordered = sorted(moves) or [0.0]
    most, slowest = ordered[len(ordered) * 19 // 20], ordered[-1]
    return f"half within {median(ordered):.1f} s, 95 % {most:.1f} s, slowest {slowest:.1f} s"
