"""`toolweave record`: a finished run as a file."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.driving import Commands
from tests.cli.test_run import save
from tests.recording.conftest import OPTIONS, UNKEPT, House


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def of_type(lines: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [line for line in lines if line["type"] == kind]


def test_a_finished_run_becomes_a_file_with_its_calls_and_steps(
    house: House, tmp_path: Path
) -> None:
    assert "2 calls" in house.record("sums", tmp_path).out
    lines = lines_of(tmp_path / "sums.jsonl")
    header, end = lines[0], lines[-1]
    assert header["format"] == "toolweave.recording/1"
    assert header["source"]["fidelity"] == "wire"
    assert header["run"]["inputs"] == {"a": 1}
    assert header["servers"].keys() == {"demo"}
    assert "command" not in json.dumps(header)
    calls = of_type(lines, "call")
    assert [call["arguments"] for call in calls] == [{"a": 1, "b": 2}, {"a": 3.0, "b": 10.0}]
    assert [call["result"]["structuredContent"] for call in calls] == [{"sum": 3.0}, {"sum": 13.0}]
    assert [call["occurrence"] for call in calls] == [1, 1]
    tools = {line["definition"]["name"]: line["hash"] for line in of_type(lines, "tool")}
    assert calls[0]["tool_hash"] == tools["add"]
    steps = {line["key"]: line for line in of_type(lines, "step")}
    assert steps.keys() == {"s", "first", "second", "e"}
    assert steps["second"]["output"] == {"sum": 13.0}
    assert of_type(lines, "result")[0]["status"] == "success"
    assert (end["type"], end["calls"]) == ("end", 2)


def test_what_people_and_models_answered_is_recorded(samples: Path) -> None:
    (person,) = of_type(lines_of(samples / "asked.jsonl"), "person")
    assert (person["step"], person["reply"], person["by"]) == ("q", 0, "ada")
    (model,) = of_type(lines_of(samples / "chosen.jsonl"), "model")
    assert model["step"] == "fill"
    assert "Add two and three together." in json.dumps(model["request"])
    assert model["reply"]["message"]["wanted"][0]["arguments"] == {"a": 2, "b": 3}


def test_a_second_recording_of_a_name_is_refused_unless_it_may_replace(
    house: House, tmp_path: Path
) -> None:
    house.record("sums", tmp_path)
    before = (tmp_path / "sums.jsonl").read_bytes()
    refused = house.record("sums", tmp_path, run="counts")
    assert (refused.code, "RECORDING_EXISTS" in refused.err) == (1, True)
    assert (tmp_path / "sums.jsonl").read_bytes() == before
    assert house.record("sums", tmp_path, "--replace", run="counts").code == 0
    assert lines_of(tmp_path / "sums.jsonl")[0]["run"]["inputs"] == {}


@pytest.mark.parametrize("name", ["../out", "a/b", "", "x" * 101, "a.jsonl"])
def test_a_name_that_leaves_the_folder_is_refused(tw: Commands, name: str) -> None:
    refused = tw("record", "last", "--as", name)
    assert refused.code == 1
    assert "cannot be the name of a recording" in refused.err
    assert not (tw.project / "recordings").exists()


def test_an_unknown_or_unfinished_run_is_refused(tw: Commands) -> None:
    assert "there is no run 'nope'" in tw("record", "nope", "--as", "x").err
    question = ("askUserQuestion", {"questionText": "Go on?", "options": OPTIONS})
    edges = ["s > q", "q.branch-0 > e", "q.branch-1 > e"]
    tw("run", save(tw, {"s": "start", "q": question, "e": "end"}, edges))
    waiting = tw("record", "last", "--as", "x")
    assert (waiting.code, "only a finished run can be recorded" in waiting.err) == (1, True)


def test_exchanges_that_were_not_kept_leave_a_partial_recording(
    house: House, tmp_path: Path
) -> None:
    assert "were not kept" in house.record("partial", tmp_path, run=UNKEPT).out
    lines = lines_of(tmp_path / "partial.jsonl")
    assert lines[0]["source"]["fidelity"] == "partial"
    assert of_type(lines, "call") == []
    step = next(line for line in of_type(lines, "step") if line["key"] == "first")
    assert (step["replay"], step["output"]) == ("outcome", {"sum": 3.0})


def test_secrets_and_given_fields_are_masked_with_the_same_id_everywhere(
    house: House, samples: Path, tmp_path: Path
) -> None:
    house.record("mail", tmp_path, "--mask", "email")
    text = (tmp_path / "mail.jsonl").read_text(encoding="utf-8")
    assert "hunter2" not in text
    assert "ada@example.org" not in text
    opened = (samples / "mail.jsonl").read_text(encoding="utf-8")
    assert "ada@example.org" in opened  # masked by its rule, not by chance
    assert "hunter2" not in opened
    lines = lines_of(tmp_path / "mail.jsonl")
    inputs = lines[0]["run"]["inputs"]
    assert inputs["n"] == 1
    assert of_type(lines, "call")[0]["arguments"]["text"] == (
        f"To {inputs['email']} with {inputs['password']}"
    )
    ids = {mask["id"]: mask["at"] for mask in lines[0]["masks"]}
    assert "seq:1/arguments/text" in ids[inputs["email"][7:-1]]


@pytest.mark.parametrize(("rule", "is_masked"), [("*mail", True), ("E-?ail", False)])
def test_the_setting_masks_fields_by_name_in_every_recording(
    house: House, tmp_path: Path, rule: str, is_masked: bool
) -> None:
    args = ("record", house.runs["mail"], "--as", "mail", "--dir", str(tmp_path))
    house.commands.ok(*args, TOOLWEAVE_RECORD_MASK=f"phone, {rule}")
    text = (tmp_path / "mail.jsonl").read_text(encoding="utf-8")
    assert ("ada@example.org" not in text) == is_masked


def test_large_values_stand_beside_the_file(samples: Path) -> None:
    big = "x" * 70_000
    assert big not in (samples / "big.jsonl").read_text(encoding="utf-8")
    call = of_type(lines_of(samples / "big.jsonl"), "call")[0]
    digest = call["arguments"]["$value"]["sha256"]
    kept = json.loads((samples / "big.values" / f"{digest}.json").read_text(encoding="utf-8"))
    assert kept == {"text": big}
