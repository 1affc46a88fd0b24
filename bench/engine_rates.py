"""How many runs a second: started, started and finished on both databases, and by workers.

Wall time, so a busy machine shows in it. As a program, `engine_rates.py ADDRESS` is a worker that
begins when it is told to.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import anyio
import anyio.to_thread
from bench.engine_kinds import INPUT, chain, opened, setting
from tests.storage.postgres import Postgres, get_server

from toolweave.engine.runs import RunRequest

AT_ONCE = 8
ROOT = Path(__file__).parents[1]


@contextmanager
def postgres() -> Generator[Postgres]:
    """A server for as long as this is entered."""
    with tempfile.TemporaryDirectory(prefix="toolweave-pg-", ignore_cleanup_errors=True) as folder:
        data = Path(folder, "data")
        data.mkdir()
        server = get_server(data)
        running = Postgres(server)
        try:
            yield running
        finally:
            server.cleanup()


async def started_a_second(address: str, runs: int) -> float:
    """Runs of 50 nodes written down, several at once; nobody brings them forward."""
    graph = chain(50, lambda _: "end")
    async with opened(address) as engine:

        async def some() -> None:
            for _ in range(runs // AT_ONCE):
                await engine.runs.start(RunRequest(graph, INPUT))

        await engine.runs.start(RunRequest(graph, INPUT))
        return await _rate(some, runs)


async def finished_a_second(address: str, runs: int) -> float:
    """Runs of 50 nodes, each started and brought to its end by one process, several at once."""
    graph = chain(50, lambda _: "end")
    async with opened(address) as engine:

        async def some() -> None:
            for _ in range(runs // AT_ONCE):
                # Held, as the commands and the service do with runs they bring forward.
                status = await engine.advance(
                    await engine.runs.start(RunRequest(graph, INPUT, hold=True))
                )
                if status != "success":
                    raise RuntimeError(status)

        await engine.advance(await engine.runs.start(RunRequest(graph, INPUT)))
        return await _rate(some, runs)


async def _rate(some: Callable[[], Awaitable[None]], runs: int) -> float:
    began = time.perf_counter()
    async with anyio.create_task_group() as tasks:
        for _ in range(AT_ONCE):
            tasks.start_soon(some)
    return runs // AT_ONCE * AT_ONCE / (time.perf_counter() - began)


async def worked_a_second(address: str, workers: int, runs: int) -> float:
    """Runs that compute, started before, and brought to their end by so many processes."""
    graph = chain(50, setting)
    with ExitStack() as stack:
        processes = [stack.enter_context(_worker(address)) for _ in range(workers)]
        async with opened(address) as engine:
            for _ in range(runs):
                await engine.runs.start(RunRequest(graph, INPUT))
            began = time.perf_counter()
            for process in processes:
                assert process.stdin is not None
                process.stdin.write(b"go\n")
                process.stdin.flush()
            with anyio.fail_after(300):
                for run in await engine.newest(limit=runs):
                    async for _ in engine.follow(run.id):
                        pass
            return runs / (time.perf_counter() - began)


@contextmanager
def _worker(address: str) -> Generator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(
        [sys.executable, "-m", "bench.engine_rates", address],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield process
        finally:
            process.kill()


async def work(address: str) -> None:
    """Bring runs forward until killed."""
    async with opened(address):  # so that its own start is not measured
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await anyio.to_thread.run_sync(sys.stdin.readline)
    async with opened(address, drives_runs=True):
        await anyio.sleep_forever()


if __name__ == "__main__":
    anyio.run(work, sys.argv[1])
