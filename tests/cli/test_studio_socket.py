"""`call` and `run` with a studio of the same home: it does the work, and nothing else changes."""

import json
import os
import re
import socket
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.cli.driving import Commands
from tests.cli.studios import ALONE, Served, commands_in, studio_here
from tests.cli.test_run import SIMPLE, mcp
from tests.engine.building import workflow

import toolweave
from toolweave.access.authorization import COMMANDS, command_rule
from toolweave.access.keys import SCOPES, ApiKey, KeyId
from toolweave.cli.studio_connection import StudioConnection, StudioGone
from toolweave.cli.studio_protocol import KEY_FILE, LOCK, SOCKET, CallToolCommand
from toolweave.errors import Denied, ToolweaveError
from toolweave.settings import LOCKFILE
from toolweave.testing.server import ScriptedServer, a_tool, answers, reports, says, waits
from toolweave.workflow.formats.load import convert

NUMBERS = {
    "type": "object",
    "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
    "required": ["a"],
}
IMAGE = {"type": "image", "data": "iVBORw==", "mimeType": "image/png"}
VARYING = re.compile(
    r"[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z|_\d{13}"
    r'|"(executionDuration|totalExecutionTimeMs|executionTimeMs)": ?[\d.]+'
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    folder = tmp_path_factory.mktemp("s")
    tw = commands_in(folder)
    names = ("echo", "draw", "fail", "slow")
    tools = [a_tool("add", inputSchema=NUMBERS), *(a_tool(name) for name in names)]
    server = ScriptedServer(folder / "server", *tools)
    server.on_call("add", [says("3", structuredContent={"sum": 3})])
    server.on_call("draw", [answers({"content": [IMAGE]})])
    server.on_call("fail", [says("no such city", isError=True)])
    server.on_call("slow", [reports(1, 2, "half"), says("done")])
    nodes = {"s": "start", "one": mcp("slow"), "say": _prompt("{{name}}!"), "e": "end"}
    _save(tw, "flow.json", nodes, ["s > one", "one > say", "say > e"])
    _save(tw, "bad.json", {"s": "start", "one": mcp("fail"), "e": "end"}, ["s > one", "one > e"])
    _save(tw, "wrong.json", {"s": "start", "x": ("FLOW", {"subtype": "NOPE"})}, [])
    tw.add("mine", server)
    tw.add("new", server, approved=False)
    with studio_here(tw):
        tw.ok("call", "mine", "echo")  # so that the studio has its connection
        yield Served(tw, server)


@pytest.fixture(autouse=True)
def project(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(served.tw.project)


def _prompt(text: str) -> tuple[str, dict[str, Any]]:
    return ("prompt", {"prompt": text})


def _save(tw: Commands, file: str, nodes: dict[str, Any], edges: list[str]) -> None:
    text = json.dumps(convert(workflow(nodes, edges), "toolweave"))
    (tw.project / file).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (("call", "mine", "add", "--arg", "a=1"), 0),
        (("call", "mine", "add", "--args", '{"a": 1}', "--json"), 0),
        (("call", "mine", "echo", "--args", '{"text": "a\\u001b[2Jb"}'), 0),
        (("call", "mine", "draw", "--json"), 0),
        (("call", "mine", "slow"), 0),
        (("call", "mine", "fail"), 1),
        (("call", "mine", "add", "--arg", "a=x", "--arg", "c=1"), 1),
        (("call", "mine", "add", "--args", "{}", "--json"), 1),
        (("call", "mine", "ad"), 1),
        (("call", "min", "add"), 1),
        (("call", "new", "add", "--json"), 1),
        (("run", "flow.json", "--input", "name=Ada"), 0),
        (("run", "flow.json", "--input", "name=Ada", "--json"), 0),
        (("run", "bad.json"), 1),
        (("run", "bad.json", "--json"), 1),
        (("run", "wrong.json"), 1),
        (("run", "nothing"), 1),
        (("run", "--from", "nowhere", "--of", "last"), 1),
    ],
    ids=str,
)
def test_output_and_exit_code_are_those_of_a_command_alone(
    served: Served, argv: tuple[str, ...], code: int
) -> None:
    tw, starts = served.tw, len(served.server.processes)
    there = tw(*argv)
    assert len(served.server.processes) == starts, there
    here = tw(*argv, **ALONE)
    assert there.code == here.code == code
    assert VARYING.sub("·", there.out) == VARYING.sub("·", here.out)
    assert VARYING.sub("·", there.err) == VARYING.sub("·", here.err)
    assert "INTERNAL" not in there.out + there.err


