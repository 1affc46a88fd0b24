"""The fenced blocks and headings of a Markdown document, found by markdown-it-py.

Only block structure is parsed, by the rules of CommonMark; inline text is not. The time is linear:
with each hostile line of `tests/documents/test_lines.py`, eight times the lines take up to 11 times
as long, at most 1.4 s of CPU for 260 kB. The nesting limit bounds the cost of a line.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

# Content nested deeper is skipped; each list is two levels.
MAX_NESTING = 64

_PARSER = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).disable("inline")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block with its line numbers from 0; `last` is None if it is not closed."""

    info: str
    first: int
    last: int | None
    content: tuple[str, ...]
    # The text before the closing fence: quote marks and indentation.
    prefix: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, by the number of its last line."""

    level: int
    text: str
    line: int


def scan(lines: Sequence[str]) -> Iterator[Fence | Heading]:
    """Yield every fence and heading of `lines`, which have no line ends."""
    # A lone carriage return would count as a line end.
    tokens = _PARSER.parse("".join(f"{line.replace(chr(13), ' ')}\n" for line in lines))
    for index, token in enumerate(tokens):
        if token.map is None:
            continue
        if token.type == "fence":
            yield _fence(token, token.map[0], token.map[1], lines)
        elif token.type == "heading_open":
            text = " ".join(line.strip() for line in tokens[index + 1].content.split("\n"))
            yield Heading(int(token.tag[1:]), text, token.map[1] - 1)


def _fence(token: Token, first: int, end: int, lines: Sequence[str]) -> Fence:
    content = tuple(token.content.split("\n")[:-1])
    is_closed = end - first > len(content) + 1
    last = end - 1 if is_closed else None
    prefix = lines[end - 1].rstrip().rstrip(token.markup[0]) if is_closed else ""
    return Fence(token.info.strip(), first, last, content, prefix)
