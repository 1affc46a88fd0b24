"""`toolweave backtest` and `publish --backtest`: a changed workflow against its past runs."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.cli.driving import Commands
from tests.cli.test_run import mcp
from tests.engine.building import workflow
from tests.recording.conftest import OPTIONS, House

from toolweave.app.open_engine import open_engine
from toolweave.app.studio import open_studio
from toolweave.engine.runs import RunRequest
from toolweave.home import open_home
from toolweave.settings import from_environment
from toolweave.workflow.formats.load import convert
from toolweave.workflow.model import Workflow

NAME = "ledger"
NODES: dict[str, Any] = {
    "s": "start",
    "first": mcp("add", "demo", a="{{ data.a }}", b=2),
    "second": mcp("add", "demo", a="{{ data.sum }}", b=10),
    "line": ("prompt", {"prompt": "Total {{ data.sum }}"}),
    "e": "end",
}
EDGES = ["s > first", "first > second", "second > line", "line > e"]
AMOUNTS = (1, 2, 3)


def ledger(**nodes: Any) -> Workflow:
    return replace(workflow({**NODES, **nodes}, EDGES), name=NAME)


async def run_history(commands: Commands) -> list[str]:
    """Three finished runs and one that waits for a person."""
    settings = from_environment(commands.environ)
    asking = ("askUserQuestion", {"questionText": "Go on?", "options": OPTIONS})
    waiting = replace(
        workflow({"s": "start", "q": asking, "e": "end"}, ["s > q", "q.branch-0 > e"]), name=NAME
    )
    async with (
        open_home(settings, environ=commands.environ) as home,
        open_studio(home) as studio,
        open_engine(studio) as engine,
    ):
        runs: list[str] = []
        wanted = [*(RunRequest(ledger(), {"a": one}, hold=True) for one in AMOUNTS)]
        for request in [*wanted, RunRequest(waiting, {}, hold=True)]:
            run = await engine.runs.start(request)
            await engine.runs.run_to_end(run)
            runs.append(run)
    return runs


@pytest.fixture(scope="module")
def history(house: House) -> list[str]:
    return anyio.run(run_history, house.commands)


def changed(house: House, **nodes: Any) -> str:
    path = house.commands.project / f"{NAME}.json"
    path.write_text(json.dumps(convert(ledger(**nodes), "toolweave")), encoding="utf-8")
    return str(path)


def backtested(house: House, file: str, *more: str) -> tuple[int, dict[str, Any]]:
    folder = str(house.commands.project / "none")
    ran = house.commands("backtest", file, "--dir", folder, "--json", *more)
    assert "runs" in ran.json, ran
    return ran.code, ran.json


def test_an_unchanged_workflow_ends_as_before_in_every_run(
    house: House, history: list[str]
) -> None:
    code, report = backtested(house, changed(house))
    assert code == 0
    assert (report["runs"], report["same"], report["different"]) == (4, 3, 0)
    (open_run,) = (one for one in report["cases"] if one["verdict"] == "not_judged")
    assert (open_run["name"], open_run["notJudged"]) == (history[3], ["the run is still waiting"])


def test_a_changed_result_is_shown_with_the_step_and_both_values(
    house: House, history: list[str]
) -> None:
    file = changed(house, line=("prompt", {"prompt": "Sum {{ data.sum }}"}))
    code, report = backtested(house, file)
    assert (code, report["different"]) == (1, 3)
    oldest = next(one for one in report["cases"] if one["name"] == history[0])
    line, *_, result = oldest["differences"]
    assert (line["step"], result["step"]) == ("line", "result")
    assert line["values"] == [{"pointer": "", "expected": "Total 13.0", "actual": "Sum 13.0"}]
    text = house.commands("backtest", file).out
    assert "/: expected 'Total 13.0', got 'Sum 13.0'" in text
    assert "4 runs: 0 same, 3 different, 1 not compared" in text


def test_a_call_that_was_never_made_is_listed_and_what_follows_is_not_judged(
    house: House, history: list[str]
) -> None:
    said = mcp("echo", "demo", text="{{ string(data.sum) }}")
    file = changed(house, second=said, line=("prompt", {"prompt": "Total {{ data.text }}"}))
    code, report = backtested(house, file)
    assert (code, report["different"]) == (1, 3)
    case = report["cases"][1]
    (request,) = case["newRequests"]
    assert request["step"] == "second"
    assert "no call of 'demo/echo' is recorded" in request["message"]
    assert case["notJudged"] == ["the result and what follows 'second': the answer is not recorded"]
    assert case["differences"] == []


def test_a_call_that_is_no_longer_made_is_a_difference(house: House, history: list[str]) -> None:
    file = changed(house, second=("prompt", {"prompt": "13.0"}))
    _, report = backtested(house, file)
    assert report["cases"][1]["noLonger"] == ["call 2 of demo/add"]


def test_inputs_that_would_be_refused_are_a_difference(house: House, history: list[str]) -> None:
    path = Path(changed(house))
    document = json.loads(path.read_text(encoding="utf-8"))
    schema = {"type": "object", "required": ["a", "memo"]}
    path.write_text(json.dumps({**document, "inputSchema": schema}), encoding="utf-8")
    code, report = backtested(house, str(path))
    assert (code, report["different"]) == (1, 3)
    assert "RUN_INPUT_INVALID" in report["cases"][1]["differences"][0]["message"]


def test_recordings_count_too_and_a_damaged_one_is_not_judged(
    house: House, history: list[str], tmp_path: Path
) -> None:
    commands = house.commands
    commands.ok("record", history[0], "--as", "first", "--dir", str(tmp_path))
    commands.ok("record", house.runs["sums"], "--as", "other", "--dir", str(tmp_path))
    (tmp_path / "damaged.jsonl").write_text("{", encoding="utf-8")
    report = commands("backtest", changed(house), "--dir", str(tmp_path), "--json").json
    files = {one["name"]: one["verdict"] for one in report["cases"] if one["source"] == "recording"}
    assert files == {"first": "same", "damaged": "not_judged"}
    assert history[0] not in {one["name"] for one in report["cases"]}  # judged once


def test_since_and_limit_choose_the_newest_runs(house: House, history: list[str]) -> None:
    _, report = backtested(house, changed(house), "--limit", "2")
    assert [one["name"] for one in report["cases"]] == [history[3], history[2]]
    _, none = backtested(house, changed(house), "--since", "2999-01-01")
    assert none["runs"] == 0


def test_publishing_is_refused_on_a_difference_unless_it_is_accepted(
    house: House, history: list[str]
) -> None:
    commands = house.commands
    file = changed(house, line=("prompt", {"prompt": "Sum {{ data.sum }}"}))
    refused = commands("publish", file, "--backtest", "--json")
    assert (refused.code, "BACKTEST_DIFFERS" in refused.out) == (1, True)
    assert commands.ok("published", "--json").json == []
    assert NAME not in commands.ok("workflows", "list").out  # nothing half applied
    accepted = commands.ok("publish", file, "--backtest", "--accept-differences")
    assert "3 different" in accepted.out
    assert f"Published {NAME!r}" in accepted.out
    assert commands.ok("publish", changed(house), "--replace", "--backtest").code == 0
