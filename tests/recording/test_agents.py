"""Agents in replay: what a model chose is replayed, and a changed prompt has no recorded answer."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.driving import Commands
from tests.cli.test_run import save
from tests.recording.conftest import SAMPLES, House, agent
from tests.recording.test_record import lines_of, of_type
from tests.recording.test_replay import changed, outcome


def refusals(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (one["step"], one["message"]) for one in found["differences"] if one["what"] == "refused"
    ]


def test_every_choice_of_an_agent_is_recorded_and_replayed(
    recorded: Commands, samples: Path
) -> None:
    lines = lines_of(samples / "agent.jsonl")
    wanted = [line["reply"]["message"]["wanted"] for line in of_type(lines, "model")]
    assert [[one["arguments"] for one in many] for many in wanted] == [
        [{"a": 1, "b": 1}],
        [{"a": 40, "b": 2}],
        [],
    ]
    calls = [(line["step"], line["arguments"]) for line in of_type(lines, "call")]
    assert calls == [("think", {"a": 1, "b": 1}), ("think", {"a": 40, "b": 2})]
    (step,) = (line for line in of_type(lines, "step") if line["key"] == "think")
    assert (step["replay"], step["output"]["content"]) == ("boundary", "It is 42.")
    assert outcome(recorded, "agent", "--require-all")["status"] == "passed"


@pytest.mark.parametrize("name", ["agent", "remembering", "conversing", "cached"])
def test_a_changed_prompt_of_an_agent_has_no_recorded_answer(recorded: Commands, name: str) -> None:
    assert outcome(recorded, name, "--require-all")["status"] == "passed"
    _, data = SAMPLES[name][0]["think"]
    other = "Work out the sum."
    file = changed(
        recorded, name, think=agent(other, *data["attachedNodes"], **data["configurations"])
    )
    found = outcome(recorded, name, "--workflow", file)
    ((step, message),) = refusals(found)
    assert step == "think"
    assert message.startswith("RECORDING_NO_MATCH")
    assert other in message  # the place and both texts


@pytest.mark.parametrize(("name", "place"), [("agent", "/tools"), ("remembering", "/attached/1")])
def test_another_tool_of_an_agent_changes_its_request(
    recorded: Commands, name: str, place: str
) -> None:
    file = changed(recorded, name, tools=("TOOL", {"subtype": "MCP:demo/counter"}))
    ((step, message),) = refusals(outcome(recorded, name, "--workflow", file))
    assert (step, place in message) == ("think", True), message


def test_another_agent_node_is_played_by_what_was_asked_not_by_its_name(
    recorded: Commands,
) -> None:
    """A renamed node asks the same; its own code runs and gets the recorded replies."""
    nodes, _, _ = SAMPLES["agent"]
    renamed = {"s": "start", "reason": nodes["think"], "tools": nodes["tools"], "e": "end"}
    file = save(recorded, renamed, ["s > reason", "reason > e"])
    found = outcome(recorded, "agent", "--workflow", file)
    assert refusals(found) == []
    assert {(one["step"], one["what"]) for one in found["differences"]} == {
        ("think", "missing"),
        ("reason", "new"),
    }


def test_a_backtest_judges_an_agent_by_its_recorded_choices(house: House, tmp_path: Path) -> None:
    house.record("agent", tmp_path)
    file = tmp_path / "agent.json"
    document = of_type(lines_of(tmp_path / "agent.jsonl"), "workflow")[0]["document"]
    for text, verdict in ((json.dumps(document), "same"), ("", "differs")):
        changed_text = text or json.dumps(document).replace("the total", "the sum")
        file.write_text(changed_text, encoding="utf-8")
        report = house.commands("backtest", str(file), "--dir", str(tmp_path), "--json").json
        (case,) = (one for one in report["cases"] if one["source"] == "recording")
        assert case["verdict"] == verdict, case
    (request,) = case["newRequests"]
    assert (request["step"], "RECORDING_NO_MATCH" in request["message"]) == ("think", True)
    assert case["notJudged"] == ["the result and what follows 'think': the answer is not recorded"]
