"""`toolweave run --from NODE --of RUN --recorded`: a past run continued with other values."""

import json
from typing import Any

import anyio
import pytest
from tests.cli.driving import Commands, Ran
from tests.cli.test_run import mcp
from tests.engine.building import workflow
from tests.recording.conftest import OPTIONS, House

from toolweave.app.open_engine import open_engine
from toolweave.app.studio import open_studio
from toolweave.engine.runs import RunRequest
from toolweave.home import open_home
from toolweave.settings import from_environment
from toolweave.workflow.formats.load import convert

NODES: dict[str, Any] = {
    "s": "start",
    "count": mcp("counter", "demo", name="travel"),
    "note": ("prompt", {"prompt": "Count {{ data.count }}"}),
    "say": mcp("echo", "demo", text="{{ data }}"),
    "again": mcp("counter", "demo", name="travel"),
    "e": "end",
}
EDGES = ["s > count", "count > note", "note > say", "say > again", "again > e"]
ASKING = {
    "s": "start",
    "note": ("prompt", {"prompt": "x"}),
    "q": ("askUserQuestion", {"questionText": "Go on?", "options": OPTIONS}),
    "pay": mcp("counter", "demo", name="paid"),
    "e": "end",
}
ASKING_EDGES = ["s > note", "note > q", "q.branch-0 > pay", "q.branch-1 > e", "pay > e"]


async def past_runs(commands: Commands) -> dict[str, str]:
    settings = from_environment(commands.environ)
    async with (
        open_home(settings, environ=commands.environ) as home,
        open_studio(home) as studio,
        open_engine(studio) as engine,
    ):
        runs: dict[str, str] = {}
        drawn = {"counted": (NODES, EDGES), "asked": (ASKING, ASKING_EDGES)}
        for name, (nodes, edges) in drawn.items():
            request = RunRequest(workflow(nodes, edges), {}, hold=True)
            runs[name] = run = await engine.runs.start(request)
            if (await engine.runs.run_to_end(run)).status == "waiting":
                await engine.answer(run, "q", 0, by="ada", resume=False)
                await engine.runs.run_to_end(run)
    return runs


@pytest.fixture(scope="module")
def past(house: House) -> dict[str, str]:
    return anyio.run(past_runs, house.commands)


def counted(house: House) -> int:
    """How often a live call reached the server's tool: every call is in the history."""
    return len(house.commands.ok("calls", "list", "--json", "--limit", "500").json)


def outputs(ran: Ran) -> dict[str, Any]:
    return {one["nodeId"]: one["output"] for one in ended(ran)["intermediateResults"]}


def continued(house: House, run: str, node: str, *more: str) -> Ran:
    """Continue a run with recorded answers; a file among `more` is the changed workflow."""
    return house.commands("run", "--from", node, "--of", run, "--recorded", *more, "--json")


def ended(ran: Ran) -> dict[str, Any]:
    return json.loads(ran.lines[-1])


def test_an_unchanged_run_is_continued_with_recorded_answers_only(
    house: House, past: dict[str, str]
) -> None:
    calls = counted(house)
    ran = continued(house, past["counted"], "note")
    assert ran.code == 0, ran
    assert outputs(ran)["note"] == "Count 1"
    assert ended(ran)["finalResult"] == {"name": "travel", "count": 2}  # a third call gives 3
    assert counted(house) == calls


def test_a_changed_value_stops_at_the_first_call_that_is_not_recorded_and_continues_live(
    house: House, past: dict[str, str]
) -> None:
    calls = counted(house)
    ran = continued(house, past["counted"], "note", "--set", "/data/count=500")
    assert ran.code == 1, ran.out
    error = ended(ran)["error"]
    assert (error["code"], error["failedAt"]["nodeId"]) == ("RECORDING_NO_MATCH", "say")
    assert "/text: expected 'Count 1', got 'Count 500'" in error["message"]
    run = ended(ran)["runId"]
    assert f"toolweave run --from say --of {run}" in error["hint"]
    assert ended(ran)["status"] == "failed"
    results = error["partialResults"]
    assert {one["nodeId"]: one["output"] for one in results}["note"] == "Count 500"
    assert "say" not in {one["nodeId"] for one in results}
    assert counted(house) == calls
    live = house.commands.ok("run", "--from", "say", "--of", run, "--json")
    assert outputs(live)["note"] == "Count 500"
    assert "Count 500" in str(outputs(live)["say"])
    assert counted(house) == calls + 2  # `say` and what follows it


