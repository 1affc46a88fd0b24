"""A process that is stopped for longer than its lease, and two processes on one SQLite home.

As a module it is the process: it executes whatever is to be done on a database, with an
effect that marks a file before and after.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.cli.driving import Commands
from tests.engine.building import EchoTools, Kinds, workflow
from tests.storage.postgres import Postgres

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.clock import SystemClock
from toolweave.engine.context import EngineServices, StepContext
from toolweave.engine.decide import NextWork
from toolweave.engine.engine import Engine
from toolweave.engine.events import Choice, Event
from toolweave.engine.held_lease import HeldLease
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.engine.step_attempts import StepAttempts
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.server import ScriptedServer, a_tool, never
from toolweave.testing.unchecked import Unchecked
from toolweave.workflow.formats.load import convert

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]
HOLD_S, EFFECT_S = 1.0, 60.0
GRAPH = workflow({"s": "start", "a": "once", "b": "keyed"}, ["s > a", "a > b"])
PARALLEL = workflow({"s": "start", "a": "once", "c": "once"}, ["s > a", "s > c"])
# The effects of `PARALLEL`, which take no time.
QUICK = ("a", "c")


def mark(folder: Path, text: str) -> None:
    with (folder / "marks").open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()} {text}\n")


def marks(folder: Path) -> list[tuple[int, str]]:
    """Who did what."""
    path = folder / "marks"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [(int(line.partition(" ")[0]), line.partition(" ")[2]) for line in lines]


def engine_on(database: Database, folder: Path) -> Engine:
    async def slow(context: NodeContext) -> Outcome:
        is_first = not marks(folder)
        mark(folder, "begin")
        try:
            await anyio.sleep(EFFECT_S if is_first else 0)
        except BaseException:
            mark(folder, "stopped")
            raise
        return Outcome(context.given.incoming)

    clock = SystemClock()
    journal = Journal(database, clock, hold_s=HOLD_S)
    return Engine(
        database,
        journal,
        Kinds(a=slow, c=slow),
        services=EngineServices(EchoTools(), clock),
        checker=Unchecked(),
    )


def stop_before_effects(folder: Path) -> None:
    """Stop this process once, when the start of a step is written and its effect comes next."""
    make = StepAttempts.make

    async def made(self: StepAttempts, work: NextWork, context: StepContext) -> Event:
        if not marks(folder):
            mark(folder, "stops")
            os.kill(os.getpid(), signal.SIGSTOP)
        try:
            return await make(self, work, context)
        finally:
            mark(folder, "left")

    StepAttempts.make = made


async def work(address: str, folder: Path, *vices: str) -> None:
    if "stops" in vices:
        stop_before_effects(folder)
    if "unchecked" in vices:
        held: Any = HeldLease
        held.may_be_lost = False
    async with (
        open_database(address) as database,
        engine_on(database, folder).running(drives_runs=True),
    ):
        sys.stdout.write("working\n")
        sys.stdout.flush()
        await anyio.sleep_forever()


@contextmanager
def worker(address: str, folder: Path, *vices: str) -> Generator[int]:
    """A process that executes runs; killed at the end."""
    argv = (sys.executable, "-m", "tests.engine.test_lost_lease", address, str(folder), *vices)
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"working\n"
            yield process.pid
        finally:
            process.kill()


def state_of(pid: int) -> str:
    """A letter of the system: `T` is stopped."""
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    return stat.rpartition(")")[2].split()[0]


async def until(found: Callable[[], Awaitable[bool]]) -> None:
    """Another process writes: there is nothing here to wait for."""
    with anyio.fail_after(40):
        while True:
            if await found():
                return
            await anyio.sleep(0.05)


@pytest.mark.parametrize(
    ("kind", "choice"),
    [
        ("sqlite", "skip"),
        # The control: a step that is repeated, as somebody wished, is seen to begin twice.
        pytest.param("postgresql", "retry", marks=pytest.mark.xdist_group("postgres")),
    ],
)
async def test_a_worker_stopped_past_its_lease_loses_the_run_and_stops_its_step(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str, choice: Choice
) -> None:
    address = f"sqlite:///{tmp_path / 'runs.db'}"
    if kind == "postgresql":
        server: Postgres = request.getfixturevalue("postgres")
        address = server.with_tables()
    async with open_database(address) as database:
        await migrate(database)
        engine = engine_on(database, tmp_path)
        async with engine.running():
            run = await engine.runs.start(RunRequest(GRAPH, 1))

            async def has_begun() -> bool:
                return bool(marks(tmp_path))

            async def is_uncertain() -> bool:
                return (await engine.get(run)).status == "uncertain"

            async def has_stopped() -> bool:
                return len(marks(tmp_path)) > 1

            with worker(address, tmp_path) as one:
                await until(has_begun)
                os.kill(one, signal.SIGSTOP)
                assert await engine.unfinished() == []
                await anyio.sleep(HOLD_S + 0.2)
                with worker(address, tmp_path) as other:
                    await until(is_uncertain)
                    before = await engine.journal.read(run)
                    os.kill(one, signal.SIGCONT)
                    await until(has_stopped)
                    assert marks(tmp_path) == [(one, "begin"), (one, "stopped")]
                    assert await engine.journal.read(run) == before
                    row = await database.row("SELECT holder FROM runs WHERE id = ?", run)
                    assert row is not None
                    assert f"/{other}/" in row[0]
            await engine.resolve(run, "a", choice)
            kinds = [entry.event.kind async for entry in engine.follow(run)]
    assert kinds[-1] == "finished"
    begun = sum(text == "begin" for _, text in marks(tmp_path))
    assert begun == {"skip": 1, "retry": 2}[choice]


@pytest.mark.parametrize(
    ("vices", "times"),
    [
        ((), 1),
        # The control: without the check before the effect it happens once more.
        (("unchecked",), 2),
    ],
)
async def test_a_worker_stopped_between_the_start_and_the_effect_of_a_step_does_not_begin_it(
    tmp_path: Path, vices: tuple[str, ...], times: int
) -> None:
    address = f"sqlite:///{tmp_path / 'runs.db'}"
    async with open_database(address) as database:
        await migrate(database)
        engine = engine_on(database, tmp_path)
        async with engine.running():
            with worker(address, tmp_path, "stops", *vices) as one:
                run = await engine.runs.start(RunRequest(PARALLEL, 1))

                async def is_stopped() -> bool:
                    return state_of(one) == "T"

                async def is_uncertain() -> bool:
                    return len((await engine.state(run)).uncertain) == len(QUICK)

                async def has_left() -> bool:
                    return marks(tmp_path).count((one, "left")) == len(QUICK)

                await until(is_stopped)
                with worker(address, tmp_path):
                    await until(is_uncertain)
                    for step in QUICK:  # nothing has happened, as anybody can see
                        await engine.resolve(run, step, "retry")
                    async for _ in engine.follow(run):
                        pass
                    os.kill(one, signal.SIGCONT)
                    await until(has_left)
            assert (await engine.get(run)).status == "success"
    begun = sum(text == "begin" for _, text in marks(tmp_path))
    assert begun == times * len(QUICK)


def rows(home: Path, sql: str) -> list[tuple[str, ...]]:
    """Read without the engine what processes wrote."""
    path = home / "toolweave.db"
    if not path.exists():
        return []
    connection = sqlite3.connect(path)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def wait_for(home: Path, sql: str, wanted: list[tuple[str, ...]]) -> None:
    until_s = time.monotonic() + 40
    while (found := rows(home, sql)) != wanted:
        assert time.monotonic() < until_s, found
        time.sleep(0.05)


def test_a_service_leaves_a_run_to_the_command_that_holds_it_until_that_is_killed(
    tmp_path: Path,
) -> None:
    tw = Commands(tmp_path, tmp_path)
    server = ScriptedServer(tmp_path / "server", a_tool("stuck"))
    server.on_call("stuck", [never()])
    tw.add("mine", server)
    slow = ("mcp", {"serverId": "mine", "toolName": "stuck"})
    graph = workflow({"s": "start", "slow": slow}, ["s > slow"])
    flow = tmp_path / "flow.json"
    flow.write_text(json.dumps(convert(graph, "toolweave")), encoding="utf-8")
    begun = "SELECT kind FROM journal WHERE kind = 'step_started'"
    with tw.process("run", str(flow)) as command:
        try:
            wait_for(tw.state, begun, [("step_started",)])
            held = rows(tw.state, "SELECT holder, epoch FROM runs")
            with tw.process("serve", "--port", "0", "--no-browser") as service:
                try:
                    assert service.stderr is not None
                    assert service.stderr.readline().startswith(b"listening")
                    time.sleep(0.5)  # the first thing it does is to look for runs
                    assert rows(tw.state, "SELECT holder, epoch FROM runs") == held
                    os.kill(command.pid, signal.SIGKILL)
                    wait_for(tw.state, "SELECT status FROM runs", [("uncertain",)])
                    ((holder,),) = rows(tw.state, "SELECT holder FROM runs")
                    assert f"/{service.pid}/" in holder
                    assert f"/{command.pid}/" in held[0][0]
                finally:
                    service.kill()
        finally:
            command.kill()
    assert rows(tw.state, begun) == [("step_started",)]


if __name__ == "__main__":
    anyio.run(work, sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
