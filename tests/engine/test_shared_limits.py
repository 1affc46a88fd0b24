"""Limits of servers and workflows hold across real worker processes on one Postgres."""

import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import anyio
import pytest
from tests.engine.building import workflow
from tests.engine.test_workers import PROGRAM, NoTools, until
from tests.servers.rooms import eventually
from tests.storage.postgres import Postgres

from toolweave.clock import SystemClock
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.events import StepProgress
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.registry import NodeRegistry
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.unchecked import Unchecked

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("postgres")]

SERVER = Path(__file__).parents[1] / "servers" / "effect_server.py"
WORKERS = 3


class Fleet:
    """Some workers, an engine that only starts runs, and what the effects marked."""

    def __init__(self, engine: Engine, database: Database, folder: Path) -> None:
        self.engine = engine
        self.database = database
        self.folder = folder
        self.workers: dict[int, subprocess.Popen[bytes]] = {}

    async def start(self, number: int, **arguments: Json) -> list[str]:
        call: JsonObject = {
            "serverId": "effect",
            "toolName": "effect",
            "parameterValues": arguments,
            "parameters": [],
        }
        graph = workflow({"s": "start", "a": ("mcp", call), "e": "end"}, ["s > a", "a > e"])
        return [await self.engine.runs.start(RunRequest(graph, {})) for _ in range(number)]

    def marks(self) -> list[tuple[str, float]]:
        path = self.folder / "marks"
        lines = path.read_text().splitlines() if path.exists() else []
        return [(line.split()[1], float(line.split()[2])) for line in lines]

    def under_way(self) -> int:
        return self._most(self.marks())[0]

    def most(self) -> int:
        """How many effects were under way at the same time, at most."""
        return self._most(self.marks())[1]

    def _most(self, marks: list[tuple[str, float]]) -> tuple[int, int]:
        now = most = 0
        for what, _ in marks:
            now += 1 if what == "begin" else -1
            most = max(most, now)
        return now, most

    def begin_again(self) -> None:
        (self.folder / "marks").unlink(missing_ok=True)
        (self.folder / "open").unlink(missing_ok=True)

    def open(self) -> None:
        """Let every effect end."""
        (self.folder / "open").touch()


@contextmanager
def worker(environ: dict[str, str]) -> Generator[subprocess.Popen[bytes]]:
    words = [*PROGRAM, "worker"]
    with subprocess.Popen(words, env=environ, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        try:
            yield process
        finally:
            process.kill()


@asynccontextmanager
async def a_fleet(
    postgres: Postgres, folder: Path, *limits: str, **environ: str
) -> AsyncGenerator[Fleet]:
    address = postgres.with_tables()
    variables = os.environ | {"TOOLWEAVE_DATABASE": address, "TOOLWEAVE_HOME": str(folder)}
    variables |= {"TOOLWEAVE_LOCKFILE": str(folder / "toolweave.lock.json"), **environ}
    command = (sys.executable, str(SERVER), str(folder))
    for words in (
        ["add", "effect", "--", *command],
        ["approve", "effect", "--yes"],
        *([["limit", "effect", *limits]] if limits else []),
    ):
        await anyio.run_process([*PROGRAM, "servers", *words], env=variables)
    async with open_database(address) as database:
        await migrate(database)
        clock = SystemClock()
        engine = Engine(
            database,
            Journal(database, clock),
            NodeRegistry(),
            services=EngineServices(NoTools(), clock),
            checker=Unchecked(),
        )
        fleet = Fleet(engine, database, folder)
        with ExitStack() as stack:
            started = [stack.enter_context(worker(variables)) for _ in range(WORKERS)]
            for process in started:
                assert process.stderr is not None
                assert process.stderr.readline() == b"working\n"
            fleet.workers = {process.pid: process for process in started}
            async with engine.running():
                yield fleet


async def test_a_servers_limits_hold_across_workers_and_a_killed_holder_frees_its_slot(
    postgres: Postgres, tmp_path: Path
) -> None:
    async with a_fleet(postgres, tmp_path, "--concurrent", "2", "--per-second", "5") as fleet:
        engine = fleet.engine
        runs = await fleet.start(7)
        await eventually(lambda: fleet.under_way() == 2)

        async def waiting() -> list[str]:
            """The runs whose journal says that a step waits, and for what."""
            rows = await fleet.database.rows(
                "SELECT run FROM journal WHERE kind = ? AND body LIKE ?",
                *(StepProgress.kind, "%waits for a free slot of server 'effect'%"),
            )
            return [str(row[0]) for row in rows]

        async def five_wait() -> bool:
            return len(set(await waiting())) >= 5  # one that began may have waited for the rate

        await eventually(five_wait)
        held = await fleet.database.rows("SELECT holder FROM limit_holds")
        assert len(held) == 2
        begun = await fleet.database.rows("SELECT run FROM journal WHERE kind = 'step_started'")
        assert len(begun) == 7
        # The worker that has a slot is killed: its step is uncertain, and its slot is free.
        killed = int(held[0][0].split("/")[1])
        os.kill(killed, signal.SIGKILL)
        fleet.workers[killed].wait()
        fleet.open()
        for run in runs:
            await until(engine, run, "success", "uncertain")
        statuses = [(await engine.get(run)).status for run in runs]
        assert "uncertain" in statuses
        ended = sum(what == "end" for what, _ in fleet.marks())
        assert ended == statuses.count("success")
        # Those of the killed worker have no end, so that they seem to be under way for ever.
        lost = fleet.under_way()
        assert 1 <= lost <= 2
        assert fleet.most() <= 2 + lost

        # Both slots are free again, and one that waits for them can be cancelled.
        fleet.begin_again()
        more = await fleet.start(2)
        await eventually(lambda: fleet.under_way() == 2)
        (third,) = await fleet.start(1)

        async def third_waits() -> bool:
            return third in await waiting()

        await eventually(third_waits)
        await engine.cancel(third)
        await until(engine, third, "cancelled")
        fleet.open()
        for run in more:
            await until(engine, run, "success")
        assert sum(what == "begin" for what, _ in fleet.marks()) == 2

        fleet.begin_again()
        for run in await fleet.start(8, seconds=0.01):
            await until(engine, run, "success")
        begins = [at for what, at in fleet.marks() if what == "begin"]
        assert len(begins) == 8
        # A slow machine makes it longer, never shorter.
        assert max(begins) - min(begins) > 7 / 5 - 0.3


async def test_the_limit_of_one_process_is_exceeded_by_several(
    postgres: Postgres, tmp_path: Path
) -> None:
    """The control of the tests above: a limit that each worker counts for itself."""
    async with a_fleet(postgres, tmp_path, TOOLWEAVE_CONCURRENT_CALLS="2") as fleet:
        await fleet.start(12)
        await eventually(lambda: fleet.under_way() > 2)