def test_a_workflow_comes_from_standard_input_and_a_run_is_repeated_from_a_node(
    served: Served,
) -> None:
    tw = served.tw
    text = convert(workflow(*SIMPLE), "toolweave")
    ran = tw("run", "-", "--inputs", '{"n": 5, "name": "Ada"}', "--json", input=json.dumps(text))
    result = json.loads(ran.lines[-1])
    assert result["finalResult"] == "Ada is big."
    again = tw.ok("run", "--from", "big", "--of", result["runId"], "--set", "/data/n=1")
    assert again.out == "Ada is small.\n"


def test_what_a_command_has_just_approved_counts_at_once(served: Served) -> None:
    tw = served.tw
    assert tw("call", "new", "echo").code == 1
    tw.ok("servers", "approve", "new", "--yes")
    assert tw.ok("call", "new", "echo").code == 0
    tw.ok("servers", "disable", "new")
    refused = tw("call", "new", "echo", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "SERVER_DISABLED")


@pytest.mark.parametrize(
    "environ",
    [{"TOOLWEAVE_CALL_DEADLINE_S": "7"}, {"OPENAI_API_KEY": "k"}, {"TOOLWEAVE_LOCKFILE": "l.json"}],
    ids=str,
)
def test_a_command_with_another_environment_works_alone(
    served: Served, environ: dict[str, str]
) -> None:
    assert served.is_used_by("call", "mine", "echo", TOOLWEAVE_DEBUG="1")
    before = len(served.server.processes)
    served.tw("call", "mine", "echo", **environ)
    assert len(served.server.processes) > before


def test_a_project_with_a_lockfile_of_its_own_works_alone(served: Served) -> None:
    pinned = served.tw.project / LOCKFILE
    pinned.write_text("{}")
    try:
        served.tw("call", "mine", "echo")
        starts = len(served.server.processes)
    finally:
        pinned.unlink()
    assert served.is_used_by("call", "mine", "echo")
    assert len(served.server.processes) == starts


@pytest.mark.parametrize(
    "change",
    [
        {"pid": 2**22 + 1},
        {"boot_id": "another"},
        {"address": "/nowhere/studio.sock"},
        {"address": None},
        {"pid": "1"},
        {"pid": 1},
    ],
    ids=str,
)
def test_a_stale_lock_is_ignored(served: Served, change: dict[str, Any]) -> None:
    with _lock_changed(served, change):
        assert not served.is_used_by("call", "mine", "echo")
    assert served.is_used_by("call", "mine", "echo")


def test_a_studio_of_another_version_is_named_and_not_used(served: Served) -> None:
    with _lock_changed(served, {"version": "9.9.9"}):
        before = len(served.server.processes)
        ran = served.tw.ok("call", "mine", "echo", "--json")
    assert ran.json["isError"] is False
    assert ran.err == (
        f"The running studio has version 9.9.9, this command {toolweave.__version__};"
        " it works without the studio.\n"
    )
    assert len(served.server.processes) > before


@contextmanager
def _lock_changed(served: Served, change: dict[str, Any]) -> Generator[None]:
    """Another content of the lock file for a while."""
    path = served.tw.state / LOCK
    kept = path.read_bytes()
    path.write_bytes(orjson.dumps(orjson.loads(kept) | change))
    try:
        yield
    finally:
        path.write_bytes(kept)


