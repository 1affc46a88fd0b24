"""A run of 50 nodes over a webhook, to its result: the same clients for us and for others.

One by one for the time each takes, then several at once for how many a second; beside both, what
the server's processes used of the processor, which a busy machine changes least.
"""

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import psutil
from tests.triggers.hosting import hosting, node, trigger

NODES = 50
AT_ONCE = 8
WARM_UP = 100
START_S = 120
ROOT = Path(__file__).parents[1]
# By default an address is let through 50 times a second; here the server shall be the limit.
UNLIMITED = {"TOOLWEAVE_RATE_PER_S": "1000000", "TOOLWEAVE_BURST": "1000000"}
SERVE = (sys.executable, "-m", "toolweave.cli.main", "serve", "--port", "0", "--no-browser")

# Whether an answer is what it should be.
IsRight = Callable[[int, object], bool]


@dataclass(frozen=True, slots=True)
class Load:
    """What came of many deliveries."""

    p50_ms: float
    p95_ms: float
    runs_a_second: float
    # The server's own, of deliveries that come several at once.
    cpu_ms: float


@contextmanager
def started(argv: Sequence[str], environ: Mapping[str, str], log: Path) -> Generator[int]:
    """A server from its start to its end; its process."""
    with (
        log.open("wb") as output,
        subprocess.Popen(
            argv, stdout=output, stderr=output, cwd=ROOT, env=environ, start_new_session=True
        ) as process,
    ):
        family = [psutil.Process(process.pid)]
        try:
            yield process.pid
        finally:
            family += family[0].children(recursive=True)
            for one in reversed(family):
                one.kill()


def measured(url: str, process: int, deliveries: int, is_right: IsRight) -> Load:
    """How a server does that answers each delivery with the result of its run."""

    def one_after_the_other(numbers: Sequence[int]) -> list[float]:
        client = Client(url, is_right)
        try:
            return [client.deliver(number) for number in numbers]
        finally:
            client.close()

    one_after_the_other(range(WARM_UP))
    alone = sorted(one_after_the_other(range(deliveries)))
    shares = [range(first, deliveries, AT_ONCE) for first in range(AT_ONCE)]
    used_s, began = _cpu_s(process), time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as threads:
        list(threads.map(one_after_the_other, shares))
    took_s, used_s = time.perf_counter() - began, _cpu_s(process) - used_s
    p95 = alone[min(deliveries * 95 // 100, deliveries - 1)]
    each_ms = used_s * 1e3 / deliveries
    return Load(statistics.median(alone), p95, deliveries / took_s, each_ms)


class Client:
    """One kept connection, of the standard library: little of the time is its own."""

    def __init__(self, url: str, is_right: IsRight) -> None:
        parts = urlsplit(url)
        self._path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        self._connection = http.client.HTTPConnection(parts.netloc, timeout=60)
        self._is_right = is_right

    def deliver(self, number: int) -> float:
        """One delivery and its answer, in milliseconds."""
        body = json.dumps({"n": number})
        began = time.perf_counter()
        self._connection.request("POST", self._path, body, {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        text = answer.read()
        took_ms = (time.perf_counter() - began) * 1e3
        if answer.status != 200 or not self._is_right(number, json.loads(text)):
            raise RuntimeError(f"{answer.status}: {text[:500]!r}")
        return took_ms

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


def _cpu_s(process: int) -> float:
    first = psutil.Process(process)
    times = [one.cpu_times() for one in (first, *first.children(recursive=True))]
    return sum(one.user + one.system for one in times)


def plain_environ(**more: str) -> dict[str, str]:
    """Our environment without settings of ours."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TOOLWEAVE_")}
    return kept | more


def ours(deliveries: int) -> Load:
    """`toolweave serve` on SQLite, every run stored."""
    with tempfile.TemporaryDirectory(prefix="toolweave-hook-") as folder:
        home = Path(folder, "home")
        anyio.run(_prepare, home)
        log = Path(folder, "serve.log")
        environ = plain_environ(TOOLWEAVE_HOME=str(home), HOME=folder, **UNLIMITED)
        with started(SERVE, environ, log) as process:
            url = _said(log, process).split()[2].decode()
            return measured(f"{url}/hooks/bench?wait=30", process, deliveries, _is_ours)


async def _prepare(home: Path) -> None:
    # What passes on what comes in and does nothing else, as n8n's NoOp.
    nodes = [node(f"n{index}", "start") for index in range(NODES - 2)]
    nodes.append(node("end"))
    async with hosting(home) as host:
        await host.enable("Bench", trigger("WEBHOOK", webhook_path="/bench"), *nodes)


def _is_ours(number: int, answer: object) -> bool:
    match answer:
        case {"status": "success", "result": {"body": {"n": found}}}:
            return found == number
        case _:
            return False


def _said(log: Path, process: int) -> bytes:
    """The first line of a server that says where it listens."""
    until = time.monotonic() + START_S
    while b"\n" not in (said := log.read_bytes()):
        if time.monotonic() > until or not psutil.pid_exists(process):
            raise RuntimeError(f"the server does not start: {said!r}")
        time.sleep(0.05)
    return said
