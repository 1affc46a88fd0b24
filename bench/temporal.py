"""What Temporal as the run backend costs: `python -m bench.temporal` from the root.

CPU of all processes together (workers, this one, Postgres, the Temporal server), for the same runs
on the local backend and on Temporal, on the same Postgres. `--quick` shows that it works.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import anyio
import psutil
from bench.fault_postgres import a_server
from bench.table import Row, table
from temporalio.client import Client
from tests.engine.building import workflow
from tests.engine.laborer import GRAPH, Marks, engine_on, laborer
from tests.engine.temporal_server import TemporalServer, a_temporal_server
from tests.storage.postgres import Postgres

from toolweave.engine.engine import Engine
from toolweave.engine.runs import RunRequest
from toolweave.storage.database import open_database
from toolweave.storage.migrations import migrate
from toolweave.workflow.model import Workflow

LEASE_S = 10
LOCAL = ""


@dataclass(frozen=True, slots=True)
class Size:
    """How much is done."""

    short: int = 60
    long: int = 6
    slow: int = 40
    waiting: int = 500
    watch_s: float = 20.0


QUICK = Size(short=3, long=1, slow=4, waiting=5, watch_s=2.0)


@dataclass(frozen=True, slots=True)
class Fleet:
    """An engine that starts runs, and the processes that have a part in them."""

    engine: Engine
    workers: tuple[int, ...]
    servers: tuple[int, ...]

    def cpu_s(self) -> float:
        """CPU of all processes so far."""
        pids = (*self.workers, *self.servers)
        return time.process_time() + sum(cpu_of(pid) for pid in pids)


def cpu_of(pid: int) -> float:
    """CPU of a process, and of its children, living and dead."""
    process = psutil.Process(pid)
    times = [one.cpu_times() for one in (process, *process.children(recursive=True))]
    return sum(one.user + one.system for one in times) + sum(
        one.children_user + one.children_system for one in times[:1]
    )


@asynccontextmanager
async def fleet(
    postgres: Postgres, temporal: TemporalServer, backend: str, workers: int
) -> AsyncGenerator[Fleet]:
    """Workers on a database of their own."""
    address = postgres.new_database()
    async with AsyncExitStack() as stack, open_database(address) as database:
        await migrate(database)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="toolweave-")))
        hired = [
            stack.enter_context(laborer(address, folder, LEASE_S, backend=backend))
            for _ in range(workers)
        ]
        engine = engine_on(database, Marks(folder), LEASE_S, backend=backend)
        await stack.enter_async_context(engine.running())
        yield Fleet(engine, tuple(one.pid for one in hired), (postgres.pid, temporal.pid))


def chain(length: int) -> Workflow:
    """So many durable steps that do nothing."""
    names = [f"n{number}" for number in range(length)]
    links = [f"{one} > {other}" for one, other in pairwise(names)]
    return workflow({"s": "start", **dict.fromkeys(names, "once")}, ["s > n0", *links])


async def done(there: Fleet, graph: Workflow, runs: int) -> tuple[float, float]:
    """CPU and time of one run, of several that are started at once."""
    await until_ended(there, [await there.engine.runs.start(RunRequest(graph, {}))])
    cpu, began = there.cpu_s(), time.monotonic()
    started = [await there.engine.runs.start(RunRequest(graph, {"n": n})) for n in range(runs)]
    await until_ended(there, started)
    return (there.cpu_s() - cpu) / runs, (time.monotonic() - began) / runs


async def until_ended(there: Fleet, runs: list[str]) -> None:
    for run in runs:
        async for _ in there.engine.follow(run):
            pass


async def overhead_rows(postgres: Postgres, temporal: TemporalServer, size: Size) -> list[Row]:
    """The same runs on both backends."""
    found: dict[int, float] = {}
    rows: list[Row] = []
    for length, runs in ((5, size.short), (500, size.long)):
        cpu: list[float] = []
        for backend in (LOCAL, temporal.address(lease_s=LEASE_S, queue=f"cost{length}")):
            async with fleet(postgres, temporal, backend, 1) as there:
                cpu.append((await done(there, chain(length), runs))[0] * 1e3)
        found[length] = cpu[1] - cpu[0]
        rows.append(Row(f"a run of {length} steps, CPU", cpu[1], cpu[0], "ms", "local backend"))
        what = f"overhead of a run of {length} steps, CPU"
        rows.append(Row(what, found[length], 110, "ms", "the issue's target", 1))
    return rows


async def slow_row(postgres: Postgres, temporal: TemporalServer, size: Size) -> Row:
    """Runs whose steps take time, with one worker and with two."""
    rates: list[float] = []
    for workers in (1, 2):
        backend = f"{temporal.address(lease_s=LEASE_S, queue=f'slow{workers}')}&runs=4"
        async with fleet(postgres, temporal, backend, workers) as there:
            rates.append(1 / (await done(there, GRAPH, size.slow))[1])
    return Row("slow runs, two workers", rates[1], rates[0], "/s", "one worker", at_least=1.8)


async def waiting_row(postgres: Postgres, temporal: TemporalServer, size: Size) -> Row:
    """What a worker spends while runs wait for a year."""
    graph = workflow({"s": "start", "year": "once"}, ["s > year"])
    backend = temporal.address(lease_s=LEASE_S, queue="waiting")
    async with fleet(postgres, temporal, backend, 1) as there:
        client = await Client.connect(temporal.target)
        for run in [
            await there.engine.runs.start(RunRequest(graph, {})) for _ in range(size.waiting)
        ]:
            handle = client.get_workflow_handle(run)
            # Shown by Temporal after the last thing that is to be done for the run.
            while await (await handle.describe()).memo_value("status") != "waiting":  # noqa: ASYNC110
                await anyio.sleep(0.2)
        cpu = sum(map(cpu_of, there.workers))
        await anyio.sleep(size.watch_s)
        spent = (sum(map(cpu_of, there.workers)) - cpu) / size.watch_s * 100
    what = f"a worker while {size.waiting:,} runs wait, CPU"
    return Row(what, spent, 1, "%", "of one core", 1)


async def rows_of(size: Size) -> list[Row]:
    """Every line."""
    with (
        tempfile.TemporaryDirectory(prefix="toolweave-") as name,
        a_server() as postgres,
        a_temporal_server(Path(name)) as temporal,
    ):
        postgres.trust_the_machine()
        return [
            *await overhead_rows(postgres, temporal, size),
            await slow_row(postgres, temporal, size),
            await waiting_row(postgres, temporal, size),
        ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    size = QUICK if parser.parse_args().quick else Size()
    sys.stdout.write(table(anyio.run(rows_of, size)) + "\n")


if __name__ == "__main__":
    main()
