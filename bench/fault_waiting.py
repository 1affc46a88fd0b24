"""Runs that wait: what 100,000 of them cost a process and its database, and that they go on."""

import contextlib
import resource
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from random import Random
from typing import Literal

import anyio
import psutil
from bench.fault_postgres import a_server
from bench.fault_rows import Found, Part, say
from tests.engine.building import EchoTools, Kinds, waits, workflow
from tests.engine.test_many import make_waiting
from tests.storage.postgres import Postgres

from toolweave.clock import SystemClock
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate
from toolweave.tasks import background
from toolweave.testing.unchecked import Unchecked

MONTH_S = 30 * 86_400.0
GRAPH = workflow({"s": "start", "a": "keyed", "e": "end"}, ["s > a", "a > e"])
# Of one processor: what an idle engine may use, and how much more of it where runs wait.
MOST, MORE = 0.02, 0.003
ANSWERED = 20
_EVENTS = (
    "INSERT INTO journal (run, seq, at, kind, body, blob) "
    "SELECT ?, seq, at, kind, body, blob FROM journal WHERE run = ?"
)

Kind = Literal["sqlite", "postgresql"]
Spent = Callable[[], float]


@contextmanager
def an_address(kind: Kind) -> Iterator[tuple[str, Spent]]:
    """A database of its own, and how to ask what its server has used of the processor."""
    if kind == "sqlite":
        with tempfile.TemporaryDirectory(prefix="toolweave-many-") as name:
            yield f"sqlite:///{Path(name, 'runs.db')}", lambda: 0.0
        return
    with a_server() as server:
        yield server.new_database(), lambda: _server_s(server)


def _server_s(server: Postgres) -> float:
    """CPU of all processes of a server, those that ended included."""
    top = psutil.Process(server.pid)
    spent = 0.0
    for process in (top, *top.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            spent += times.user + times.system
    ended = top.cpu_times()
    return spent + ended.children_user + ended.children_system


def own_s() -> float:
    """CPU of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@asynccontextmanager
async def polls(database: Database, *, is_polled: bool) -> AsyncGenerator[None]:
    """The control: somebody who reads all that wait, twice a second."""

    async def poll() -> None:
        while True:
            await database.rows("SELECT id, wake_at FROM runs WHERE status = 'waiting'")
            await anyio.sleep(0.5)

    async with background() as tasks:
        if is_polled:
            tasks.start_soon(poll)
        yield


async def waited(kind: Kind, number: int, window_s: float, *, is_polled: bool) -> Found:
    """So many runs wait for a while; what that costs, and whether some of them go on."""
    found = Found(runs=number)
    with an_address(kind) as (address, server_s):
        async with open_database(address) as database:
            await migrate(database)
            clock = SystemClock()
            kinds = Kinds(a=waits(MONTH_S, {"text": "May it?"}))
            services = EngineServices(EchoTools(), clock)
            engine = Engine(
                database, Journal(database, clock), kinds, services=services, checker=Unchecked()
            )
            async with engine.running():
                like = await engine.runs.start(RunRequest(GRAPH, {"n": 1}))
                await engine.advance(like)
            none = await _idle(engine, database, server_s, window_s)
            say(f"  making {number:,} runs that wait")
            await make_waiting(database, like, clock.now(), number)
            await database.executemany(_EVENTS, [(f"w{one}", like) for one in range(number)])
            if kind == "postgresql":
                await database.execute("ANALYZE")
                await anyio.sleep(window_s)  # what its vacuum does after so many rows is not ours
            many = await _idle(engine, database, server_s, window_s, is_polled=is_polled)
            async with engine.running(drives_runs=True):
                found.lost = await _answered(engine, number)
    found.note = f"{many:.2%} CPU, {none:.2%} with none"
    if many > MOST or many > none + MORE:
        found.wrong.append(f"{found.note} while nothing is to be done")
    else:
        found.note = f"ok: {found.note}"
    return found


async def _idle(
    engine: Engine, database: Database, server_s: Spent, window_s: float, *, is_polled: bool = False
) -> float:
    """What an engine with nothing to do uses of a processor, its database's server included."""
    async with engine.running(drives_runs=True), polls(database, is_polled=is_polled):
        await anyio.sleep(2)
        began, spent = time.monotonic(), own_s() + server_s()
        await anyio.sleep(window_s)
        return (own_s() + server_s() - spent) / (time.monotonic() - began)


async def _answered(engine: Engine, number: int) -> int:
    """How many of some that are answered do not go on."""
    some = [f"w{number * one // ANSWERED}" for one in range(ANSWERED)]
    for run in some:
        await engine.answer(run, "a", "yes")
    lost = 0
    for run in some:
        with anyio.move_on_after(30):
            async for _ in engine.follow(run):
                pass
        lost += (await engine.get(run)).status != "success"
    return lost


def waiting(kind: Kind, number: int, window_s: float) -> Part:
    """They cost nothing: no task, no thread, no poll."""

    def with_polls(*, is_polled: bool) -> Callable[[Random], Awaitable[Found]]:
        async def work(_dice: Random) -> Found:
            seconds = min(window_s, 10) if is_polled else window_s
            return await waited(kind, number, seconds, is_polled=is_polled)

        return work

    names = {"sqlite": "SQLite", "postgresql": "Postgres"}
    what = f"{number:,} runs wait ({names[kind]})"
    return Part(what, with_polls(is_polled=False), with_polls(is_polled=True), 0)
