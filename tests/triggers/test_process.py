"""A webhook to a real process: to the result and back, and through a kill in the middle."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import anyio
import httpx2
from tests.triggers.hosting import Host, catalog, hosting, node, trigger

from toolweave.engine.run_table import RunRecord

PROGRAM = (
    *(sys.executable, "-m", "toolweave.cli.main", "serve"),
    *("--port", "0", "--no-browser"),
)
ROOT = Path(__file__).parents[2]

Work = Callable[[Host], Awaitable[None]]


@contextmanager
def serving(home: Path, **settings: str) -> Generator[tuple[str, subprocess.Popen[bytes]]]:
    """A process on this home, and where it listens."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TOOLWEAVE_")}
    environ = kept | {"TOOLWEAVE_HOME": str(home), "HOME": str(home.parent)} | settings
    log = home / "serve.log"
    with (
        log.open("wb") as stderr,
        subprocess.Popen(PROGRAM, stderr=stderr, cwd=ROOT, env=environ) as process,
    ):
        try:
            while b"\n" not in (said := log.read_bytes()):
                assert process.poll() is None, said
                time.sleep(0.02)  # leaves it the processor
            yield said.split()[2].decode(), process
        finally:
            process.kill()


def prepared(home: Path, *, delay_s: int) -> None:
    """A home whose webhook is on."""

    async def prepare(host: Host) -> None:
        nodes = [trigger("WEBHOOK", webhook_path="/orders"), node("end")]
        if delay_s:
            nodes.insert(1, catalog("later", "FLOW.DELAY", duration_seconds=delay_s))
        await host.enable("Orders", *nodes)

    anyio.run(_with_host, home, prepare)


def runs_of(home: Path) -> list[RunRecord]:
    found: list[RunRecord] = []

    async def look(host: Host) -> None:
        found.extend(await host.runs())

    anyio.run(_with_host, home, look)
    return found


async def _with_host(home: Path, work: Work) -> None:
    async with hosting(home) as host:
        await work(host)


def deliver(url: str, number: int, wait_s: int = 0) -> str | None:
    """The run of a delivery; nothing where the process did not answer."""
    try:
        answer = httpx2.post(
            f"{url}/hooks/orders",
            params={"wait": wait_s} if wait_s else {},
            json={"order": number},
            headers={"idempotency-key": f"order-{number}"},
            timeout=30,
        )
    except httpx2.TransportError:
        return None
    assert answer.status_code in {200, 202}, answer.text
    return str(answer.json()["run_id"])


def test_a_webhook_gets_the_result_of_its_run(tmp_path: Path) -> None:
    home = tmp_path / "home"
    prepared(home, delay_s=0)
    with serving(home) as (url, _):
        answer = httpx2.post(f"{url}/hooks/orders?wait=20", json={"order": 7}, timeout=30)
    assert answer.status_code == 200, answer.text
    assert answer.json()["status"] == "success"
    assert answer.json()["result"]["body"] == {"order": 7}


def test_a_kill_after_a_delivery_loses_no_run_and_doubles_none(tmp_path: Path) -> None:
    home, numbers = tmp_path / "home", range(12)
    prepared(home, delay_s=2)
    with serving(home) as (url, process), ThreadPoolExecutor(6) as threads:
        first = threads.submit(deliver, url, 0).result()
        answers = [threads.submit(deliver, url, number) for number in numbers[1:]]
        os.kill(process.pid, signal.SIGKILL)
        acknowledged = {0: first} | {
            number: answer.result() for number, answer in zip(numbers[1:], answers, strict=True)
        }
    cut_off = {run.id: run.status for run in runs_of(home)}
    assert first in cut_off
    assert "success" not in cut_off.values()  # the delay outlives the process
    with serving(home) as (url, _), ThreadPoolExecutor(6) as threads:
        # A sender without an answer sends again, and so does who got one.
        again = list(threads.map(partial(deliver, url, wait_s=20), numbers))
    for number, run in acknowledged.items():
        assert run in {None, again[number]}
    found = runs_of(home)
    assert sorted(run.id for run in found) == sorted(map(str, again))
    assert {run.status for run in found} == {"success"}
