"""Styled text for terminals; loaded only where there is one. Untrusted text is escaped before."""

from collections.abc import Sequence

from rich.cells import cell_len as cell_len
from rich.console import Console, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

NAME_WIDTH = 24
LEAST_WIDTH = 12


def console(*, stderr: bool = False) -> Console:
    """A console for styled text; without markup, as untrusted text may contain brackets."""
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def print_text(parts: Sequence[str | tuple[str, str]], *, indent: int, stderr: bool) -> None:
    """Print text in its styles, wrapped to its indentation."""
    text = Text.assemble(*parts)
    shown: RenderableType = Padding(text, (0, 0, 0, indent)) if indent else text
    console(stderr=stderr).print(shown)


def print_markdown(text: str, *, stderr: bool) -> None:
    """Print rendered Markdown; without hyperlinks, as a person should see the URL."""
    console(stderr=stderr).print(Markdown(text, hyperlinks=False))


def print_cells(columns: Sequence[str], cells: Sequence[Sequence[str]], *, indent: int) -> None:
    """Print a table that fits the terminal."""
    console().print(Padding(table_of(columns, cells), (0, 0, 0, indent)))


def table_of(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> Table:
    """A table for live displays: names are folded, only the last column is wrapped."""
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
