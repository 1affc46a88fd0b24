"""How soon runs continue after the studio was killed: wall time, and CPU of the new process.

Runs are chains of short waits, so that each of them writes to its journal again and again. A run
has resumed when its journal has grown since the kill. `spinners` keep the machine busy meanwhile.
"""

import json
import sqlite3
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil

RUNS = 20
WAITS = 400
WAIT_S = 0.3
DEADLINE_S = 60.0
SPIN = "while True: pass"


def document() -> dict[str, Any]:
    """A start and many short waits."""
    names = [f"w{number}" for number in range(WAITS)]
    settings = {"subtype": "DELAY", "configurations": {"duration_seconds": WAIT_S}}
    waits = [{"id": name, "type": "FLOW", "name": name, "data": settings} for name in names]
    edges = [
        {"id": f"e{number}", "from": one, "to": other}
        for number, (one, other) in enumerate(pairwise(["start", *names]))
    ]
    start: dict[str, Any] = {"id": "start", "type": "start", "name": "Start", "data": {}}
    return {"id": "waits", "name": "waits", "nodes": [start, *waits], "connections": edges}


def start_runs(url: str, state: Path) -> None:
    """Start all runs in a running studio."""
    key = (state / "studio.key").read_text().strip()
    body = json.dumps({"document": document(), "inputs": {}}).encode()
    headers = {"X-API-Key": key, "Content-Type": "application/json"}
    for _ in range(RUNS):
        request = urllib.request.Request(f"{url}/api/v1/runs", body, headers)
        with urllib.request.urlopen(request, timeout=DEADLINE_S) as answer:
            assert answer.status in {200, 201, 202}


def lengths(state: Path) -> dict[str, int]:
    """How long the journal of each run is."""
    with sqlite3.connect(f"file:{state}/toolweave.db?mode=ro", uri=True) as database:
        return dict(database.execute("SELECT id, seq FROM runs WHERE finished_at IS NULL"))


def until_grown(state: Path, before: Mapping[str, int], least: int = 1) -> None:
    """Wait until every journal has grown."""
    until = time.monotonic() + DEADLINE_S
    while True:
        now = lengths(state)
        if len(now) == RUNS and all(now[run] >= before.get(run, 0) + least for run in now):
            return
        if time.monotonic() > until:
            raise RuntimeError("runs were not resumed")
        time.sleep(0.01)


@contextmanager
def busy(processes: int) -> Generator[None]:
    """So many processes that use a processor each."""
    with ExitStack() as stack:
        for _ in range(processes):
            spinner = stack.enter_context(subprocess.Popen([sys.executable, "-c", SPIN]))
            stack.callback(spinner.kill)
        yield


def resumed(
    argv: tuple[str, ...], environ: Mapping[str, str], spinners: int = 0
) -> tuple[float, float]:
    """Seconds and CPU seconds from the start of a new studio until all runs go on."""
    state = Path(environ["TOOLWEAVE_HOME"])
    before = lengths(state)
    with busy(spinners):
        began = time.monotonic()
        with subprocess.Popen(argv, env=environ, stderr=subprocess.DEVNULL) as process:
            try:
                until_grown(state, before)
                took = time.monotonic() - began
                used = psutil.Process(process.pid).cpu_times()
                until_grown(state, lengths(state), 4)  # no run is cut off twice at the same step
            finally:
                process.kill()
    return took, used.user + used.system


def restarts(argv: tuple[str, ...], environ: Mapping[str, str], rounds: int) -> tuple[float, float]:
    """The medians of several restarts; the runs were started before."""
    found = [resumed(argv, environ) for _ in range(rounds)]
    return statistics.median(one for one, _ in found), statistics.median(cpu for _, cpu in found)
