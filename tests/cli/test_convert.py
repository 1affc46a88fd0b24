"""`toolweave convert FILE --to DIALECT`."""

import json
import os
import stat
from pathlib import Path

import pytest
from tests.cli.driving import Commands
from tests.workflow.sample_files import FOLDER, JSON_FILES, dialect_of, text_of

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.formats.format import FORMAT_NAMES

FLOW = str(FOLDER / "flow" / "third.json")
YAML = FOLDER / "agent-team" / "current.yaml"


@pytest.mark.parametrize("name", JSON_FILES)
def test_a_file_converted_there_and_back_is_the_same_file(tw: Commands, name: str) -> None:
    for to in FORMAT_NAMES:
        there = tw.ok("convert", str(FOLDER / name), "--to", to).out
        (tw.project / "there.json").write_text(there, encoding="utf-8")
        back = tw.ok("convert", "there.json", "--to", dialect_of(name)).out
        assert json.loads(back) == json.loads(text_of(name))


def test_a_file_is_read_from_standard_input(tw: Commands) -> None:
    ran = tw("convert", "-", "--to", "ccwf", input=Path(FLOW).read_bytes())
    assert (ran.code, ran.json["name"]) == (0, "Support_Reply")


def test_yaml_is_known_by_its_ending_and_by_its_content(tw: Commands) -> None:
    by_ending = tw.ok("convert", str(YAML), "--to", "agent-team").out
    by_content = tw("convert", "-", "--to", "agent-team", input=YAML.read_bytes())
    assert by_content.out == by_ending
    assert json.loads(by_ending)["nodes"]


def test_problems_are_told_on_stderr_and_the_document_alone_on_stdout(tw: Commands) -> None:
    nodes: list[Json] = [{"id": "a", "type": "start"}, {"id": "a", "type": "end"}, 5]
    document: JsonObject = {
        "id": "w",
        "name": "../w",
        "version": "1",
        "nodes": nodes,
        "connections": [],
    }
    Path("w.json").write_text(json.dumps(document), encoding="utf-8")
    ran = tw("convert", "w.json", "--to", "toolweave")
    assert (ran.code, ran.json) == (0, document)
    assert "error /nodes/1/id: " in ran.err
    assert "[NODE_ID_DUPLICATE]" in ran.err
    assert "warning /name: " in ran.err


def test_json_holds_document_dialects_and_problems(tw: Commands) -> None:
    told = tw.ok("convert", FLOW, "--to", "agent-team", "--json").json
    assert (told["from"], told["to"], told["problems"]) == ("flow", "agent-team", [])
    assert told["document"]["metadata"]["name"] == "Support_Reply"


def test_a_file_is_written_whole_and_nothing_is_left_beside_it(tw: Commands) -> None:
    ran = tw.ok("convert", FLOW, "--to", "toolweave", "--out", "new.json")
    assert ran.out == ""
    assert "Converted from flow to toolweave: new.json" in ran.err
    assert Path("new.json").read_text("utf-8") == tw.ok("convert", FLOW, "--to", "toolweave").out
    assert os.listdir(".") == ["new.json"]


def test_a_file_that_is_there_is_only_written_over_when_asked_for(tw: Commands) -> None:
    there = tw.project / "there.json"
    there.write_text("mine", encoding="utf-8")
    there.chmod(0o640)
    ran = tw("convert", FLOW, "--to", "toolweave", "--out", "there.json", "--json")
    assert (ran.code, ran.json["error"]["code"]) == (1, "FILE_EXISTS")
    assert there.read_text("utf-8") == "mine"
    told = tw.ok("convert", FLOW, "--to", "toolweave", "--out", "there.json", "--force", "--json")
    assert told.json == {"from": "flow", "to": "toolweave", "problems": [], "out": "there.json"}
    assert json.loads(there.read_text("utf-8"))["name"] == "Support_Reply"
    assert stat.S_IMODE(there.stat().st_mode) == 0o640


def test_a_link_to_nowhere_is_a_file_that_is_there(tw: Commands) -> None:
    (tw.project / "link.json").symlink_to("nowhere.json")
    assert tw("convert", FLOW, "--to", "flow", "--out", "link.json").code == 1
    assert not (tw.project / "nowhere.json").exists()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"", "WORKFLOW_NOT_JSON"),
        (b"hello \x1b[2J", "WORKFLOW_NOT_JSON"),
        (b'{"nodes": [], "nodes": []}', "WORKFLOW_NOT_JSON"),
        (b"[" * 100_000, "WORKFLOW_NOT_JSON"),
        (b'{"a": NaN}', "WORKFLOW_NOT_JSON"),
        (b'"\\ud800"', "WORKFLOW_NOT_JSON"),
        (b'{"a": 1}', "WORKFLOW_UNKNOWN_DIALECT"),
        (b"5", "WORKFLOW_UNKNOWN_DIALECT"),
        (b" " * (16 * 1024 * 1024 + 1), "WORKFLOW_TOO_LARGE"),
    ],
)
def test_what_is_no_workflow_is_refused_in_words(tw: Commands, text: bytes, code: str) -> None:
    ran = tw("convert", "-", "--to", "flow", "--out", "new.json", input=text)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("Error: standard input is not a workflow: ")
    assert f"[{code}]" in ran.err
    assert "Traceback" not in ran.err
    assert "\x1b" not in ran.err
    assert os.listdir(".") == []


@pytest.mark.parametrize(
    ("argv", "exit_code", "code"),
    [
        (("missing.json", "--to", "flow"), 1, "FILE_NOT_FOUND"),
        ((".", "--to", "flow"), 1, "FILE_UNREADABLE"),
        ((FLOW, "--to", "flow", "--out", "no/such/folder.json"), 1, "FILE_UNWRITABLE"),
        ((FLOW, "--to", "xml"), 2, "USAGE"),
        ((FLOW,), 2, "USAGE"),
        ((), 2, "USAGE"),
    ],
)
def test_what_cannot_be_done_ends_with_its_exit_code(
    tw: Commands, argv: tuple[str, ...], exit_code: int, code: str
) -> None:
    ran = tw("convert", *argv, "--json")
    assert (ran.code, ran.json["error"]["code"]) == (exit_code, code)


def test_a_terminal_is_not_acted_upon_and_a_pipe_gets_every_byte(tw: Commands) -> None:
    document: JsonObject = {
        "id": "w",
        "name": "a\u009b2J\u202e",
        "version": "1",
        "nodes": [],
        "connections": [],
    }
    text = json.dumps(document, ensure_ascii=False, indent=2)
    (tw.project / "w.json").write_text(text, encoding="utf-8")
    assert "\u009b2J\u202e" in tw.run("convert", "w.json", "--to", "toolweave").out
    with tw.terminal("convert", "w.json", "--to", "toolweave") as terminal:
        assert terminal.end() == 0
    assert "\u009b" not in terminal.raw.decode()
    assert "\\u009b2J\\u202e" in terminal.raw.decode()
