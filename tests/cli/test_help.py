"""What the command line says about itself."""

from collections.abc import Iterator

import click
import pytest
from tests.cli.driving import Commands

import toolweave
from toolweave.cli.main import cli

# They run until they are stopped, or print a script; none prints data.
SERVICES = {
    *("toolweave demo-server", "toolweave mcp", "toolweave mock", "toolweave serve"),
    *("toolweave worker", "toolweave completion"),
}


def _commands(
    command: click.Command = cli, path: str = "toolweave"
) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield path, command
        return
    ctx = click.Context(command)
    for name in command.list_commands(ctx):
        found = command.get_command(ctx, name)
        assert found is not None
        yield from _commands(found, f"{path} {name}")


COMMANDS = dict(_commands())


@pytest.mark.parametrize("argv", [(), ("servers",), ("catalog",), ("keys",), ("secrets",)])
def test_a_group_without_a_command_shows_its_help(tw: Commands, argv: tuple[str, ...]) -> None:
    ran = tw(*argv)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == tw(*argv, "--help").out
    assert "Commands:" in ran.out


@pytest.mark.parametrize(
    ("argv", "meant"),
    [
        (("servrs",), "'servers'"),
        (("servers", "lst"), "'list'"),
        (("catalog", "serach"), "'search'"),
        (("keys", "revoek"), "'revoke'"),
    ],
)
def test_a_misspelt_command_is_wrong_use_and_the_close_one_is_named(
    tw: Commands, argv: tuple[str, ...], meant: str
) -> None:
    ran = tw(*argv)
    assert (ran.code, ran.out) == (2, "")
    assert f"unknown command {argv[-1]!r}; did you mean {meant}?" in ran.err


def test_a_command_like_no_other_is_wrong_use_without_a_guess(tw: Commands) -> None:
    ran = tw("xyzzy")
    assert ran.code == 2
    assert ran.err.endswith("unknown command 'xyzzy'\n")


def test_a_misspelt_option_is_wrong_use_and_the_close_one_is_named(tw: Commands) -> None:
    ran = tw("servers", "list", "--jsno")
    assert ran.code == 2
    assert "--json" in ran.err


def test_the_old_name_of_triggers_works_and_is_not_listed(tw: Commands) -> None:
    assert tw.ok("schedules", "list").out == tw.ok("triggers", "list").out
    listed = [line.split()[0] for line in tw("--help").lines if line.startswith("  ")]
    assert "triggers" in listed
    assert "schedules" not in listed


def test_the_version_is_printed(tw: Commands) -> None:
    assert tw("--version").out == tw("-V").out == f"toolweave {toolweave.__version__}\n"


def test_every_command_of_the_contract_is_there() -> None:
    contract = {
        *("call", "doctor", "mcp", "serve", "demo-server"),
        *(f"servers {name}" for name in ("discover", "add", "list", "approve", "enable")),
        *(f"servers {name}" for name in ("disable", "remove", "check", "tools")),
        *(f"catalog {name}" for name in ("types", "show", "search")),
        *(f"keys {name}" for name in ("create", "list", "revoke")),
        *("validate", "convert", "export", "import", "node mode", "run", "worker"),
        *(f"runs {name}" for name in ("list", "show", "watch", "cancel", "resume", "answer")),
    }
    assert {f"toolweave {name}" for name in contract} <= set(COMMANDS)


@pytest.mark.parametrize("path", sorted(set(COMMANDS) - SERVICES))
def test_every_command_that_prints_data_prints_json(path: str) -> None:
    assert any("--json" in option.opts for option in COMMANDS[path].params)


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_and_every_option_is_explained(path: str) -> None:
    command = COMMANDS[path]
    assert command.help is not None
    assert command.help.strip().split("\n")[0].rstrip().endswith(".")
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, f"{path} {option.opts[0]} has no help"
