"""`toolweave node mode`: from one mode to another and back, with everything kept."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.driving import Commands
from tests.workflow.corpus.bases import line, mcp, node

from toolweave.testing.server import ScriptedServer, a_tool

WORDS = "Greet Ada Lovelace in German, please"
VALUES = {"name": "Ada", "language": "de"}


def written(tw: Commands) -> Path:
    hello = mcp("hello", "demo", "greet", dict(VALUES))
    hello["data"]["note"] = "kept by another program"
    document = line("greeting", [node("start", "start"), hello, node("end", "end")], extra=[1, 2])
    path = tw.project / "flow.json"
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return path


# Any: the node as plain JSON.
def data_of(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))["nodes"][1]["data"]


def switch(tw: Commands, path: Path, mode: str, *more: str) -> None:
    tw.ok("node", "mode", str(path), "hello", "--set", mode, *more)


def test_without_a_mode_to_set_it_is_shown_and_nothing_written(tw: Commands) -> None:
    path = written(tw)
    before = path.read_bytes()
    assert "detailed" in tw.ok("node", "mode", str(path), "hello").out
    ran = tw.ok("node", "mode", str(path), "hello", "--json")
    assert (ran.json["mode"], ran.json["toolName"]) == ("detailed", "greet")
    assert path.read_bytes() == before


def test_words_for_the_parameters_and_back_give_the_same_file_but_what_was_kept(
    tw: Commands,
) -> None:
    path = written(tw)
    before = data_of(path)
    switch(tw, path, "naturalLanguageParam", "--description", WORDS)
    between = data_of(path)
    assert between["naturalLanguageParamConfig"]["description"] == WORDS
    assert between["preservedDetailedConfig"]["parameterValues"] == VALUES
    switch(tw, path, "detailed")
    after = data_of(path)
    kept = {key: value for key, value in after.items() if not key.startswith("preserved")}
    assert kept == before


def test_the_words_are_there_again_when_the_mode_is_chosen_again(tw: Commands) -> None:
    path = written(tw)
    switch(tw, path, "naturalLanguageParam", "--description", WORDS)
    switch(tw, path, "detailed")
    switch(tw, path, "naturalLanguageParam")
    assert data_of(path)["naturalLanguageParamConfig"]["description"] == WORDS


def test_everything_else_in_the_file_stays_byte_for_byte(tw: Commands) -> None:
    path = written(tw)
    before = path.read_text(encoding="utf-8").splitlines()
    switch(tw, path, "naturalLanguageParam", "--description", WORDS)
    after = path.read_text(encoding="utf-8").splitlines()
    start = next(at for at, text in enumerate(before) if '"mode"' in text)
    first = next(
        at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other
    )
    assert first >= start - 4
    assert before[-20:] == after[-20:]


def test_a_task_in_words_takes_the_tools_that_were_approved(tw: Commands) -> None:
    tw.ok("servers", "add", "demo", "--", "toolweave", "demo-server")
    tw.ok("servers", "approve", "demo", "--yes")
    path = written(tw)
    task = "Greet everybody who is in the list of guests"
    switch(tw, path, "fullNaturalLanguage", "--description", task)
    config = data_of(path)["fullNaturalLanguageConfig"]
    assert config["taskDescription"] == task
    assert "greet" in [one["name"] for one in config["availableTools"]]
    assert data_of(path)["toolName"] == ""
    switch(tw, path, "detailed", "--tool", "greet")
    assert data_of(path)["parameterValues"] == VALUES


def test_switching_to_the_mode_it_has_changes_nothing(tw: Commands) -> None:
    path = written(tw)
    before = path.read_bytes()
    switch(tw, path, "detailed")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--description", ""], "MCP_NL_DESC_EMPTY"),
        (["--description", "short"], "MCP_NL_DESC_TOO_SHORT"),
        ([], "MCP_NL_DESC_EMPTY"),
    ],
)
def test_words_that_say_too_little_are_refused_and_the_file_stays(
    tw: Commands, words: list[str], code: str
) -> None:
    path = written(tw)
    before = path.read_bytes()
    ran = tw("node", "mode", str(path), "hello", "--set", "naturalLanguageParam", *words)
    assert ran.code == 1
    assert code in ran.err
    assert path.read_bytes() == before


@pytest.mark.requirement("001:MCP_NODE_NOT_FOUND")
def test_an_unknown_node_is_named_with_the_one_that_is_meant(tw: Commands) -> None:
    ran = tw("node", "mode", str(written(tw)), "helo", "--set", "detailed")
    assert ran.code == 1
    assert "'helo'" in ran.err
    assert "'hello'" in ran.err


def test_a_mode_that_does_not_exist_is_wrong_use(tw: Commands) -> None:
    ran = tw("node", "mode", str(written(tw)), "hello", "--set", "telepathy")
    assert ran.code == 2


def test_a_node_is_added_after_another_with_checked_values(tw: Commands, tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
        "additionalProperties": False,
    }
    tool = a_tool("greet", inputSchema=schema)
    tw.add("demo", ScriptedServer(tmp_path / "s", tool))
    file = tw.project / "w.json"
    file.write_text(
        '{"id": "w", "name": "w", "nodes": [{"id": "start", "type": "start", "name": "start", '
        '"data": {}}], "connections": []}'
    )
    wrong = tw("node", "add", "w.json", "demo", "greet", "--arg", "nmae=Ada")
    assert wrong.code == 1
    made = tw.ok(
        "node", "add", "w.json", "demo", "greet", "--arg", "name={{ trigger.who }}",
        "--after", "start", "--json",
    ).json  # fmt: skip
    assert (made["id"], made["parameterValues"]) == ("greet", {"name": "{{ trigger.who }}"})
    assert tw.ok("validate", "w.json", "--json").json["valid"] is True
    unknown = tw("node", "add", "w.json", "demo", "gret")
    assert (unknown.code, "did you mean 'greet'" in unknown.err) == (1, True)
