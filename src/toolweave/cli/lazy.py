"""A command group that imports a command's module only when that command is used."""

import importlib
from typing import Any

import click
from click.shell_completion import CompletionItem

from toolweave.problems import did_you_mean

# name: (module, attribute, one line for `--help`)
CommandsTable = dict[str, tuple[str, str, str]]


class HelpfulGroup(click.Group):
    """Shows its help when no command is given, and suggests close names for unknown ones."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; without arguments, show the help."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown name fails with a suggestion."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            hint = did_you_mean(name, self.list_commands(ctx))
            ctx.fail(f"unknown command {name!r}" + (f"; {hint}" if hint else ""))
        return super().resolve_command(ctx, args)


class LazyGroup(HelpfulGroup):
    """Knows every command's name and summary without importing any of them."""

    def __init__(
        self,
        *args: Any,
        commands_table: CommandsTable,
        aliases: dict[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._table = commands_table
        self._aliases = aliases or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the command names, sorted."""
        return sorted(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command, by its name or an older one."""
        name = self._aliases.get(cmd_name, cmd_name)
        if name not in self._table:
            return None
        module, attribute, _ = self._table[name]
        return getattr(importlib.import_module(module), attribute)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete command names from the table, and options."""
        names = [
            CompletionItem(name, help=self._table[name][2])
            for name in self.list_commands(ctx)
            if name.startswith(incomplete)
        ]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command list of `--help` from the table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._table[name][2]) for name in self.list_commands(ctx)])
