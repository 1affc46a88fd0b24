"""`toolweave run` and `toolweave runs`: in process where that is enough, else real processes."""

import json
import os
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from tests.cli.driving import DEADLINE_S, Commands, Ran
from tests.engine.building import workflow

from toolweave.testing.server import ScriptedServer, a_tool, answers, never, says
from toolweave.workflow.formats.load import convert

RUN_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")
BRANCH = {"subtype": "IF", "configurations": {"condition_expression": "data.n > 3"}}
SIMPLE = (
    {
        "s": "start",
        "big": ("FLOW", BRANCH),
        "yes": ("prompt", {"prompt": "{{name}} is big."}),
        "no": ("prompt", {"prompt": "{{name}} is small."}),
        "e": "end",
    },
    ["s > big", "big.true > yes", "big.false > no", "yes > e", "no > e"],
)


LIST = {"data": [{"n": 1}, {"n": 2}]}
EACH = {"subtype": "FOR_EACH", "configurations": {}, "inputParams": LIST}
CHOSEN = {
    "conditions": [{"field": "n", "operator": "greater_than", "value": 1}],
    "filter_mode": "partition",
}
FILTER = {"subtype": "FILTER", "configurations": CHOSEN, "inputParams": LIST}


@pytest.mark.parametrize(
    ("data", "name", "other"),
    [
        (EACH, "done", "completed"),
        (EACH, "loop", "iteration"),
        (FILTER, "output", "passed"),
        (FILTER, "excluded", "filtered"),
        (None, "output", "main"),
        (None, "output", "result"),
    ],
)
def test_a_port_under_another_name_is_taken_as_well(
    tw: Commands, data: dict[str, Any] | None, name: str, other: str
) -> None:
    """What validates is run: nothing behind the connection is left out."""
    step: Any = ("FLOW", data) if data else ("prompt", {"prompt": "x"})
    nodes = {"s": "start", "a": step, "b": ("prompt", {"prompt": "reached"}), "e": "end"}
    results: list[Any] = []
    for port in (name, other):
        path = save(tw, nodes, ["s > a", f"a.{port} > b", "b > e"])
        assert tw("validate", path).code == 0
        *_, last = tw.ok("run", path, "--json").out.splitlines()
        results.append([one["nodeId"] for one in json.loads(last)["intermediateResults"]])
    assert any(key.endswith("b") for key in results[0])
    assert results[0] == results[1]


def mcp(tool: str, server: str = "mine", **values: object) -> tuple[str, dict[str, object]]:
    data: dict[str, object] = {"serverId": server, "toolName": tool, "parameterValues": values}
    return ("mcp", {**data, "mode": "detailed"})


def save(tw: Commands, nodes: dict[str, Any], edges: Sequence[str]) -> str:
    text = json.dumps(convert(workflow(nodes, edges), "toolweave"))
    (tw.project / "flow.json").write_text(text, encoding="utf-8")
    return "flow.json"


def lines_of(ran: Ran) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ran.lines]


def only_run(tw: Commands) -> dict[str, Any]:
    (found,) = tw.ok("runs", "list", "--json").json
    return found


def until_called(server: ScriptedServer) -> None:
    until = monotonic() + DEADLINE_S
    while not server.heard("tools/call"):
        assert monotonic() < until
        sleep(0.02)


@pytest.fixture
def server(tw: Commands, tmp_path: Path) -> ScriptedServer:
    tools = [a_tool("one"), a_tool("stuck"), a_tool("two"), a_tool("fails")]
    server = ScriptedServer(tmp_path / "s", *tools)
    server.on_call("stuck", [never()])
    server.on_call("fails", [says("It broke.", isError=True)])
    tw.add("mine", server)
    return server


@pytest.mark.requirement("003:FlowExecution.finalResult", "003:lifecycle.executing-to-completed")
def test_a_workflow_runs_with_its_inputs_and_prints_its_result(tw: Commands) -> None:
    file = save(tw, *SIMPLE)
    ran = tw.ok("run", file, "--input", "n=5", "--input", "name=Ada")
    assert ran.out == "Ada is big.\n"
    shown = ran.err.splitlines()
    assert RUN_ID.search(shown[0])
    assert shown[1:] == ["  ✓ s", "  ✓ big", "  ✓ yes", "  ✓ e", "success"]
    assert tw.ok("run", file, "--inputs", '{"n": 1, "name": "Bob"}').out == "Bob is small.\n"


