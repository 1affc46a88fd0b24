"""`toolweave record`: a finished run as a file."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.driving import Commands
from tests.cli.test_run import mcp, save

SUM = (
    {
        "s": "start",
        "first": mcp("add", "demo", a="{{ data.a }}", b=2),
        "second": mcp("add", "demo", a="{{ data.sum }}", b=10.0),
        "e": "end",
    },
    ["s > first", "first > second", "second > e"],
)

OPTIONS = [{"label": "Yes"}, {"label": "No"}]


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def of_type(lines: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [line for line in lines if line["type"] == kind]


def test_a_finished_run_becomes_a_file_with_its_calls_and_steps(
    demo: Commands, recordings: Path
) -> None:
    file = save(demo, *SUM)
    demo.ok("run", file, "--input", "a=1")
    told = demo.ok("record", "last", "--as", "sums")
    assert "2 calls" in told.out
    lines = lines_of(recordings / "sums.jsonl")
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


def test_a_second_recording_of_a_name_is_refused_unless_it_may_replace(
    demo: Commands, recordings: Path
) -> None:
    file = save(demo, *SUM)
    demo.ok("run", file, "--input", "a=1")
    demo.ok("record", "last", "--as", "sums")
    before = (recordings / "sums.jsonl").read_bytes()
    demo.ok("run", file, "--input", "a=5")
    refused = demo("record", "last", "--as", "sums", "--json")
    assert (refused.code, json.loads(refused.out or refused.err)["error"]["code"]) == (
        1,
        "RECORDING_EXISTS",
    )
    assert (recordings / "sums.jsonl").read_bytes() == before
    demo.ok("record", "last", "--as", "sums", "--replace")
    assert lines_of(recordings / "sums.jsonl")[0]["run"]["inputs"] == {"a": 5}


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
    demo: Commands, recordings: Path
) -> None:
    file = save(demo, *SUM)
    demo.ok("run", file, "--input", "a=1", TOOLWEAVE_RECORD_BYTES="0")
    told = demo.ok("record", "last", "--as", "sums")
    assert "were not kept" in told.out
    lines = lines_of(recordings / "sums.jsonl")
    assert lines[0]["source"]["fidelity"] == "partial"
    assert of_type(lines, "call") == []
    step = next(line for line in of_type(lines, "step") if line["key"] == "first")
    assert (step["replay"], step["output"]) == ("outcome", {"sum": 3.0})


def test_secrets_and_given_fields_are_masked_with_the_same_id_everywhere(
    demo: Commands, recordings: Path
) -> None:
    given = {"email": "ada@example.org", "password": "hunter2-long", "n": 1}
    nodes = {
        "s": "start",
        "say": mcp("echo", "demo", text="Mail to {{ data.email }} with {{ data.password }}"),
        "e": "end",
    }
    file = save(demo, nodes, ["s > say", "say > e"])
    demo.ok("run", file, "--inputs", json.dumps(given))
    demo.ok("record", "last", "--as", "masked", "--mask", "email")
    demo.ok("record", "last", "--as", "open")
    text = (recordings / "masked.jsonl").read_text(encoding="utf-8")
    assert "hunter2" not in text
    assert "ada@example.org" not in text
    opened = (recordings / "open.jsonl").read_text(encoding="utf-8")
    assert "ada@example.org" in opened  # masked by its rule, not by chance
    assert "hunter2" not in opened
    lines = lines_of(recordings / "masked.jsonl")
    inputs = lines[0]["run"]["inputs"]
    assert inputs["n"] == 1
    assert of_type(lines, "call")[0]["arguments"]["text"] == (
        f"Mail to {inputs['email']} with {inputs['password']}"
    )
    ids = {mask["id"]: mask["at"] for mask in lines[0]["masks"]}
    assert "seq:1/arguments/text" in ids[inputs["email"][7:-1]]


def test_large_values_stand_beside_the_file(demo: Commands, recordings: Path) -> None:
    nodes = {"s": "start", "say": mcp("echo", "demo", text="{{ data.text }}"), "e": "end"}
    file = save(demo, nodes, ["s > say", "say > e"])
    big = "x" * 70_000
    (demo.project / "in.json").write_text(json.dumps({"text": big}))
    demo.ok("run", file, "--inputs", json.dumps({"text": big}))
    demo.ok("record", "last", "--as", "big")
    assert big not in (recordings / "big.jsonl").read_text(encoding="utf-8")
    call = of_type(lines_of(recordings / "big.jsonl"), "call")[0]
    digest = call["arguments"]["$value"]["sha256"]
    kept = json.loads((recordings / "big.values" / f"{digest}.json").read_text())
    assert kept == {"text": big}
