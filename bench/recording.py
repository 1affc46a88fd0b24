"""What replays cost: `python -m bench.recording` from the root; `--quick` in seconds.

Runs of ten nodes, eight of them calls of the demo server. Each line stands beside the least or most
that the issue asks for on two processors.
"""

import os
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import anyio
from tests.cli.driving import Commands
from tests.cli.test_run import mcp
from tests.engine.building import workflow

from toolweave.app.open_engine import open_engine
from toolweave.app.studio import open_studio
from toolweave.engine.engine import Engine
from toolweave.engine.run_table import RunTable
from toolweave.engine.runs import RunRequest
from toolweave.home import Home, open_home
from toolweave.recording.backtest import backtest
from toolweave.recording.backtest_records import BacktestRequest
from toolweave.recording.from_run import RunRecorder
from toolweave.recording.replay import open_replayer
from toolweave.settings import from_environment
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.model import Workflow

RUNS, QUICK_RUNS = 1_000, 20
REPLAYS, QUICK_REPLAYS = 500, 20
LEAST_PER_S = 100
MOST_S = 60


def ten_nodes() -> Workflow:
    """A chain of a start, eight calls and an end."""
    names = [f"n{number}" for number in range(8)]
    calls: dict[str, Any] = {name: mcp("add", "demo", a="{{ data.a }}", b=1) for name in names}
    calls |= {name: mcp("add", "demo", a="{{ data.sum }}", b=2) for name in names[1:]}
    chain = ["s", *names, "e"]
    edges = [f"{source} > {target}" for source, target in pairwise(chain)]
    return workflow({"s": "start", **calls, "e": "end"}, edges)


async def measure(commands: Commands, *, is_quick: bool) -> None:
    """Make the runs, replay one of them, and backtest all of them."""
    environ = commands.environ | {"TOOLWEAVE_CALLS_PER_SESSION": "-1"}
    async with (
        open_home(from_environment(environ), environ=environ) as home,
        open_studio(home) as studio,
    ):
        async with open_engine(studio) as engine:
            last = ""
            for number in range(QUICK_RUNS if is_quick else RUNS):
                last = await finished(engine, number)
        await replays(home, last, QUICK_REPLAYS if is_quick else REPLAYS)
        began = perf_counter()
        request = BacktestRequest(LoadedWorkflow(ten_nodes()), limit=RUNS)
        report, _ = await backtest(home, request)
        took = perf_counter() - began
        assert len(report.of("same")) == len(report.cases), report.summary
        count = len(report.cases)
        sys.stdout.write(f"backtest of {count} runs {took:9.1f} s  at most {MOST_S} s for {RUNS}\n")


async def finished(engine: Engine, number: int) -> str:
    """One finished run."""
    run = await engine.runs.start(RunRequest(ten_nodes(), {"a": number}, hold=True))
    await engine.runs.run_to_end(run)
    return run


async def replays(home: Home, run: str, count: int) -> None:
    """Replay one run many times."""
    async with open_replayer(home.settings.home) as replayer:
        found = await RunTable(home.database).get(run)
        recording = await RunRecorder(home).record(found, "bench", found.started_at)
        await replayer.replay(recording)
        began, cpu = perf_counter(), process_time()
        for _ in range(count):
            await replayer.replay(recording)
        wall, used = perf_counter() - began, process_time() - cpu
    rates = f"{count / wall:7.0f} /s  {count / used:7.0f} /s of CPU"
    sys.stdout.write(f"replays of ten nodes {rates}  at least {LEAST_PER_S} /s\n")


def main() -> None:
    """Measure in a home of its own."""
    with tempfile.TemporaryDirectory() as folder:
        commands = Commands(Path(folder) / "home", Path(folder) / "project")
        commands.home.mkdir()
        commands.project.mkdir()
        os.chdir(commands.project)
        demo = (sys.executable, "-m", "toolweave.cli.main", "demo-server")
        commands.ok("servers", "add", "demo", "--", *demo)
        commands.ok("servers", "approve", "demo", "--yes")

        async def work() -> None:
            await measure(commands, is_quick="--quick" in sys.argv)

        anyio.run(work)


if __name__ == "__main__":
    main()
