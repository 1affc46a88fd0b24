"""Tools that answer with a task: polled, resumed after a restart, cancelled, asked."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.driving import Commands
from tests.cli.test_run import lines_of, mcp, save

from toolweave.testing.server import ScriptedServer, a_tool, begins

DONE: dict[str, Any] = {"content": [{"type": "text", "text": "built"}]}
SOON = {"pollIntervalMs": 50}


def a_server(tw: Commands, folder: Path, era: str) -> ScriptedServer:
    more: dict[str, Any] = {"era": "modern"}
    if era == "2025-11-25":
        tasks: dict[str, Any] = {"requests": {"tools": {"call": {}}}}
        more = {"version": era, "capabilities": {"tools": {}, "tasks": tasks}}
    tool = a_tool("build", execution={"taskSupport": "required"})
    server = ScriptedServer(folder / "s", tool, **more)
    server.on_call("build", [begins(DONE, polls=3, **SOON)])
    tw.add("mine", server)
    return server


eras = pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])


@eras
def test_a_call_waits_for_the_task(tw: Commands, tmp_path: Path, era: str) -> None:
    server = a_server(tw, tmp_path, era)
    assert tw.ok("call", "mine", "build").out == "built\n"
    assert len(server.heard("tasks/get")) == 3
    assert len(server.heard("tools/call")) == 1


@eras
def test_a_step_polls_the_task_and_keeps_its_id(tw: Commands, tmp_path: Path, era: str) -> None:
    server = a_server(tw, tmp_path, era)
    file = save(tw, {"s": "start", "b": mcp("build"), "e": "end"}, ["s > b", "b > e"])
    events = lines_of(tw.ok("run", file, "--json"))
    assert events[-1]["finalResult"]["text"] == "built"
    assert len(server.heard("tools/call")) == 1


def test_a_failed_task_and_a_cancelled_one_fail_the_call(tw: Commands, tmp_path: Path) -> None:
    server = a_server(tw, tmp_path, "2026-07-28")
    assert tw.ok("call", "mine", "build").out == "built\n"
    server.on_call("build", [begins(DONE, error={"code": -32603, "message": "no disk"}, **SOON)])
    failed = tw("call", "mine", "build")
    assert failed.code == 1
    assert "TASK_FAILED" in failed.err
    assert "no disk" in failed.err


def test_a_call_that_times_out_cancels_its_task(tw: Commands, tmp_path: Path) -> None:
    server = a_server(tw, tmp_path, "2026-07-28")
    server.on_call("build", [begins(DONE, polls=1_000_000, **SOON)])
    late = tw("call", "mine", "build", "--timeout", "0.5")
    assert "CALL_TIMEOUT" in late.err
    assert len(server.heard("tasks/cancel")) == 1
