"""`call` and `run` beside a real studio that is busy, interrupted, paused and killed."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Generator
from pathlib import Path
from time import monotonic, sleep

import pytest
from tests.cli.driving import DEADLINE_S, Commands
from tests.cli.studios import Served, commands_in, studio_process
from tests.cli.test_run import RUN_ID, mcp, save

from toolweave.cli.studio_protocol import LOCK
from toolweave.testing.server import ScriptedServer, a_tool, asks, never, tells

PAUSE = ("FLOW", {"subtype": "DELAY", "configurations": {"duration_seconds": 0.3}})


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    served = _prepared(tmp_path_factory.mktemp("s"))
    with studio_process(served.tw):
        served.tw.ok("call", "mine", "echo")
        yield served


@pytest.fixture(autouse=True)
def project(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # without a lockfile


def _prepared(folder: Path) -> Served:
    tw = commands_in(folder)
    server = ScriptedServer(folder / "server", *(a_tool(name) for name in ("echo", "stuck", "ask")))
    server.on_call("stuck", [never()])
    server.on_call("ask", [asks("Really?"), tells()])
    tw.add("mine", server)
    return Served(tw, server)


def _stuck(tw: Commands) -> str:
    """A workflow whose call never ends; another test may have replaced its file."""
    file = save(tw, {"s": "start", "one": mcp("stuck"), "e": "end"}, ["s > one", "one > e"])
    return str(tw.project / file)


def _until(is_so: Callable[[], object]) -> None:
    until = monotonic() + DEADLINE_S
    while not is_so():
        assert monotonic() < until
        sleep(0.02)


def _calls(served: Served) -> int:
    return len(served.server.heard("tools/call"))


def _begun(served: Served, *argv: str) -> subprocess.Popen[bytes]:
    """A command whose call has reached the server."""
    before = _calls(served)
    process = served.tw.process(*argv)
    _until(lambda: _calls(served) > before)
    return process


def _ended(process: subprocess.Popen[bytes]) -> tuple[int, str, str]:
    with process:
        out, err = process.communicate(timeout=DEADLINE_S)
    return process.returncode, out.decode(), err.decode()


def _status(tw: Commands, run: str) -> str:
    return tw.ok("runs", "show", run, "--json").json["status"]


def test_twenty_commands_at_once(served: Served) -> None:
    starts = len(served.server.processes)
    started = [
        served.tw.process("call", "mine", "echo", "--args", json.dumps({"text": f"n{number}"}))
        for number in range(20)
    ]
    for number, process in enumerate(started):
        code, out, err = _ended(process)
        assert (code, err) == (0, "")
        assert f"n{number}" in out
    assert len(served.server.processes) == starts


def test_an_interrupt_cancels_the_call_on_the_server(served: Served) -> None:
    process = _begun(served, "call", "mine", "stuck")
    process.send_signal(signal.SIGINT)
    code, out, err = _ended(process)
    assert (code, out, err.strip()) == (130, "", "Interrupted.")
    token = served.server.heard("tools/call")[-1]["_meta"]
    assert isinstance(token, dict)
    cancelled = [one["requestId"] for one in served.server.heard("notifications/cancelled")]
    assert cancelled.count(token["progressToken"]) == 1


def test_an_interrupt_cancels_the_run(served: Served) -> None:
    process = _begun(served, "run", _stuck(served.tw))
    process.send_signal(signal.SIGINT)
    code, out, err = _ended(process)
    assert (code, out) == (130, "")
    assert "Stopping; press Ctrl-C again to exit immediately." in err
    assert err.endswith("cancelled\n")
    run = RUN_ID.search(err)
    assert run is not None
    assert _status(served.tw, run[0]) == "cancelled"


def test_a_tool_asks_the_person_at_the_command(served: Served) -> None:
    with served.tw.terminal("call", "mine", "ask") as terminal:
        terminal.wait_for("Yes? [y/N]: ")
        terminal.type("y\n")
        assert terminal.end() == 0
    assert '"accept"' in terminal.text


def test_a_killed_command_ends_its_call_but_not_its_run(served: Served) -> None:
    before = len(served.server.heard("notifications/cancelled"))
    call = _begun(served, "call", "mine", "stuck")
    call.kill()
    _ended(call)
    _until(lambda: len(served.server.heard("notifications/cancelled")) > before)
    file = save(served.tw, {"s": "start", "d": PAUSE, "e": "end"}, ["s > d", "d > e"])
    command = served.tw.process("run", file, "--json")
    assert command.stdout is not None
    assert json.loads(command.stdout.readline())["type"] == "started"
    command.kill()
    _ended(command)
    newest = served.tw.ok("runs", "list", "--json").json[0]["id"]
    _until(lambda: _status(served.tw, newest) == "success")


def test_a_paused_studio_is_not_used(served: Served) -> None:
    assert served.is_used_by("call", "mine", "echo")
    studio = json.loads((served.tw.state / LOCK).read_bytes())["pid"]
    os.kill(studio, signal.SIGSTOP)
    try:
        calls = _calls(served)
        assert not served.is_used_by("call", "mine", "echo")
    finally:
        os.kill(studio, signal.SIGCONT)
    assert served.is_used_by("call", "mine", "echo")
    assert _calls(served) == calls + 2  # nothing was called twice


def test_when_the_studio_is_killed_commands_say_what_becomes_of_their_work(tmp_path: Path) -> None:
    served = _prepared(tmp_path)
    with studio_process(served.tw) as studio:
        call = _begun(served, "call", "mine", "stuck", "--json")
        run = _begun(served, "run", _stuck(served.tw))
        os.killpg(studio.pid, signal.SIGKILL)
        studio.wait()
        code, out, _ = _ended(call)
        assert (code, json.loads(out)["error"]["code"]) == (1, "STUDIO_STOPPED")
        code, _, err = _ended(run)
        assert code == 1
        found = re.search(rf"run ({RUN_ID.pattern}) is in its journal", err)
        assert found is not None
        assert f"Hint: `toolweave runs watch {found[1]}` follows it" in err
        assert _status(served.tw, found[1]) == "running"
        # What it left behind: a lock and a socket.
        assert not served.is_used_by("call", "mine", "echo")
