"""How commands print: tables for people, JSON for programs."""

import sys
from collections.abc import Sequence

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from toolweave.json_text import write

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


def console(*, stderr: bool = False) -> Console:
    """A console that cuts nothing off when its output goes to a file or a pipe."""
    made = Console(stderr=stderr, highlight=False, soft_wrap=not _is_terminal(stderr))
    if not made.is_terminal:
        made.width = 10_000
    return made


def print_json(value: object) -> None:
    """JSON on stdout, indented."""
    click.echo(write(value, pretty=True))


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str | None]]) -> None:
    """A table; plain columns when not on a terminal."""
    table = make_table(columns, rows)
    console().print(table)


def make_table(columns: Sequence[str], rows: Sequence[Sequence[str | None]]) -> Table:
    """The table itself, for live displays; cell texts are data, never markup."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(visible(cell) if cell else "-" for cell in row))
    return table


def visible(text: str) -> str:
    """`text` from outside, harmless on a terminal: control and direction characters shown."""
    shown = "".join(
        character if character.isprintable() or character in "\n\t" else _named(character)
        for character in text
    )
    return escape(shown)


def confirm(question: str) -> bool:
    """Ask a person; without a terminal there is nobody to ask, so the answer is a usage error."""
    if not sys.stdin.isatty():
        raise click.UsageError("this needs a person's yes; pass --yes if you are sure")
    return click.confirm(question, default=False)


def _named(character: str) -> str:
    return f"<U+{ord(character):04X}>"


def _is_terminal(stderr: bool) -> bool:
    return (sys.stderr if stderr else sys.stdout).isatty()
