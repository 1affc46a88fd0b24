"""A command group that imports a command's module only when that command is used."""

import importlib
from typing import Any

import click

# name: (module, attribute, one line for `--help`)
CommandsTable = dict[str, tuple[str, str, str]]


class LazyGroup(click.Group):
    """Knows every command's name and summary without importing any of them."""

    def __init__(self, *args: Any, commands_table: CommandsTable, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._table = commands_table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, sorted."""
        return sorted(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command."""
        if cmd_name not in self._table:
            return None
        module, attribute, _ = self._table[cmd_name]
        return getattr(importlib.import_module(module), attribute)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The command list of `--help`, from the table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._table[name][2]) for name in self.list_commands(ctx)])