def test_the_text_beside_structured_content_is_printed(tw: Commands, tmp_path: Path) -> None:
    server = ScriptedServer(tmp_path / "s", a_tool("temperature"))
    content = [{"type": "text", "text": "Take a coat."}]
    server.on_call("temperature", [answers({"content": content, "structuredContent": {"c": 3}})])
    tw.add("mine", server)
    ran = tw.ok("run", save(tw, {"s": "start", "t": mcp("temperature")}, ["s > t"]))
    assert json.loads(ran.out) == {"c": 3}
    assert ran.err.splitlines()[-1] == "Take a coat."
    assert tw.ok("runs", "show", only_run(tw)["id"]).err.splitlines()[-1] == "Take a coat."


def test_for_programs_every_event_is_a_line_and_the_last_one_the_result(tw: Commands) -> None:
    file = save(tw, *SIMPLE)
    found = lines_of(tw.ok("run", file, "--input", "n=5", "--input", "name=Ada", "--json"))
    assert [line["type"] for line in found] == ["started", "computed", "finished", "result"]
    assert [line.get("seq") for line in found] == [1, 2, 3, None]
    result = found[-1]
    assert (result["status"], result["finalResult"]) == ("success", "Ada is big.")
    assert result["runId"] == only_run(tw)["id"]


def test_a_reader_that_goes_away_does_not_stop_the_run(tw: Commands) -> None:
    pause = {"subtype": "DELAY", "configurations": {"duration_seconds": 0.3}}
    file = save(tw, {"s": "start", "d": ("FLOW", pause), "e": "end"}, ["s > d", "d > e"])
    with tw.process("run", file, "--json") as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["type"] == "started"
        process.stdout.close()
        assert process.wait(DEADLINE_S) == 0
    assert only_run(tw)["status"] == "success"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "give a FILE, or --from NODE and --of RUN"),
        (("nothing.json",), "'nothing.json' cannot be read: No such file or directory"),
        (("flow.json", "--input", "n"), "'n' is not in the form NAME=VALUE"),
        (("flow.json", "--input", '{"n": 1}'), "pass a JSON object with --inputs"),
        (("flow.json", "--inputs", "[1]"), "expected a JSON object"),
        (("flow.json", "--inputs", "{"), "--inputs: not JSON"),
        (("--from", "e"), "give a FILE, or --from NODE and --of RUN"),
        (("flow.json", "--from", "e"), "give a FILE"),
        (("--from", "e", "--of", "x", "--input", "n=1"), "--set changes the input of the node"),
        (("--from", "e", "--of", "x", "--set", "n=1"), "not in the form /data/field=VALUE"),
    ],
)
def test_wrong_use_is_told_and_nothing_runs(
    tw: Commands, args: tuple[str, ...], words: str
) -> None:
    save(tw, *SIMPLE)
    ran = tw("run", *args)
    assert ran.code == 2
    assert words in " ".join(ran.err.split())
    assert tw.ok("runs", "list").out.startswith("No runs yet.")


def test_an_invalid_workflow_does_not_run_and_every_problem_is_told(tw: Commands) -> None:
    broken = {"subtype": "IF", "configurations": {"condition_expression": "data.n >"}}
    file = save(tw, {"s": "start", "x": ("FLOW", broken), "y": ("FLOW", {"subtype": "NOPE"})}, [])
    ran = tw("run", file)
    assert (ran.code, ran.out) == (1, "")
    assert re.match(r"Error: 'flow.json' cannot run: \d+ problems  \[WORKFLOW_INVALID\]", ran.err)
    assert "/nodes/1" in ran.err
    assert "/nodes/2" in ran.err
    assert "Hint: run `toolweave validate flow.json` for details" in ran.err
    assert tw.ok("runs", "list", "--json").json == []


@pytest.mark.requirement("003:FlowExecution.status.partial", "003:FlowExecution.error.failedAt")
def test_a_run_that_fails_half_way_keeps_what_it_had_and_tells_where(
    tw: Commands, server: ScriptedServer
) -> None:
    nodes = {"s": "start", "one": mcp("one"), "bad": mcp("fails"), "e": "end"}
    file = save(tw, nodes, ["s > one", "one > bad", "bad > e"])
    ran = tw("run", file, "--json")
    assert ran.code == 1
    result = lines_of(ran)[-1]
    assert result["status"] == "partial"
    assert [one["nodeId"] for one in result["intermediateResults"]] == ["s", "one"]
    assert result["error"]["failedAt"]["nodeId"] == "bad"
    shown = tw("run", file)
    assert shown.code == 1
    assert shown.err.splitlines()[-2] == "partial"
    assert shown.err.splitlines()[-1].endswith("says: It broke.  [TOOL_FAILED]")


