"""`toolweave servers approve`: nothing is started before, and everything is shown."""

import sys
from pathlib import Path

from tests.cli.driving import Commands

from toolweave.testing.server import ScriptedServer, a_tool


def _changed(server: ScriptedServer) -> None:
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    server.change(tools=[a_tool("echo", inputSchema=schema), a_tool("new")])


def test_everything_that_decides_what_runs_is_shown(tw: Commands) -> None:
    argv = ("env", "--token=abcdefgh", "${HOME}/x")
    tw.ok("servers", "add", "mine", "-e", "API_KEY=${vault:key}", "--cwd", "/", "--", *argv)
    tw("secrets", "set", "key", input="s3cret-value")
    ran = tw("servers", "approve", "mine")
    shown = dict(line.strip().split("  ", 1) for line in ran.lines if "  " in line.strip())
    assert shown["server"] == "mine"
    assert shown["transport"] == "stdio"
    assert shown["runner"] == "plain"
    assert shown["argv"] == "[0] env"
    assert f"[2] {tw.home}/x" in ran.out
    assert shown["environment"] == "API_KEY"
    assert shown["directory"] == "/"
    assert shown["fills in"] == "${HOME}, ${vault:key}"
    assert shown["found in"] == "added by you"
    assert len(shown["hash"]) == 64
    assert "abcdefgh" not in ran.out
    assert "s3cret-value" not in ran.out


def test_without_a_person_or_a_yes_nothing_is_approved(tw: Commands) -> None:
    tw.ok("servers", "add", "mine", "--", "env")
    ran = tw("servers", "approve", "mine")
    assert ran.code == 2
    assert "pass --yes" in ran.err
    assert tw("servers", "list", "--json").json[0]["approved"] is False


def test_an_approval_pins_the_tools_in_the_lockfile(tw: Commands, tmp_path: Path) -> None:
    server = ScriptedServer(tmp_path / "s", a_tool("echo"), a_tool("other"))
    tw.add("mine", server, approved=False)
    assert server.processes == []
    ran = tw.ok("servers", "approve", "mine", "--yes")
    assert "Approved 'mine'." in ran.lines
    assert f"Pinned 2 tools in {tw.state / 'toolweave.lock.json'}:" in ran.lines
    assert "  echo   Does echo." in ran.lines
    assert (tw.state / "toolweave.lock.json").exists()
    again = tw.ok("servers", "approve", "mine")
    assert again.out == "All 2 tools match the approved ones. Nothing to do.\n"


def test_a_program_sees_what_it_would_approve_and_nothing_happens(
    tw: Commands, tmp_path: Path
) -> None:
    server = ScriptedServer(tmp_path / "s")
    tw.add("mine", server, approved=False)
    ran = tw("servers", "approve", "mine", "--json")
    assert ran.code == 1
    assert ran.json["approved"] is False
    assert ran.json["argv"][0] == sys.executable
    assert server.processes == []


def test_a_program_approves_with_yes(tw: Commands, tmp_path: Path) -> None:
    tw.add("mine", ScriptedServer(tmp_path / "s"), approved=False)
    ran = tw.ok("servers", "approve", "mine", "--yes", "--json")
    assert (ran.json["approved"], ran.json["tools"]) == (True, ["echo"])
    assert ran.json["pinnedIn"] == str(tw.state / "toolweave.lock.json")


def test_changed_tools_are_shown_and_stay_blocked_until_accepted(
    tw: Commands, tmp_path: Path
) -> None:
    server = ScriptedServer(tmp_path / "s")
    tw.add("mine", server)
    _changed(server)
    shown = tw("servers", "approve", "mine", "--yes")
    assert shown.code == 1
    assert shown.lines[0] == "2 of its tools changed since they were approved:"
    at = shown.lines.index("  echo  narrowed")
    assert shown.lines[at + 1] == "      required  text: required now"
    assert "  new  added" in shown.lines
    assert shown.lines[-1] == "Accept with `toolweave servers approve mine --changes`."
    assert "[TOOL_CHANGED]" in tw("call", "mine", "echo", "--arg", "text=x").err
    unasked = tw("servers", "approve", "mine", "--changes")
    assert unasked.code == 2
    accepted = tw.ok("servers", "approve", "mine", "--changes", "--yes")
    assert accepted.lines[-1].startswith("Pinned 2 tools in ")
    tw.ok("call", "mine", "echo", "--arg", "text=x")


def test_changed_tools_are_told_to_programs(tw: Commands, tmp_path: Path) -> None:
    server = ScriptedServer(tmp_path / "s")
    tw.add("mine", server)
    _changed(server)
    ran = tw("servers", "approve", "mine", "--json")
    assert (ran.code, ran.json["approved"]) == (1, False)
    assert [(one["tool"], one["kind"]) for one in ran.json["changes"]] == [
        ("echo", "narrowed"),
        ("new", "added"),
    ]
    typed = [[change["kind"] for change in one["changes"]] for one in ran.json["difference"]]
    assert typed == [["required"], ["tool_added"]]


def test_a_server_that_cannot_be_reached_is_approved_but_pins_nothing(tw: Commands) -> None:
    argv = (sys.executable, "-c", "import sys; sys.exit('\x1b[31mno config')")
    tw.ok("servers", "add", "dead", "--", *argv)
    ran = tw("servers", "approve", "dead", "--yes")
    assert ran.code == 1
    assert "Approved 'dead'." in ran.lines
    assert "could not be reached to pin its tools" in ran.err
    assert "no config" in ran.err
    assert "\x1b" not in ran.out + ran.err
    told = tw("servers", "approve", "dead", "--yes", "--json")
    assert (told.code, told.json["approved"]) == (1, False)
    assert told.json["error"]["code"]


def test_a_tool_with_hidden_characters_is_shown_with_a_warning(
    tw: Commands, tmp_path: Path
) -> None:
    hostile = a_tool("evil\x1b[2J\nname", description="Nice.\u202e\x1b[31m")
    tw.add("mine", ScriptedServer(tmp_path / "s", hostile), approved=False)
    ran = tw("servers", "approve", "mine", "--yes")
    assert "<U+001B>[2J" in ran.out
    assert "[TOOL_TEXT_SUSPICIOUS]" in ran.out
    assert "\x1b" not in ran.out + ran.err
    assert "\u202e" not in ran.out + ran.err


def test_an_address_is_shown_before_it_is_approved(tw: Commands) -> None:
    tw.ok("servers", "add", "web", "https://example.com/mcp?token=abcdefgh", "-H", "X-Key=v")
    ran = tw("servers", "approve", "web")
    assert "address  https://example.com/mcp?token=***" in ran.out
    assert "headers  X-Key" in ran.out
    assert "sign-in  none" in ran.out
