"""Queues from the command line: what no worker serves is said, and continues when one starts."""

import json
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import pytest
from tests.cli.driving import PROGRAM, Commands
from tests.engine.temporal_server import TemporalServer
from tests.storage.postgres import Postgres

pytestmark = pytest.mark.xdist_group("postgres")

NOTICE = "waits for queue gpu, which no worker serves; start: toolweave worker --queues gpu"
RENDER = {
    "id": "render",
    "name": "render",
    "version": "1.0.0",
    "schemaVersion": "1.3.0",
    "nodes": [
        {"id": "s", "type": "start", "name": "s", "position": {"x": 0, "y": 0}, "data": {}},
        {
            "id": "frames",
            "type": "ACTION",
            "name": "frames",
            "position": {"x": 9, "y": 0},
            "data": {
                "subtype": "FILE_WRITE",
                "configurations": {"queue": "gpu", "path": "frames.txt"},
                "inputParams": {"content": "done"},
            },
        },
    ],
    "connections": [
        {"id": "1", "from": "s", "to": "frames", "fromPort": "output", "toPort": "input"},
    ],
}


@pytest.fixture
def tw(tmp_path: Path) -> Commands:
    return Commands(tmp_path, tmp_path)


@contextmanager
def started(environ: Mapping[str, str], *words: str) -> Generator[IO[str]]:
    """The messages of a command that runs beside the test."""
    with subprocess.Popen(
        [*PROGRAM, *words], env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        try:
            yield process.stderr
        finally:
            process.kill()


def line_with(text: str, lines: IO[str]) -> str:
    """Read until a line with a text; the end of the messages fails the test."""
    return next(line for line in lines if text in line)


def test_a_run_whose_queue_nobody_serves_says_so_everywhere_and_ends_when_a_worker_starts(
    tw: Commands, postgres: Postgres, temporal: TemporalServer
) -> None:
    settings = {
        "TOOLWEAVE_DATABASE": postgres.new_database(),
        "TOOLWEAVE_BACKEND": temporal.address(lease_s=2, queue="cli"),
    }
    environ = tw.environ | settings
    path = tw.project / "render.json"
    path.write_text(json.dumps(RENDER))
    with ExitStack() as stack:
        worker = stack.enter_context(started(environ, "worker"))
        assert line_with("working", worker)
        run = stack.enter_context(started(environ, "run", str(path)))
        assert NOTICE in line_with("frames", run)

        shown = tw.ok("runs", "show", "last", **settings)
        assert f"  {NOTICE}" in shown.out.replace("\n", " ").replace("   ", "  ")
        assert "waits for queue gpu\n" in shown.out
        record = tw.ok("runs", "show", "last", "--json", **settings).json
        assert (record["status"], record["queue"], record["notice"]) == ("running", "gpu", NOTICE)
        (step,) = [step for step in record["steps"] if step["key"] == "frames"]
        assert (step["status"], step["queue"]) == ("waiting", "gpu")
        told = tw.ok("doctor", "--json", **settings).json
        (finding,) = [one for one in told if one.get("what") == "queue gpu"]
        start = "start: toolweave worker --queues gpu"
        assert finding["details"] == f"1 run waits, no worker serves it; {start}"
        assert not (tw.state / "files" / "frames.txt").exists()

        served = stack.enter_context(started(environ, "worker", "--queues", "gpu"))
        assert line_with("working", served)
        assert line_with("success", run)
        assert (tw.state / "files" / "frames.txt").read_text() == "done"
        told = tw.ok("doctor", "--json", **settings).json
        assert "queue gpu" not in {one.get("what") for one in told}


def test_a_queue_that_is_no_name_is_refused(tw: Commands) -> None:
    ran = tw("worker", "--queues", "default,g pu")
    assert ran.code == 1
    assert "'g pu' is not the name of a queue" in ran.err


def test_a_server_of_a_queue_is_started_only_by_a_process_that_serves_it(tw: Commands) -> None:
    server = (sys.executable, "-m", "toolweave.cli.main", "demo-server")
    tw.ok("servers", "add", "demo", "--", *server)
    tw.ok("servers", "approve", "demo", "--yes")
    call = ("call", "demo", "add", "--args", json.dumps({"a": 1, "b": 2}))
    assert tw.ok(*call).out
    assert "queue 'gpu'" in tw.ok("servers", "queue", "demo", "gpu").out
    refused = tw(*call)
    assert (refused.code, "SERVER_QUEUE_NOT_SERVED" in refused.err) == (1, True)
    assert tw.ok(*call, TOOLWEAVE_QUEUES="default,gpu").out

    # A node that names the server belongs to its queue, without a setting of its own.
    document = json.loads(json.dumps(RENDER))
    document["nodes"][1] |= {
        "type": "mcp",
        "data": {
            "serverId": "demo",
            "toolName": "add",
            "mode": "detailed",
            "parameterValues": {"a": 1, "b": 2},
        },
    }
    path = tw.project / "add.json"
    path.write_text(json.dumps(document))
    assert tw.ok("run", str(path), TOOLWEAVE_QUEUES="default,gpu").out
    with started(tw.environ, "run", str(path)) as run:
        assert NOTICE in line_with("frames", run)
    tw.ok("servers", "queue", "demo", "--none")
    assert tw.ok(*call).out
