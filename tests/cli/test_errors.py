"""Errors in words, in JSON and in exit codes; never as a traceback."""

import os
import subprocess

import click
import pytest
from tests.cli.driving import PROGRAM, Commands, Ran

from toolweave.cli.errors import as_told, show_error
from toolweave.cli.main import cli
from toolweave.errors import Invalid, NotFound
from toolweave.problems import Problem


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command with a fault nobody foresaw, whose text might be secret."""

    @click.command()
    def explode() -> None:
        """Explode."""
        raise ZeroDivisionError("the password is hunter2")

    known = cli.get_command

    def get_command(ctx: click.Context, name: str) -> click.Command | None:
        return explode if name == "explode" else known(ctx, name)

    monkeypatch.setattr(cli, "get_command", get_command)


@pytest.mark.usefixtures("broken")
def test_a_fault_of_ours_is_one_line_and_how_to_see_more(tw: Commands) -> None:
    ran = tw("explode")
    assert ran == Ran(
        1,
        "",
        "Error: unexpected error: ZeroDivisionError  [INTERNAL]\n"
        "Hint: run the command again with TOOLWEAVE_DEBUG=1 to see the traceback\n",
    )


@pytest.mark.usefixtures("broken")
def test_debugging_shows_where_it_happened(tw: Commands) -> None:
    ran = tw("explode", TOOLWEAVE_DEBUG="1")
    assert ran.code == 1
    assert "Traceback" in ran.err
    assert "hunter2" in ran.err


def test_an_error_alone_in_a_group_is_told_as_itself() -> None:
    error = NotFound("MCP_SERVER_NOT_FOUND", "no server")
    assert as_told(ExceptionGroup("one", [ExceptionGroup("two", [error])])) is error
    both = as_told(ExceptionGroup("one", [error, ValueError()]))
    assert both.code == "INTERNAL"


def test_what_the_system_refuses_is_told_in_its_words() -> None:
    error = as_told(PermissionError(13, "Permission denied", "notes.txt"))
    assert "Permission denied" in error.message


def test_an_unknown_server_fails_with_a_close_name(tw: Commands) -> None:
    tw.ok("servers", "add", "github", "https://example.com/mcp")
    ran = tw("servers", "enable", "gihub")
    assert (ran.code, ran.out) == (1, "")
    assert "[MCP_SERVER_NOT_FOUND]" in ran.err
    assert "Hint: did you mean 'github'?" in ran.err


def test_an_error_for_programs_is_json_on_stdout(tw: Commands) -> None:
    ran = tw("servers", "enable", "nobody", "--json")
    assert (ran.code, ran.err) == (1, "")
    assert ran.json["error"]["code"] == "MCP_SERVER_NOT_FOUND"


def test_wrong_use_for_programs_is_json_too(tw: Commands) -> None:
    ran = tw("servers", "enable", "--json")
    assert (ran.code, ran.err) == (2, "")
    assert ran.json == {"error": {"code": "USAGE", "message": "Missing argument 'NAME'."}}


def test_json_after_the_dashes_belongs_to_the_other_program(tw: Commands) -> None:
    ran = tw("servers", "add", "", "--", "prog", "--json")
    assert (ran.code, ran.out) == (2, "")
    assert "needs a name" in ran.err


def test_a_setting_that_cannot_be_read_is_named(tw: Commands) -> None:
    ran = tw("servers", "list", TOOLWEAVE_BURST="many")
    assert ran.code == 1
    assert "TOOLWEAVE_BURST is 'many'" in ran.err
    assert "[SETTING_INVALID]" in ran.err


def test_a_problem_is_not_said_twice(tw: Commands) -> None:
    ran = tw("servers", "add", "x", "https://user:secret@example.com/mcp")
    assert ran.code == 1
    assert ran.err.count("[SERVER_URL_CREDENTIALS]") == 1
    assert "secret" not in ran.err


def test_many_problems_are_cut_to_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    problems = [Problem("JSON_INVALID", f"/{number}", "wrong") for number in range(80)]
    show_error(Invalid("JSON_INVALID", "all of it", problems=problems), as_json=False)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Error: all of it  [JSON_INVALID]"
    assert lines[1] == "  /0: wrong  [JSON_INVALID]"
    assert lines[-1] == "  … and 30 more"
    assert len(lines) == 52


def test_a_reader_that_goes_away_is_no_fault(tw: Commands) -> None:
    with subprocess.Popen(
        [*PROGRAM, "catalog", "show", "FLOW.IF", "--json"],
        env=tw.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        said = process.stderr.read()
    assert (process.returncode, said) == (1, b"")


def test_an_unreadable_home_fails_with_what_to_do(tw: Commands) -> None:
    tw.state.mkdir()
    (tw.state / "toolweave.db").write_bytes(os.urandom(8192))
    ran = tw("servers", "list")
    assert ran.code == 1
    assert "[STORAGE_BROKEN]" in ran.err
    assert "Hint:" in ran.err


DEAD = "echo one >&2; echo 'no module foo' >&2; exit 3"
LAST_WORDS = (
    "server 'dead' closed the connection (exit code 3); its last output: one | no module foo"
)


@pytest.fixture
def dead(tw: Commands) -> None:
    tw.ok("servers", "add", "dead", "--", "sh", "-c", DEAD)
    assert tw("servers", "approve", "dead", "--yes").code == 1


@pytest.mark.usefixtures("dead")
def test_a_server_that_ends_at_once_is_told_with_its_last_words_and_nothing_else(
    tw: Commands,
) -> None:
    call = tw.run("call", "dead", "echo")
    assert (call.code, call.out) == (1, "")
    first, hint = call.err.splitlines()
    assert first == f"Error: {LAST_WORDS}  [MCP_SERVER_DISCONNECTED]"
    assert hint.startswith("Hint: ")
    tw.ok("servers", "enable", "dead")  # three failures disabled it
    check = tw.run("servers", "check")
    assert (check.code, check.err) == (1, "")
    assert check.lines[1].endswith(LAST_WORDS)
    tools = tw.run("servers", "tools", "dead")
    assert tools.err == call.err


@pytest.mark.usefixtures("dead")
def test_what_is_logged_is_seen_when_debugging_only(tw: Commands) -> None:
    assert "server connection failed" in tw.run("call", "dead", "x", TOOLWEAVE_DEBUG="1").err
    assert "server connection failed" not in tw.run("call", "dead", "x").err


def test_an_address_that_fails_is_told_without_its_secret(tw: Commands) -> None:
    tw.ok("servers", "add", "web", "http://127.0.0.1:9/s/hunter2/mcp?key=hunter2")
    tw("servers", "approve", "web", "--yes")
    for environ in ({}, {"TOOLWEAVE_DEBUG": "1"}):
        tw("servers", "enable", "web")  # three failures disable it
        ran = tw.run("call", "web", "x", **environ)
        assert ran.code == 1
        assert "[SERVER_UNREACHABLE]" in ran.err
        assert "hunter2" not in ran.out + ran.err
