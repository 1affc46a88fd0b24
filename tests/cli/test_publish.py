"""`toolweave publish`, `unpublish`, `published`: from a file to a tool and back."""

import json

from tests.cli.driving import Commands

from rest.drawn import greeting


def test_a_file_becomes_a_tool_changes_and_is_taken_back(tw: Commands) -> None:
    file = tw.project / "greet.json"
    file.write_text(json.dumps(greeting()), encoding="utf-8")
    assert "No published workflows" in tw("published").out
    made = tw("publish", str(file), "--as", "hello", "--if-left", "continue", "--json")
    assert (made.code, made.json["tool"], made.json["ifLeft"]) == (0, "hello", "continue")
    assert tw("publish", str(file)).code == 0  # the same again keeps what was said
    (listed,) = tw("published", "--json").json
    assert (listed["tool"], listed["state"], listed["ifLeft"]) == ("hello", "current", "continue")
    changed = {**greeting(), "description": "Says hello."}
    file.write_text(json.dumps(changed), encoding="utf-8")
    taken = tw("publish", str(file), "--json").json["error"]
    assert (taken["code"], "--replace" in taken["hint"]) == ("WORKFLOW_NAME_TAKEN", True)
    stored = tw.state / "workflows" / "greet.json"
    stored.write_text(json.dumps(changed), encoding="utf-8")
    assert tw("published", "--json").json[0]["state"] == "changed since"
    assert tw("publish", "greet", "--json").json["description"] == "Says hello."
    assert tw("publish", str(file), "--replace").code == 0
    assert "hello" in tw("published").out
    assert tw("unpublish", "greet").code == 0
    assert "NOT_PUBLISHED" in tw("unpublish", "greet", "--json").out
    key = tw("keys", "create", "--scope", "workflows:run", "--tool", "hello", "--json")
    assert key.json["tools"] == ["hello"]


def test_a_new_name_says_that_the_old_one_stays(tw: Commands) -> None:
    file = tw.project / "greet.json"
    file.write_text(json.dumps(greeting()), encoding="utf-8")
    assert "still available" not in tw("publish", str(file), "--as", "hello").out
    said = tw("publish", "greet", "--as", "welcome").out
    assert "still available as 'hello'" in said
    states = {one["tool"]: one["state"] for one in tw("published", "--json").json}
    assert states == {"hello": "now welcome", "welcome": "current"}
    assert tw("publish", "greet", "--as", "hi", "--only", "--json").json["alsoPublishedAs"] == []
    assert [one["tool"] for one in tw("published", "--json").json] == ["hi"]
    tw("publish", "greet", "--as", "hey")
    assert tw("unpublish", "greet", "--json").json["unpublished"] == ["hey", "hi"]
