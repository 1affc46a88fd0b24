"""What Temporal as the run backend costs: `python -m bench.temporal` from the root.

CPU of all processes together (workers, this one, Postgres, the Temporal server), for the same runs
on the local backend and on Temporal, on the same Postgres, in turns: the median of the differences
counts. `--quick` shows that it works.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from statistics import median
from subprocess import PIPE, Popen

import anyio
import psutil
from bench.fault_postgres import a_server
from bench.table import Row, table
from bench.temporal_activities import ACTIVITY_QUEUE, CHAIN
from temporalio.client import Client
from tests.engine.building import workflow
from tests.engine.laborer import GRAPH, Marks, engine_on, laborer
from tests.engine.temporal_server import TemporalServer, a_temporal_server
from tests.engine.test_many import make_waiting
from tests.storage.postgres import Postgres

from toolweave.engine.engine import Engine
from toolweave.engine.runs import RunRequest
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate
from toolweave.workflow.model import Workflow

LEASE_S = 10
LOCAL = ""
# Of the run that is long.
STEPS = 500


@dataclass(frozen=True, slots=True)
class Size:
    """How much is done."""

    # Turns, and runs of five steps in each; of 500 steps there is one.
    turns: int = 9
    short: int = 6
    # Slow runs, and how many times as long as in tests their steps take.
    slow: int = 32
    pace: float = 15.0
    # Runs that wait, and how many of them Temporal has, too.
    waiting: int = 10_000
    placed: int = 100
    watch_s: float = 60.0
    activities: int = 50


QUICK = Size(turns=1, short=1, slow=4, pace=0.5, waiting=50, placed=3, watch_s=2.0, activities=2)


@dataclass(frozen=True, slots=True)
class Fleet:
    """An engine that starts runs, and the processes that have a part in them."""

    engine: Engine
    database: Database
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
    postgres: Postgres, temporal: TemporalServer, backend: str, workers: int, pace: float = 1.0
) -> AsyncGenerator[Fleet]:
    """Workers on a database of their own."""
    address = postgres.new_database()
    async with AsyncExitStack() as stack, open_database(address) as database:
        await migrate(database)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="toolweave-")))
        os.environ["LABORER_PACE"] = str(pace)
        hired = [
            stack.enter_context(laborer(address, folder, LEASE_S, backend=backend))
            for _ in range(workers)
        ]
        engine = engine_on(database, Marks(folder), LEASE_S, backend=backend)
        await stack.enter_async_context(engine.running())
        servers = (postgres.pid, temporal.pid)
        yield Fleet(engine, database, tuple(one.pid for one in hired), servers)


def chain(length: int) -> Workflow:
    """So many durable steps that do nothing."""
    names = [f"n{number}" for number in range(length)]
    links = [f"{one} > {other}" for one, other in pairwise(names)]
    return workflow({"s": "start", **dict.fromkeys(names, "once")}, ["s > n0", *links])


async def cpu_of_runs(there: Fleet, graph: Workflow, runs: int) -> float:
    """CPU of one run in milliseconds, of several that follow each other."""
    before = there.cpu_s()
    for number in range(runs):
        await until_ended(there, [await there.engine.runs.start(RunRequest(graph, {"n": number}))])
    return (there.cpu_s() - before) / runs * 1e3


async def until_ended(there: Fleet, runs: list[str]) -> None:
    for run in runs:
        async for _ in there.engine.follow(run):
            pass


async def overhead_rows(postgres: Postgres, temporal: TemporalServer, size: Size) -> list[Row]:
    """The same runs on both backends, in turns."""
    rows: list[Row] = []
    backend = temporal.address(lease_s=LEASE_S, queue="cost")
    async with (
        fleet(postgres, temporal, LOCAL, 1) as local,
        fleet(postgres, temporal, backend, 1) as placed,
    ):
        for length, runs in ((5, size.short), (STEPS, 1)):
            graph = chain(length)
            for there in (local, placed):  # the first of each is not counted
                await cpu_of_runs(there, graph, 1)
            turns = [
                (await cpu_of_runs(local, graph, runs), await cpu_of_runs(placed, graph, runs))
                for _ in range(size.turns)
            ]
            ours, theirs = median(one for one, _ in turns), median(other for _, other in turns)
            what = f"a run of {length} steps, CPU"
            rows.append(Row(what, theirs, ours, "ms", "local backend"))
            added = median(other - one for one, other in turns)
            rows.append(Row(f"overhead of {what}", added, 110, "ms", "target", 1))
            if length == STEPS:
                each = Row("a durable step, local on Postgres, CPU", ours / length, 1, "ms", "", 1)
                rows.append(each)
    return rows


async def slow_row(postgres: Postgres, temporal: TemporalServer, size: Size) -> Row:
    """Runs whose steps sleep, with one worker and with two: how they are placed, not computed."""
    rates: list[float] = []
    for workers in (1, 2):
        backend = f"{temporal.address(lease_s=LEASE_S, queue=f'slow{workers}')}&runs=4"
        async with fleet(postgres, temporal, backend, workers, size.pace) as there:
            began = time.monotonic()
            runs = [
                await there.engine.runs.start(RunRequest(GRAPH, {"n": number}))
                for number in range(size.slow)
            ]
            await until_ended(there, runs)
            rates.append(size.slow / (time.monotonic() - began))
    return Row("slow runs, two workers", rates[1], rates[0], "/s", "one worker", at_least=1.8)


async def waiting_row(postgres: Postgres, temporal: TemporalServer, size: Size) -> Row:
    """What a worker spends while runs wait for months.

    To place all of them takes a quarter of an hour of CPU, so that only some have a workflow in
    Temporal; the worker has nothing of a workflow that waits.
    """
    graph = workflow({"s": "start", "year": "once"}, ["s > year"])
    backend = temporal.address(lease_s=LEASE_S, queue="waiting")
    async with fleet(postgres, temporal, backend, 1) as there:
        client = await Client.connect(temporal.target)
        runs = [await there.engine.runs.start(RunRequest(graph, {})) for _ in range(size.placed)]
        for run in runs:
            handle = client.get_workflow_handle(run)
            # Shown by Temporal after the last thing that is to be done for the run.
            while await (await handle.describe()).memo_value("status") != "waiting":  # noqa: ASYNC110
                await anyio.sleep(0.2)
        await make_waiting(there.database, runs[0], datetime.now(UTC), size.waiting - size.placed)
        cpu = sum(map(cpu_of, there.workers))
        await anyio.sleep(size.watch_s)
        spent = (sum(map(cpu_of, there.workers)) - cpu) / size.watch_s * 100
    what = f"a worker while {size.waiting:,} runs wait, CPU"
    return Row(what, spent, 1, "%", "of one core", 1)


async def activity_row(temporal: TemporalServer, size: Size) -> Row:
    """The same chain as a Temporal activity per step, to show why a run here is one activity."""
    argv = (sys.executable, "-m", "bench.temporal_activities", temporal.target)
    with Popen(argv, stdout=PIPE) as process:  # noqa: ASYNC220  # a moment
        assert process.stdout is not None
        assert process.stdout.readline() == b"working\n"
        client = await Client.connect(temporal.target)
        spent: list[float] = []
        for steps in (1, size.activities + 1):
            before = time.process_time() + cpu_of(process.pid) + cpu_of(temporal.pid)
            await client.execute_workflow(
                CHAIN, steps, id=f"chain-{steps}", task_queue=ACTIVITY_QUEUE
            )
            after = time.process_time() + cpu_of(process.pid) + cpu_of(temporal.pid)
            spent.append(after - before)
        process.kill()
    each = (spent[1] - spent[0]) / size.activities * 1e3
    return Row("a step that is a Temporal activity, CPU", each, 1, "ms", "the target of a step")


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
            await activity_row(temporal, size),
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
