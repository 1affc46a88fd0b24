"""`toolweave commands`: a program is registered, shown exactly, approved, and forgotten."""

from tests.cli.driving import Commands


def test_a_command_is_added_shown_approved_and_removed(tw: Commands) -> None:
    added = tw.ok("commands", "add", "count", "--env", "MODE=fast", "--", "echo", "-n", "{path}")
    assert "commands approve count" in added.out
    shown = tw("commands", "approve", "count", "--json")
    assert shown.code == 1
    assert shown.json["approved"] is False
    assert shown.json["argv"] == ["echo", "-n", "{path}"]
    assert (shown.json["env"], shown.json["holes"]) == (["MODE"], {"path": "text"})
    approved = tw.ok("commands", "approve", "count", "--yes")
    assert "Runs: echo -n '{path}'" in approved.out
    assert "Approved 'count'." in approved.out
    (listed,) = tw.ok("commands", "list", "--json").json
    assert listed["approved"] is True
    tw.ok("commands", "remove", "count")
    assert "No commands yet." in tw.ok("commands", "list").out
