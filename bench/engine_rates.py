"""How many runs a second: started and finished on both databases, by workers, over a webhook.

Wall time, so a busy machine shows in it. As a program, `engine_rates.py ADDRESS` is a worker that
begins when it is told to.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.to_thread
import httpx2
from bench.engine_kinds import INPUT, chain, opened, setting
from tests.engine.triggers.hosting import hosting, node, trigger
from tests.engine.triggers.test_process import serving
from tests.storage.postgres import Postgres, get_server

AT_ONCE = 8
# With those to warm up, twice as many stay below the burst of 200 that the service lets through.
MAX_DELIVERIES = 90
ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Webhook:
    """A stored, finished run of 50 nodes over HTTP."""

    p50_ms: float
    runs_a_second: float


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


async def finished_a_second(address: str, runs: int) -> float:
    """Runs of 50 nodes, each started and brought to its end by one process, several at once."""
    graph = chain(50, lambda _: "end")
    async with opened(address) as engine:

        async def some() -> None:
            for _ in range(runs // AT_ONCE):
                status = await engine.advance(await engine.start(graph, INPUT))
                if status != "success":
                    raise RuntimeError(status)

        await engine.advance(await engine.start(graph, INPUT))
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
                await engine.start(graph, INPUT)
            began = time.perf_counter()
            for process in processes:
                assert process.stdin is not None
                process.stdin.write(b"go\n")
                process.stdin.flush()
            with anyio.fail_after(300):
                for run in await engine.runs(limit=runs):
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
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await anyio.to_thread.run_sync(sys.stdin.readline)
    async with opened(address, keeps_time=True):
        await anyio.sleep_forever()


def over_a_webhook(requests: int) -> Webhook:
    """`toolweave serve` and a client that waits for the result of each delivery."""
    requests = min(requests, MAX_DELIVERIES)
    with tempfile.TemporaryDirectory(prefix="toolweave-hook-") as folder:
        home = Path(folder, "home")
        anyio.run(_with_webhook, home)
        with serving(home) as (url, _), httpx2.Client(timeout=60) as client:

            def deliver(number: int) -> float:
                began = time.perf_counter()
                answer = client.post(f"{url}/hooks/bench?wait=30", json={"n": number})
                if answer.status_code != 200 or answer.json()["status"] != "success":
                    raise RuntimeError(answer.text)
                return (time.perf_counter() - began) * 1e3

            for number in range(10):
                deliver(number)
            one_by_one = [deliver(number) for number in range(requests)]
            began = time.perf_counter()
            with ThreadPoolExecutor(AT_ONCE) as threads:
                list(threads.map(deliver, range(requests)))
            took_s = time.perf_counter() - began
    return Webhook(statistics.median(one_by_one), requests / took_s)


async def _with_webhook(home: Path) -> None:
    nodes = [node(f"n{index}") for index in range(49)]
    async with hosting(home) as host:
        await host.enable("Bench", trigger("WEBHOOK", webhook_path="/bench"), *nodes)


if __name__ == "__main__":
    anyio.run(work, sys.argv[1])
