"""`toolweave test`: recordings replayed without servers, models and people."""

import json
import shutil
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.cli.driving import Commands
from tests.cli.test_run import mcp, save
from tests.recording.conftest import SAMPLES, UNKEPT, House

from toolweave.cli.run_report import as_line
from toolweave.json_text import Json, canonical
from toolweave.recording.files import read_recording
from toolweave.recording.replay import open_replayer
from toolweave.testing.server import ScriptedServer

OUTWARD = ("socket.connect", "subprocess.Popen", "os.exec", "os.fork", "os.posix_spawn")
_watched: list[str] | None = None


def _hear(event: str, _arguments: object) -> None:
    if _watched is not None and event in OUTWARD:
        _watched.append(event)


@contextmanager
def watching() -> Generator[list[str]]:
    """Every process started and connection made by this process."""
    global _watched
    if not getattr(_hear, "is_added", False):
        sys.addaudithook(_hear)  # cannot be removed
        _hear.is_added = True  # type: ignore[attr-defined]
    _watched = heard = []
    try:
        yield heard
    finally:
        _watched = None


def edit(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the lines of a recording, each in place."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        change(line)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def changed(tw: Commands, name: str, **nodes: Any) -> str:
    """The sample's workflow with other nodes, as a file."""
    before, edges, _ = SAMPLES[name]
    return save(tw, {**before, **nodes}, edges)


def outcome(tw: Commands, *args: str) -> dict[str, Any]:
    (found,) = tw("test", *args, "--json").json
    return found


def test_every_sample_replays_as_recorded_in_a_home_without_servers(recorded: Commands) -> None:
    ran = recorded("test", "--json", "--require-all")
    assert [(one["name"], one["status"], one["messages"]) for one in ran.json] == [
        (name, "passed", []) for name in sorted(SAMPLES)
    ]
    assert recorded.ok("servers", "list", "--json").json == []


def test_a_replay_starts_no_process_and_makes_no_connection(
    recorded: Commands, tmp_path: Path
) -> None:
    with watching() as heard:
        recorded.ok("test")
    assert heard == []
    recorded.add("mine", ScriptedServer(tmp_path / "s"))
    with watching() as heard:
        recorded.ok("call", "mine", "echo", "--arg", "text=x")
    assert "subprocess.Popen" in heard


@pytest.mark.anyio
async def test_a_hundred_replays_are_identical_to_the_last_byte(samples: Path) -> None:
    """Everything the run did, in its order, with its times and ids: the whole journal."""
    names = ("counts", "asked", "paused", "agent")
    journals: dict[str, set[bytes]] = {name: set() for name in names}
    async with open_replayer() as replayer:
        for name in names * 25:
            recording = read_recording(samples / f"{name}.jsonl").recording
            replayed = await replayer.replay(recording)
            lines: list[Json] = [as_line(entry) for entry in replayed.entries]
            journals[name].add(canonical(lines))
    assert {name: len(found) for name, found in journals.items()} == dict.fromkeys(names, 1)
    assert len({one for found in journals.values() for one in found}) == len(names)  # the control


def test_a_changed_step_fails_with_its_name_and_place_until_it_is_accepted(
    recorded: Commands,
) -> None:
    sorry = ("prompt", {"prompt": "Not there."})
    file = changed(recorded, "handled", sorry=sorry)
    ran = recorded("test", "handled", "--workflow", file)
    assert ran.code == 1
    told = ran.lines[1].strip(), ran.lines[2].strip()
    assert told == ("sorry", "/: expected 'Nothing there.', got 'Not there.'")
    assert recorded.ok("test", "handled").code == 0  # not accepted yet
    assert recorded.ok("test", "handled", "--workflow", file, "--update").code == 0
    assert recorded.ok("test", "handled", "--workflow", file).code == 0
    assert recorded.ok("test", "handled").out.startswith("✓")


def test_the_stored_workflow_is_tested_if_there_is_one(recorded: Commands) -> None:
    assert outcome(recorded, "sums")["workflow"] == "recorded"
    recorded.ok("workflows", "save", changed(recorded, "sums"))
    assert (outcome(recorded, "sums")["workflow"], outcome(recorded, "sums")["status"]) == (
        "current",
        "passed",
    )


def test_a_call_that_is_not_recorded_is_refused_with_the_nearest_and_the_difference(
    recorded: Commands,
) -> None:
    file = changed(recorded, "sums", second=mcp("add", "demo", a="{{ data.sum }}", b=11))
    found = outcome(recorded, "sums", "--workflow", file)
    refused = next(one for one in found["differences"] if one["what"] == "refused")
    assert refused["step"] == "second"
    assert refused["message"].startswith("RECORDING_NO_MATCH")
    assert "nearest: entry 2, /b: expected 10, got 11" in refused["message"]
    assert found["unused"] == ["call 2 of demo/add"]
    # A number written otherwise is the same number.
    same = changed(recorded, "sums", second=mcp("add", "demo", a="{{ data.sum }}", b=10))
    assert outcome(recorded, "sums", "--workflow", same)["status"] == "passed"


def test_a_call_made_once_more_than_recorded_is_used_up_unless_it_may_repeat(
    recorded: Commands, recordings: Path
) -> None:
    before, _, _ = SAMPLES["counts"]
    nodes = {**before, "three": mcp("counter", "demo", name="c")}
    file = save(recorded, nodes, ["s > one", "one > two", "two > three", "three > e"])
    found = outcome(recorded, "counts", "--workflow", file)
    assert "RECORDING_USED_UP" in found["differences"][0]["message"]
    assert "is recorded 2 times and was made once more" in found["differences"][0]["message"]
    edit(
        recordings / "counts.jsonl",
        lambda line: line.update(match={"repeat_last": True}) if "format" in line else None,
    )
    repeated = outcome(recorded, "counts", "--workflow", file)
    assert [one["what"] for one in repeated["differences"]] == ["new"]


def test_a_workflow_cannot_hide_a_refused_call_behind_its_error_port(recorded: Commands) -> None:
    file = changed(recorded, "handled", read=mcp("recall", "demo", key="elsewhere"))
    found = outcome(recorded, "handled", "--workflow", file)
    # The run itself ends as recorded: its error port takes every failure.
    assert [one["step"] for one in found["differences"]] == ["read"]
    assert found["status"] == "failed"
    assert recorded("test", "handled", "--workflow", file, "--update").code == 1


def test_ignored_arguments_and_volatile_results_do_not_matter(
    recorded: Commands, recordings: Path
) -> None:
    file = changed(recorded, "sums", second=mcp("add", "demo", a="{{ data.sum }}", b=99))
    ignore = {"ignore": [{"tool": "add", "arguments": ["/b"]}]}
    path = recordings / "sums.jsonl"
    edit(path, lambda line: line.update(match=ignore) if "format" in line else None)
    assert outcome(recorded, "sums", "--workflow", file)["status"] == "passed"
    edit(path, lambda line: line.update(output={"sum": 0}) if line.get("key") == "second" else None)
    assert outcome(recorded, "sums")["status"] == "failed"
    volatile = {"volatile": [{"tool": "add", "result": ["/sum"]}]}
    edit(path, lambda line: line.update(match=volatile) if "format" in line else None)
    assert outcome(recorded, "sums")["status"] == "passed"


def test_unused_entries_are_listed_and_fail_only_if_all_are_required(recorded: Commands) -> None:
    nodes, edges = {"s": "start", "e": "end"}, ["s > e"]
    file = save(recorded, nodes, edges)
    recorded("test", "counts", "--workflow", file, "--update")
    assert recorded.ok("test", "counts").out.count("unused: call") == 2
    refused = recorded("test", "counts", "--require-all")
    assert (refused.code, refused.out.count("not made: call")) == (1, 2)


def test_a_changed_tool_fails_the_test_with_the_typed_difference(
    house: House, samples: Path, tmp_path: Path
) -> None:
    assert outcome(house.commands, "sums", "--dir", str(samples))["status"] == "passed"
    path = tmp_path / "sums.jsonl"
    shutil.copy(samples / "sums.jsonl", path)

    def describe(line: dict[str, Any]) -> None:
        if line["type"] == "tool" and line["definition"]["name"] == "add":
            line["hash"] = "0" * 64
            line["definition"]["description"] = "Adds."

    edit(path, describe)
    found = outcome(house.commands, "sums", "--dir", str(tmp_path))
    assert found["status"] == "failed"
    assert found["messages"][0].startswith("tool demo/add: text_only (description: ")


def test_a_recording_made_from_the_journal_alone_replays(house: House, tw: Commands) -> None:
    house.record("partial", tw.project / "recordings", run=UNKEPT)
    assert outcome(tw, "partial")["status"] == "passed"
    other = changed(tw, "sums", second=mcp("add", "demo", a="{{ data.sum }}", b=11))
    assert "RECORDING_NO_MATCH" in str(outcome(tw, "partial", "--workflow", other))


def test_a_masked_recording_replays_and_its_masks_match(house: House, tw: Commands) -> None:
    house.record("mail", tw.project / "recordings", "--mask", "email")
    assert outcome(tw, "mail")["status"] == "passed"


def test_a_changed_prompt_says_that_its_answer_is_not_recorded(recorded: Commands) -> None:
    _, data = SAMPLES["chosen"][0]["fill"]
    other = {"naturalLanguageParamConfig": {"description": "Add two and four together."}}
    file = changed(recorded, "chosen", fill=("mcp", data | other))
    found = outcome(recorded, "chosen", "--workflow", file)
    assert "this request of 'the model' is not recorded" in str(found["differences"])
    assert outcome(recorded, "chosen")["status"] == "passed"


def test_the_report_for_ci_names_each_recording_and_its_differences(recorded: Commands) -> None:
    sorry = ("prompt", {"prompt": "<&\x07"})
    file = changed(recorded, "handled", sorry=sorry)
    assert recorded("test", "handled", "--workflow", file, "--junit", "out.xml").code == 1
    suite = ElementTree.parse(recorded.project / "out.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    (failure,) = suite.iter("failure")
    assert failure.get("message") == "sorry"
    assert "<&" in str(failure.text)
    recorded.ok("test", "handled", "--junit", "out.xml")
    assert ElementTree.parse(recorded.project / "out.xml").getroot().get("failures") == "0"


def test_a_damaged_recording_fails_and_the_others_are_tested(
    recorded: Commands, recordings: Path
) -> None:
    (recordings / "counts.jsonl").write_text("{}\n", encoding="utf-8")
    text = (recordings / "sums.jsonl").read_text(encoding="utf-8")
    cut = text[: text.rindex('{"type":"end"')]
    (recordings / "sums.jsonl").write_text(cut, encoding="utf-8")
    ran = recorded("test", "--json")
    found = {one["name"]: one for one in ran.json}
    assert ran.code == 1
    assert found["counts"]["messages"][0].startswith("RECORDING_VERSION")
    assert found["asked"]["status"] == "passed"
    assert found["sums"]["status"] == "passed"
    assert "cut off" in found["sums"]["warnings"][0]


def test_a_recording_cannot_bring_a_server_with_it(recorded: Commands, recordings: Path) -> None:
    command = {"command": "touch", "args": [str(recorded.project / "touched")]}
    edit(
        recordings / "sums.jsonl",
        lambda line: (
            line.update(servers={"demo": command, "new": command}) if "format" in line else None
        ),
    )
    assert outcome(recorded, "sums")["status"] == "passed"
    assert recorded.ok("servers", "list", "--json").json == []
    assert not (recorded.project / "touched").exists()


def test_an_unknown_name_is_told_and_without_recordings_too(recorded: Commands) -> None:
    found = outcome(recorded, "summs")
    assert found["messages"][0].startswith("RECORDING_UNKNOWN")
    assert "no recordings" in recorded("test", "--dir", "empty").err