def test_wrong_arguments_of_a_tool_are_each_named_wherever_the_run_is_shown(
    tw: Commands, tmp_path: Path
) -> None:
    numbers = {"a": {"type": "number"}, "b": {"type": "number"}}
    schema = {"type": "object", "properties": numbers}
    tw.add("mine", ScriptedServer(tmp_path / "s", a_tool("add", inputSchema=schema)))
    given = mcp("add", a="{{ trigger.n }}", b="{{ trigger.n }}")
    file = save(tw, {"s": "start", "add": given, "e": "end"}, ["s > add", "add > e"])
    assert tw("run", file, "--inputs", '{"n": 2}').code == 0  # the control

    ran = tw("run", file, "--inputs", '{"n": {"x": 1}}')
    assert ran.code == 1
    for text in (ran.err, tw.ok("runs", "show", "last").out):
        flat = " ".join(text.split())
        assert "/a: " in flat
        assert "/b: " in flat
    shown = tw.ok("runs", "show", "last", "--json").json
    (failed,) = [step for step in shown["steps"] if step["status"] == "failed"]
    assert [one["pointer"] for one in failed["error"]["problems"]] == ["/a", "/b"]
    assert "/a: " in shown["error"]
    assert "/b: " in shown["error"]


def test_a_pause_is_waited_for(tw: Commands) -> None:
    pause = {"subtype": "DELAY", "configurations": {"duration_seconds": 0.2}}
    file = save(tw, {"s": "start", "d": ("FLOW", pause), "e": "end"}, ["s > d", "d > e"])
    ran = tw.ok("run", file, "--input", "n=1")
    assert json.loads(ran.out) == {"n": 1}
    assert "… d  until" in ran.err


def test_an_earlier_run_goes_on_from_a_node_with_another_input(tw: Commands) -> None:
    file = save(tw, *SIMPLE)
    tw.ok("run", file, "--input", "n=5", "--input", "name=Ada")
    run = only_run(tw)["id"]
    part = tw("run", "--from", "big", "--of", run[:8], "--set", "/data/n=1")
    assert (part.code, "RUN_UNKNOWN" in part.err) == (1, True)
    again = tw.ok("run", "--from", "big", "--of", run, "--set", "/data/n=1", "--json")
    found = lines_of(again)
    assert found[0]["fork_of"] == run
    assert found[-1]["finalResult"] == "Ada is small."
    wrong = tw("run", "--from", "bigg", "--of", run)
    assert wrong.code == 1
    assert wrong.err.startswith("Error: the workflow has no node 'bigg'  [NODE_ID_UNKNOWN]")
    assert "big" in wrong.err.splitlines()[1]
    assert "[RUN_UNKNOWN]" in tw("run", "--from", "big", "--of", "zzz").err


def test_a_run_is_shown_with_its_timeline(tw: Commands) -> None:
    file = save(tw, *SIMPLE)
    tw.ok("run", file, "--input", "n=5", "--input", "name=Ada")
    found = only_run(tw)
    assert (found["status"], found["workflow"]) == ("success", "test")
    shown = tw.ok("runs", "show", found["id"][:6])
    assert shown.lines[0] == f"test  {found['id']}  success"
    assert [line.split()[0] for line in shown.lines[1:5]] == ["s", "big", "yes", "e"]
    assert shown.lines[-1] == "Ada is big."
    steps = tw.ok("runs", "show", found["id"], "--json").json["steps"]
    assert {step["key"]: step["status"] for step in steps} == dict.fromkeys(
        ("s", "big", "yes", "e"), "success"
    )
    assert [found["id"]] == [one["id"] for one in tw.ok("runs", "list", "--json").json]
    assert tw.ok("runs", "list", "--json", "--status", "failed").json == []
    assert len(tw.ok("runs", "list", "--json", "--text", "ada").json) == 1
    assert tw.ok("runs", "list", "--text", "Grace").out.startswith("No matching runs.")
    assert len(tw.ok("runs", "list", "--json", "--since", "2001-01-01").json) == 1
    assert tw.ok("runs", "list", "--json", "--until", "2001-01-01T00:00+02:00").json == []
    assert tw.ok("runs", "show", "last").out == shown.out
    assert "[RUN_UNKNOWN]" in tw("runs", "show", "zzz").err


def test_a_step_that_waits_for_a_person_is_answered_by_a_command(tw: Commands) -> None:
    wait = {"subtype": "WAIT", "configurations": {"wait_type": "approval"}}
    file = save(tw, {"s": "start", "w": ("FLOW", wait), "e": "end"}, ["s > w", "w > e"])
    with tw.terminal("run", file, "--input", "n=1", columns=200) as screen:
        screen.wait_for("--reply VALUE` answers it.")
        run = RUN_ID.search(screen.text)
        assert run is not None
        assert "w waits for an answer" in screen.text
        answered = tw.run("runs", "answer", run[0], "w", "--reply", "true")
        assert answered.code == 0, answered
        assert screen.end() == 0
    assert only_run(tw)["status"] == "success"
    again = tw("runs", "answer", run[0], "w", "--reply", "true")
    assert again.code == 1
    assert "[STEP_NOT_WAITING]" in again.err
    assert "no step of this run is waiting" in again.err


