"""Several `toolweave worker` processes on one Postgres: a killed one's runs go on with another."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest
from tests.engine.building import workflow
from tests.storage.postgres import Postgres

from toolweave.clock import SystemClock
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.events import RunStatus
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.json_text import JsonObject
from toolweave.nodes.registry import NodeRegistry
from toolweave.storage.database import open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.unchecked import Unchecked
from toolweave.tools.tool import ToolCall, ToolResult

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("postgres")]

PROGRAM = (sys.executable, "-m", "toolweave.cli.main")
SLOW: JsonObject = {
    "serverId": "demo",
    "toolName": "countdown",
    "parameterValues": {"start": 40, "step_delay_s": 0.5},
    "parameters": [],
}


class NoTools:
    """This process only starts runs; workers call the tools."""

    async def call(self, call: ToolCall, *, on_progress: object = None) -> ToolResult:
        raise AssertionError(call)


@contextmanager
def worker(environ: dict[str, str]) -> Generator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [*PROGRAM, "worker"], env=environ, stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stderr is not None
    with process, process.stderr:
        try:
            assert process.stderr.readline() == b"working\n"
            yield process
        finally:
            process.kill()


async def until(engine: Engine, run: str, *wanted: RunStatus) -> str | None:
    """Who holds the run once it has one of these statuses."""
    with anyio.fail_after(40):
        while True:  # another process writes: there is nothing here to wait for
            if (await engine.get(run)).status in wanted:
                return await holder_of(engine, run)
            await anyio.sleep(0.05)


async def holder_of(engine: Engine, run: str) -> str | None:
    row = await engine.journal.database.row("SELECT holder FROM runs WHERE id = ?", run)
    return None if row is None else row[0]


async def held_by(engine: Engine, run: str) -> int:
    """The process that runs the first slow step."""
    with anyio.fail_after(40):
        async for entry in engine.follow(run):
            if entry.event.kind == "step_started":
                break
    holder = await holder_of(engine, run)
    assert holder is not None
    return int(holder.split("/")[1])


async def test_a_killed_workers_run_goes_to_another_and_nothing_is_repeated(
    postgres: Postgres, tmp_path: Path
) -> None:
    address = postgres.with_tables()
    environ = os.environ | {"TOOLWEAVE_DATABASE": address, "TOOLWEAVE_HOME": str(tmp_path)}
    for words in (["add", "demo", "--", *PROGRAM, "demo-server"], ["approve", "demo", "--yes"]):
        await anyio.run_process([*PROGRAM, "servers", *words], env=environ)
    graph = workflow({"s": "start", "slow": ("mcp", SLOW), "e": "end"}, ["s > slow", "slow > e"])
    async with open_database(address) as database:
        await migrate(database)
        clock = SystemClock()
        services = EngineServices(NoTools(), clock)
        engine = Engine(
            database,
            Journal(database, clock),
            NodeRegistry(),
            services=services,
            checker=Unchecked(),
        )
        async with engine.running():
            with worker(environ) as one, worker(environ) as other:
                run = await engine.runs.start(RunRequest(graph, {}))
                held = await held_by(engine, run)
                assert held in {one.pid, other.pid}
                os.kill(held, signal.SIGKILL)
                # The call had begun and nobody knows how it ended: a person has to say.
                taker = await until(engine, run, "uncertain")
                assert taker is not None
                assert int(taker.split("/")[1]) in {one.pid, other.pid} - {held}
                await engine.resolve(run, "slow", "skip")
                await until(engine, run, "success")
    kinds = [entry for entry in await _kinds(address, run) if entry == "step_started"]
    assert len(kinds) == 1


async def _kinds(address: str, run: str) -> list[str]:
    async with open_database(address) as database:
        rows = await database.rows("SELECT kind FROM journal WHERE run = ? ORDER BY seq", run)
    return [str(row[0]) for row in rows]