def test_the_changed_input_of_the_step_where_it_stops_is_kept_when_it_continues_live(
    house: House, past: dict[str, str]
) -> None:
    ran = continued(house, past["counted"], "say", "--set", "/data=hello")
    error = ended(ran)["error"]
    assert (error["code"], error["failedAt"]["nodeId"]) == ("RECORDING_NO_MATCH", "say")
    live = house.commands.ok("run", "--from", "say", "--of", ended(ran)["runId"], "--json")
    assert outputs(live)["say"]["text"] == "hello"


def test_an_earlier_answer_of_a_person_is_never_used_for_something_else(
    house: House, past: dict[str, str]
) -> None:
    ran = continued(house, past["asked"], "note")
    error = ended(ran)["error"]
    assert (error["code"], error["failedAt"]["nodeId"]) == ("RECORDING_NO_MATCH", "q")
    run = ended(ran)["runId"]
    house.commands.ok("run", "--from", "q", "--of", run, "--json")
    assert house.commands.ok("runs", "list", "--json").json[0]["status"] == "waiting"


def changed(house: House, **nodes: Any) -> str:
    """The past workflow with other nodes, as a file."""
    path = house.commands.project / "changed.json"
    document = convert(workflow({**NODES, **nodes}, EDGES), "toolweave")
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


def test_a_changed_node_uses_recorded_answers_up_to_the_first_call_that_is_not_recorded(
    house: House, past: dict[str, str]
) -> None:
    calls = counted(house)
    same = changed(house, note=("prompt", {"prompt": "Count {{data.count}}"}))
    ran = continued(house, past["counted"], "note", same)
    assert ran.code == 0, ran
    assert ended(ran)["finalResult"] == {"name": "travel", "count": 2}
    file = changed(house, again=mcp("counter", "demo", name="other"))
    ran = continued(house, past["counted"], "note", file)
    assert ran.code == 1, ran.out
    error, run = ended(ran)["error"], ended(ran)["runId"]
    assert (error["code"], error["failedAt"]["nodeId"]) == ("RECORDING_NO_MATCH", "again")
    assert "/name: expected 'travel', got 'other'" in error["message"]
    known = {one["nodeId"]: one["output"] for one in error["partialResults"]}
    assert (known["note"], known["say"]["text"]) == ("Count 1", "Count 1")
    assert counted(house) == calls  # nothing was called so far
    live = house.commands.ok("run", "--from", "again", "--of", run, "--json")
    assert ended(live)["finalResult"] == {"name": "other", "count": 1}
    assert counted(house) == calls + 1


def test_a_changed_node_without_recorded_answers_runs_live(
    house: House, past: dict[str, str]
) -> None:
    file = changed(house, say=mcp("echo", "demo", text="live"))
    live = house.commands.ok("run", file, "--from", "say", "--of", past["counted"], "--json")
    assert outputs(live)["say"]["text"] == "live"
    broken = changed(house, say=mcp("echo", "demo"))
    refused = house.commands("run", broken, "--from", "say", "--of", past["counted"], "--json")
    assert (refused.code, "cannot run" in refused.out) == (1, True)


@pytest.mark.parametrize(("typed", "is_live"), [("y\r", True), ("\r", False)])
def test_a_person_at_a_terminal_is_asked_whether_to_continue_live_or_stop(
    house: House, past: dict[str, str], typed: str, is_live: bool
) -> None:
    calls = counted(house)
    args = ("run", "--from", "say", "--of", past["counted"], "--recorded", "--set", "/data=asked")
    with house.commands.terminal(*args) as terminal:
        terminal.wait_for("Continue live from 'say'?")
        assert counted(house) == calls
        terminal.type(typed)
        assert terminal.end() == (0 if is_live else 1)
    assert counted(house) == calls + (2 if is_live else 0)


def test_recorded_answers_need_a_run_to_continue(tw: Commands) -> None:
    refused = tw("run", "x.json", "--recorded")
    assert (refused.code, "--from" in refused.err) == (2, True)


def test_a_continued_run_is_continued_again_with_the_answers_of_the_first(
    house: House, past: dict[str, str]
) -> None:
    first = ended(continued(house, past["counted"], "note"))["runId"]
    ran = continued(house, first, "say", "--set", "/data=hello")
    assert "expected 'Count 1', got 'hello'" in ended(ran)["error"]["message"]
    assert continued(house, first, "count").code == 0
