"""How a call finds its recorded answer: each documented rule, through the mock or a test."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from tests.cli.driving import Commands
from tests.cli.test_run import mcp
from tests.recording.conftest import SAMPLES
from tests.recording.test_replay import changed, edit, outcome

from toolweave.recording.entries import CallLine, Header, RecordingSource, ToolLine
from toolweave.recording.files import FORMAT, read_recording, write_recording
from toolweave.recording.mock_server import build_mock
from toolweave.recording.recording import Recording

TOOL: dict[str, Any] = {
    "name": "find",
    "inputSchema": {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "limit": {"type": "integer", "default": 10},
            "tags": {"type": "array", "items": {"type": "string"}},
            "options": {
                "type": "object",
                "properties": {"deep": {"type": "boolean", "default": False}},
            },
        },
    },
}


def recorded_calls(path: Path, *calls: dict[str, Any], match: dict[str, Any]) -> Recording:
    """A recording of calls of one tool, read from its file; each answers with its number."""
    lines = [
        CallLine.model_validate(
            {
                "type": "call",
                "seq": number,
                "group": number,
                "server": "box",
                "tool": "find",
                "tool_hash": "h",
                "arguments": arguments,
                "key": str(number),
                "result": {"content": [{"type": "text", "text": str(number)}]},
            }
        )
        for number, arguments in enumerate(calls, 1)
    ]
    header: dict[str, Any] = {"type": "recording", "format": FORMAT, "name": path.stem}
    header |= {"recorded_at": "2026-01-01", "source": RecordingSource(kind="proxy"), "match": match}
    tool = ToolLine(type="tool", server="box", hash="h", definition=TOOL)
    whole = Recording(Header.model_validate(header), tools=(tool,), calls=tuple(lines))
    write_recording(whole, path)
    return read_recording(path).recording


async def asked(recording: Recording, *calls: dict[str, Any]) -> list[str]:
    """What a client gets for each call: the number of the entry, or the error."""
    found: list[str] = []
    async with Client(build_mock(recording, "box")) as client:
        for arguments in calls:
            try:
                result = await client.call_tool("find", arguments)
            except MCPError as error:
                found.append(error.message)
            else:
                found.append(str(getattr(result.content[0], "text", None)))
    return found


@pytest.mark.anyio
@pytest.mark.parametrize(
    "given",
    [
        {"limit": 10, "text": "a", "options": {"deep": False}},  # other order of keys
        {"text": "a", "options": {}},  # defaults, also of nested objects
        {"text": "a", "limit": 10.0, "options": {}},
    ],
)
async def test_arguments_that_mean_the_same_match(tmp_path: Path, given: dict[str, Any]) -> None:
    recording = recorded_calls(
        tmp_path / "x.jsonl", {"text": "a", "limit": 10, "options": {"deep": False}}, match={}
    )
    assert await asked(recording, given) == ["1"]


@pytest.mark.anyio
async def test_arrays_keep_their_order_and_other_values_are_refused(tmp_path: Path) -> None:
    recording = recorded_calls(tmp_path / "x.jsonl", {"tags": ["a", "b"]}, match={})
    refused, same = await asked(recording, {"tags": ["b", "a"]}, {"tags": ["a", "b"]})
    assert "nearest: entry 1, /tags/0: expected 'a', got 'b'; /tags/1" in refused
    assert same == "1"


@pytest.mark.anyio
async def test_ignored_places_do_not_matter_also_inside_of_objects(tmp_path: Path) -> None:
    call, other = (
        {"text": text, "options": {"deep": deep}} for text, deep in (("a", True), ("b", False))
    )
    match = {"ignore": [{"tool": "find", "arguments": ["/text", "/options/deep"]}]}
    assert await asked(recorded_calls(tmp_path / "x.jsonl", call, match=match), other) == ["1"]
    (refused,) = await asked(recorded_calls(tmp_path / "y.jsonl", call, match={}), other)
    assert "/options/deep" in refused  # the control


@pytest.mark.anyio
async def test_the_nth_call_gets_the_nth_answer_and_the_last_repeats_on_request(
    tmp_path: Path,
) -> None:
    calls = ({"text": "a"}, {"text": "a"})
    once = recorded_calls(tmp_path / "x.jsonl", *calls, match={})
    first, second, third = await asked(once, *[{"text": "a"}] * 3)
    assert (first, second) == ("1", "2")
    assert third.startswith("RECORDING_USED_UP")
    again = recorded_calls(tmp_path / "y.jsonl", *calls, match={"repeat_last": True})
    assert await asked(again, *[{"text": "a"}] * 4) == ["1", "2", "2", "2"]


@pytest.mark.anyio
async def test_the_order_matters_only_if_it_is_strict(tmp_path: Path) -> None:
    calls = ({"text": "a"}, {"text": "b"})
    anyhow = recorded_calls(tmp_path / "x.jsonl", *calls, match={})
    assert await asked(anyhow, *reversed(calls)) == ["2", "1"]
    strict = recorded_calls(tmp_path / "y.jsonl", *calls, match={"order": "strict"})
    assert await asked(strict, *calls) == ["1", "2"]
    refused, _ = await asked(strict, *reversed(calls))
    assert "is recorded after entry 1 of 'box/find', which was not made yet" in refused


def of_header(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda line: line.update(fields) if "format" in line else None


def test_a_strict_order_fails_a_test_of_a_workflow_that_calls_in_another_one(
    recorded: Commands, recordings: Path
) -> None:
    other = mcp("add", "demo", a=3, b=10)
    swapped = changed(recorded, "sums", first=other, second=mcp("add", "demo", a=1, b=2))
    found = outcome(recorded, "sums", "--workflow", swapped)
    assert not [one for one in found["differences"] if one["what"] == "refused"]  # the control
    edit(recordings / "sums.jsonl", of_header(match={"order": "strict"}))
    assert outcome(recorded, "sums")["status"] == "passed"
    found = outcome(recorded, "sums", "--workflow", swapped)
    (refused, *_) = [one for one in found["differences"] if one["what"] == "refused"]
    assert refused["step"] == "first"


def test_the_mock_warns_about_a_call_of_another_definition(
    recorded: Commands, recordings: Path
) -> None:
    assert "another definition" not in recorded.run("mock", "sums").err
    edit(
        recordings / "sums.jsonl",
        lambda line: line.update(tool_hash="0" * 64) if line["type"] == "call" else None,
    )
    assert (
        "entry 1 was recorded with another definition of 'add'" in recorded.run("mock", "sums").err
    )


def test_accepted_differences_are_masked_as_a_recording_is(
    recorded: Commands, recordings: Path
) -> None:
    """A secret of the home, and a text in a field with a telling name, do not reach the file."""
    recorded("secrets", "set", "mine", input="s3cret-of-home")
    sorry = ("prompt", {"prompt": "Nothing with s3cret-of-home."})
    file = changed(recorded, "handled", sorry=sorry)
    document = json.loads((recorded.project / file).read_text(encoding="utf-8"))
    document["nodes"][0]["data"]["password"] = "hunter3-long"
    (recorded.project / file).write_text(json.dumps(document), encoding="utf-8")
    ran = recorded.ok("test", "handled", "--workflow", file, "--update")
    assert ran.out.startswith("updated")
    text = (recordings / "handled.jsonl").read_text(encoding="utf-8")
    assert "s3cret-of-home" not in text
    assert "hunter3-long" not in text
    assert "Nothing with ${mask:" in text


def test_masks_that_are_there_keep_their_numbers_when_more_are_added(
    recorded: Commands, recordings: Path
) -> None:
    path = recordings / "mail.jsonl"
    (before,) = read_recording(path).recording.header.masks
    loud = ("prompt", {"prompt": "Mail, {{ data.text }}"})
    file = changed(recorded, "mail", loud=loud)
    document = json.loads((recorded.project / file).read_text(encoding="utf-8"))
    document["nodes"][0]["data"]["password"] = "hunter3-long"
    (recorded.project / file).write_text(json.dumps(document), encoding="utf-8")
    recorded.ok("test", "mail", "--workflow", file, "--update")
    masks = read_recording(path).recording.header.masks
    assert [one.id for one in masks] == [before.id, "m2"]
    assert "${mask:m1}" in str(read_recording(path).recording.calls[0].arguments)


DAMAGES: dict[str, tuple[Callable[[str], str], str, str]] = {
    "damaged": (lambda text: text.replace('"type":"call"', '"type":"call', 1), "INVALID", "line "),
    "foreign": (lambda _: '{"jsonrpc":"2.0"}\n', "VERSION", "not a recording"),
    "newer": (lambda text: text.replace("recording/1", "recording/9", 1), "VERSION", "upgrade"),
    "big": (lambda text: text, "VALUE_MISSING", "restore the folder 'big.values'"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_recording_that_cannot_be_read_is_refused_with_its_place_and_left_as_it_is(
    recorded: Commands, recordings: Path, name: str
) -> None:
    change, code, words = DAMAGES[name]
    path = recordings / f"{name}.jsonl"
    source = path if name == "big" else recordings / "sums.jsonl"
    path.write_text(change(source.read_text(encoding="utf-8")), encoding="utf-8")
    for file in recordings.glob("big.values/*"):
        file.unlink()
    before = path.read_bytes()
    for command in (("test", name), ("test", name, "--update"), ("mock", name)):
        ran = recorded(*command)
        assert ran.code == 1, command
        assert f"RECORDING_{code}" in ran.out + ran.err
        assert words in ran.out + ran.err
    recorded.ok("workflows", "save", changed(recorded, "sums"))
    judged = recorded("backtest", "test", "--json").json["cases"]
    assert name in {one["name"] for one in judged if one["verdict"] == "not_judged"}
    assert path.read_bytes() == before


def test_a_recording_of_200_megabytes_is_refused_by_every_command(
    recorded: Commands, recordings: Path
) -> None:
    with (recordings / "huge.jsonl").open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    for command in (("test", "huge"), ("mock", "huge")):
        ran = recorded(*command)
        assert (ran.code, "at most 104857600 are read" in ran.out + ran.err) == (1, True)
    recorded.ok("workflows", "save", changed(recorded, "sums"))
    cases = recorded("backtest", "test", "--json").json["cases"]
    assert [one["name"] for one in cases if one["verdict"] == "not_judged"] == ["huge"]
    assert len(SAMPLES) == sum(one["source"] == "recording" for one in cases) - 1


def test_the_secrets_of_another_home_neither_hide_nor_change_what_is_compared(
    recorded: Commands, recordings: Path
) -> None:
    recorded("secrets", "set", "theirs", input="Nothing there.")  # the text of a recorded step
    assert outcome(recorded, "handled")["status"] == "passed"
    file = changed(recorded, "handled", sorry=("prompt", {"prompt": "Nothing here."}))
    assert outcome(recorded, "handled", "--workflow", file)["status"] == "failed"
    assert outcome(recorded, "mail")["status"] == "passed"  # masked with a secret of its own home
