"""How commands print: tables for people, JSON for programs. Untrusted text is escaped."""

import sys
from collections.abc import Sequence
from typing import cast

import click
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from toolweave.cli.sanitize import json_text, visible

Row = Sequence[str | None]
Part = str | tuple[str, str]  # text, or text and its style

NAME_WIDTH = 24
LEAST_WIDTH = 12

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


def print_json(value: object) -> None:
    """Print JSON, a record or a list of records to stdout."""
    click.echo(json_text(_plain(value)))


def tell(as_json: bool, value: object, *lines: str) -> None:
    """Print `value` for programs, or `lines` for people."""
    if as_json:
        print_json(value)
        return
    for line in lines:
        say(line)


def _plain(value: object) -> object:
    # Not `isinstance`: most commands have no records and need not load pydantic.
    if isinstance(value, list):
        return [_plain(one) for one in cast("list[object]", value)]
    as_json = getattr(value, "as_json", None)
    return value if as_json is None else as_json()


def console(*, stderr: bool = False) -> Console:
    """A console for styled text; without markup, as untrusted text may contain brackets."""
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def is_terminal(*, stderr: bool = False) -> bool:
    """Whether the stream is a terminal."""
    return (sys.stderr if stderr else sys.stdout).isatty()


def say(*parts: Part, indent: int = 0, stderr: bool = False) -> None:
    """Print escaped text; on a terminal it is styled and wrapped to its indentation."""
    text = Text.assemble(*(_part(part) for part in parts))
    if is_terminal(stderr=stderr):
        shown: RenderableType = Padding(text, (0, 0, 0, indent)) if indent else text
        console(stderr=stderr).print(shown)
        return
    lines = text.plain.split("\n")
    click.echo("\n".join((" " * indent + line).rstrip() for line in lines), err=stderr)


def _part(part: Part) -> Part:
    return visible(part) if isinstance(part, str) else (visible(part[0]), part[1])


def print_table(columns: Sequence[str], rows: Sequence[Row], *, indent: int = 0) -> None:
    """Print a table that fits the terminal; in a pipe, one line per row."""
    if is_terminal():
        console().print(Padding(make_table(columns, rows), (0, 0, 0, indent)))
    else:
        click.echo("\n".join(" " * indent + line for line in plain_table(columns, rows)))


def make_table(columns: Sequence[str], rows: Sequence[Row]) -> Table:
    """A table for live displays: names are folded, only the last column is wrapped."""
    cells = [[_cell(cell) for cell in row] for row in rows]
    table = Table(box=None, pad_edge=False, header_style="bold", show_header=any(columns))
    names = max((cell_len(row[0]) for row in cells), default=0)
    first, *middle, last = columns
    table.add_column(first, overflow="fold", min_width=min(names, NAME_WIDTH), max_width=NAME_WIDTH)
    for column in middle:
        table.add_column(column, no_wrap=True)
    table.add_column(last, overflow="fold", min_width=LEAST_WIDTH)
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    return table


def plain_table(columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """The lines of a table, without truncation or trailing blanks."""
    cells = [[_cell(cell) for cell in row] for row in rows]
    if any(columns):
        cells.insert(0, list(columns))
    widths = [max(cell_len(cell) for cell in column) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in cells
    ]


def _cell(text: str | None) -> str:
    return "-" if text is None else visible(" ".join(text.split()), one_line=True)