def test_a_studio_of_another_user_is_never_used(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert served.is_used_by("call", "mine", "echo")
    user = os.geteuid()
    with monkeypatch.context() as other:
        other.setattr(os, "geteuid", lambda: user + 1)
        assert not served.is_used_by("call", "mine", "echo")

    # Only the process at the other end is another user's.
    def peer_of(_: socket.socket) -> tuple[int, int]:
        return os.getpid(), user + 1

    with monkeypatch.context() as other:
        other.setattr("toolweave.cli.studio_connection.peer_of", peer_of)
        assert not served.is_used_by("call", "mine", "echo")


def test_only_its_user_can_reach_the_studio(served: Served) -> None:
    state = served.tw.state
    assert stat.S_IMODE((state / SOCKET).stat().st_mode) == 0o600
    assert stat.S_IMODE((state / LOCK).stat().st_mode) == 0o600
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    # A key that others can read is not sent.
    (state / KEY_FILE).chmod(0o644)
    try:
        assert not served.is_used_by("call", "mine", "echo")
    finally:
        (state / KEY_FILE).chmod(0o600)
    assert served.is_used_by("call", "mine", "echo")


def test_a_key_opens_what_the_authorisation_table_says(served: Served) -> None:
    tw = served.tw
    command = CallToolCommand("mine", "echo", {}, [], None, False)
    made = tw.ok("keys", "create", "--scope", "tools:execute", "--json").json
    with _talking(tw, made["key"]) as studio:
        studio.send("call", command)
        assert studio.receive()[0] == "result"
    for name, code in (("run", "SCOPE_MISSING"), ("serve", "ACCESS_NOT_DEFINED")):
        with _talking(tw, made["key"]) as studio:
            studio.send(name, {"file": "flow", "inputs": {}})
            with pytest.raises(ToolweaveError) as refused:
                studio.receive()
            assert refused.value.code == code
    tw.ok("keys", "revoke", made["id"])
    for wrong in ("", "tw_nonsense"):
        with pytest.raises(StudioGone), _talking(tw, wrong):
            pass


@contextmanager
def _talking(tw: Commands, key: str) -> Generator[StudioConnection]:
    """A connection of a program that has a key."""
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(json.loads((tw.state / LOCK).read_bytes())["address"])
        studio = StudioConnection(link)
        studio.send("hello", key)
        assert studio.receive(10)[0] == "hello"
        yield studio


def test_every_command_needs_a_scope() -> None:
    nothing = ApiKey(KeyId("k"), "k", frozenset(), "", None)
    everything = ApiKey(KeyId("k"), "k", frozenset(SCOPES), "", None)
    for name in COMMANDS:
        command_rule(name).require(everything)
        with pytest.raises(Denied):
            command_rule(name).require(nothing)


@pytest.mark.parametrize("sent", [b"\xff\xff\xff\xff", b"\0\0\0\2{}", b"\0\0\0\4[1]", b"\0\0\0\1["])
def test_what_is_no_message_is_dropped_and_disturbs_nobody(served: Served, sent: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(str(json.loads((served.tw.state / LOCK).read_bytes())["address"]))
        link.sendall(sent)
        link.shutdown(socket.SHUT_WR)
        assert link.recv(1) == b""
    assert served.is_used_by("call", "mine", "echo")


def test_a_second_studio_of_the_home_leaves_the_first_in_charge(
    served: Served, tmp_path: Path
) -> None:
    lock = (served.tw.state / LOCK).read_bytes()
    with studio_here(served.tw):
        assert (served.tw.state / LOCK).read_bytes() == lock
        assert served.is_used_by("call", "mine", "echo")
    assert served.is_used_by("call", "mine", "echo")


def test_a_silent_studio_is_mentioned_and_waited_for(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolweave.cli.studio_connection.SILENT_S", 0.05)
    served.server.on_call("draw", [waits(0.3), says("late")])
    ran = served.tw.ok("call", "mine", "draw")
    assert ran.out == "late\n"
    assert ran.err == "The studio does not respond; waiting for it.\n"
    served.server.on_call("draw", [answers({"content": [IMAGE]})])
