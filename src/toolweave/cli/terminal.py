"""How commands print: tables for people, JSON for programs. Untrusted text is escaped."""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

import click

from toolweave.cli.sanitize import json_text, visible
from toolweave.json_text import printable

Row = Sequence[str | None]
Part = str | tuple[str, str]  # text, or text and its style


class _Styled(Protocol):
    """The module `styled`, whose imports take longer than most commands."""

    def cell_len(self, text: str) -> int: ...

    def print_text(self, parts: Sequence[Part], *, indent: int, stderr: bool) -> None: ...

    def print_markdown(self, text: str, *, stderr: bool) -> None: ...

    def print_cells(
        self, columns: Sequence[str], cells: Sequence[Sequence[str]], *, indent: int
    ) -> None: ...


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


def print_json(value: object) -> None:
    """Print JSON, a record or a list of records to stdout."""
    click.echo(json_text(_plain(value)))


def print_document(text: str) -> None:
    """Print a JSON document: byte for byte into a pipe, escaped on a terminal."""
    click.echo(printable(text) if is_terminal() else text, nl=not text.endswith("\n"))


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


def is_terminal(*, stderr: bool = False) -> bool:
    """Whether the stream is a terminal."""
    return (sys.stderr if stderr else sys.stdout).isatty()


def say(*parts: Part, indent: int = 0, stderr: bool = False) -> None:
    """Print escaped text; on a terminal it is styled and wrapped to its indentation."""
    shown = [_part(part) for part in parts]
    if is_terminal(stderr=stderr):
        styled().print_text(shown, indent=indent, stderr=stderr)
        return
    lines = "".join(part if isinstance(part, str) else part[0] for part in shown).split("\n")
    click.echo("\n".join((" " * indent + line).rstrip() for line in lines), err=stderr)


def styled() -> _Styled:
    """The module that prints styled text."""
    return cast(_Styled, import_module("toolweave.cli.styled"))


def _part(part: Part) -> Part:
    return visible(part) if isinstance(part, str) else (visible(part[0]), part[1])


def print_table(columns: Sequence[str], rows: Sequence[Row], *, indent: int = 0) -> None:
    """Print a table that fits the terminal; in a pipe, one line per row."""
    if is_terminal():
        styled().print_cells(columns, cells_of(rows), indent=indent)
    else:
        click.echo("\n".join(" " * indent + line for line in plain_table(columns, rows)))


def plain_table(columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """The lines of a table, without truncation or trailing blanks."""
    cells = cells_of(rows)
    if any(columns):
        cells.insert(0, list(columns))
    widths = [max(width_of(cell) for cell in column) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            cell + " " * (width - width_of(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in cells
    ]


def cells_of(rows: Sequence[Row]) -> list[list[str]]:
    """The escaped texts of a table's cells."""
    return [[_cell(cell) for cell in row] for row in rows]


def width_of(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return len(text) if text.isascii() else styled().cell_len(text)


def _cell(text: str | None) -> str:
    return "-" if text is None else visible(" ".join(text.split()), one_line=True)