def test_ctrl_c_stops_the_tool_call_and_the_run_is_cancelled(
    tw: Commands, server: ScriptedServer
) -> None:
    file = save(tw, {"s": "start", "slow": mcp("stuck"), "e": "end"}, ["s > slow", "slow > e"])
    with tw.terminal("run", file) as screen:
        screen.wait_for("▸ slow")
        until_called(server)
        screen.interrupt()
        assert screen.end() == 130
        assert "Stopping; press Ctrl-C again to exit immediately." in screen.text
        assert "cancelled" in screen.text
    found = only_run(tw)
    assert found["status"] == "cancelled"
    assert found["finishedAt"]
    part = tw("runs", "cancel", found["id"][:8])
    assert (part.code, "whole id" in part.err) == (1, True)
    again = tw.ok("runs", "cancel", found["id"])
    assert again.out == "The run is cancelled.\n"


def test_a_killed_run_is_resumed_and_its_uncertain_step_decided(
    tw: Commands, server: ScriptedServer
) -> None:
    nodes = {"s": "start", "one": mcp("one"), "slow": mcp("stuck"), "e": "end"}
    file = save(tw, nodes, ["s > one", "one > slow", "slow > e"])
    with tw.process("run", file, "--json") as process:
        assert process.stdout is not None
        for line in process.stdout:
            found = json.loads(line)
            if found["type"] == "step_started" and found["key"] == "slow":
                break
        os.kill(process.pid, signal.SIGKILL)
        process.wait(DEADLINE_S)
    run = only_run(tw)["id"]
    assert only_run(tw)["status"] == "running"
    assert tw.ok("runs", "resume", "--all").out == f"{run}  uncertain\n"
    shown = tw.ok("runs", "show", run).out
    assert "it is unknown whether it completed" in shown
    assert (
        f"`toolweave runs answer {run} slow --choice retry` (or skip, or fail) resolves it."
        in shown
    )
    wrong = tw("runs", "answer", run, "one", "--choice", "retry")
    assert wrong.code == 1
    assert "waiting steps: 'slow'" in wrong.err
    assert tw("runs", "answer", run, "slow").code == 2
    assert tw.ok("runs", "answer", run, "slow", "--choice", "skip").out == "The run is success.\n"
    assert tw.ok("runs", "resume", "--all").out == "No runs to resume.\n"
    calls = [call["name"] for call in server.heard("tools/call")]
    # Killed before or after the call went out: in no case was it made twice.
    assert calls in (["one"], ["one", "stuck"])


def test_another_process_watches_a_run_and_cancels_it(tw: Commands, server: ScriptedServer) -> None:
    file = save(tw, {"s": "start", "slow": mcp("stuck"), "e": "end"}, ["s > slow", "slow > e"])
    with tw.process("run", file, "--json") as process:
        until_called(server)
        run = only_run(tw)["id"]
        held = tw("runs", "resume", run)
        assert (held.code, held.out) == (0, f"{run}  running\n")
        with tw.process("runs", "watch", run, "--json") as watching:
            assert watching.stdout is not None
            assert json.loads(watching.stdout.readline())["type"] == "started"
            assert tw.ok("runs", "cancel", run).out == "The run is cancelled.\n"
            out, err = process.communicate(timeout=DEADLINE_S)
            seen, _ = watching.communicate(timeout=DEADLINE_S)
    assert process.returncode == 1, err
    kinds = [json.loads(line)["type"] for line in out.splitlines()]
    assert kinds[-3:] == ["step_cancelled", "finished", "result"]
    assert json.loads(out.splitlines()[-1])["status"] == "cancelled"
    assert json.loads(seen.splitlines()[-1])["status"] == "cancelled"


@pytest.mark.skipif(sys.platform == "win32", reason="processes are stopped by signals here")
def test_a_real_server_reports_its_progress_in_a_run(tw: Commands) -> None:
    tw.ok("servers", "add", "demo", "--", sys.executable, "-m", "toolweave.cli.main", "demo-server")
    tw.ok("servers", "approve", "demo", "--yes")
    count = mcp("countdown", "demo", start="{{ trigger.n }}", step_delay_s=0.01)
    file = save(tw, {"s": "start", "c": count, "e": "end"}, ["s > c", "c > e"])
    ran = tw.run("run", file, "--input", "n=3", "--json")
    assert ran.code == 0, ran.err
    found = lines_of(ran)
    assert found[-1]["finalResult"] == {"steps": 3}
    progress = [line for line in found if line["type"] == "progress"]
    assert progress[-1]["message"] == "lift-off"
    assert all(line["step"] == "c" for line in progress)
