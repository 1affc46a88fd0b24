"""The block structure of Markdown as far as it matters here: fences, headings, and what holds them.

Follows CommonMark's rules for containers (quotes, list items), code, HTML and paragraphs, line by
line and in linear time; inline text is never looked at. A test holds it against markdown-it-py.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

# Deeper nesting is taken as text: no document needs it, and each line costs its depth.
MAX_DEPTH = 32
TAB = 4

_FENCE = re.compile(r"(`{3,})([^`]*)$|(~{3,})(.*)$", re.DOTALL)
_ATX = re.compile(r"(#{1,6})(?=[ \t]|$)")
_SETEXT = re.compile(r"(=+|-+)[ \t]*$")
_BREAK = re.compile(r"(?:(?:\*[ \t]*+){3,}+|(?:-[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)$")
_BULLET = re.compile(r"[-+*](?=[ \t]|$)")
_ORDERED = re.compile(r"(\d{1,9})[.)](?=[ \t]|$)")
_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details"
    "|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6"
    "|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option"
    "|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)
_ATTRIBUTE = r"""[ \t]+[A-Za-z_:][\w.:-]*(?:[ \t]*=[ \t]*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?"""
# How an HTML block begins, and what ends it; nothing for a blank line.
_HTML = (
    (
        re.compile(r"<(?:script|pre|style|textarea)(?=[\s>]|$)", re.I),
        re.compile(r"</(?:script|pre|style|textarea)>", re.I),
    ),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Z]", re.I), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(rf"</?(?:{_BLOCK_TAGS})(?=[\s>]|/>|$)", re.I), None),
)
# Any other tag alone on its line; it does not break into a paragraph.
_LONE_TAG = re.compile(
    rf"(?:<[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*[ \t]*/?>|</[A-Za-z][A-Za-z0-9-]*[ \t]*>)[ \t]*$"
)
MAX_TAG = 1_000


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block: its lines by number from 0, the last of them nothing while it is open."""

    info: str
    first: int
    last: int | None
    content: tuple[str, ...]
    # What stands before the closing fence: the marks of quotes, the room of list items.
    prefix: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, by the number of its last line."""

    level: int
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class _Container:
    kind: Literal["quote", "item"]
    # Columns that the lines of an item are set in by.
    room: int = 0


@dataclass(slots=True)
class _OpenFence:
    mark: str
    info: str
    indent: int
    first: int
    depth: int
    content: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class _Cursor:
    """A place in a line, by character and by column; tabs reach to the next stop."""

    text: str
    at: int = 0
    column: int = 0
    # Columns of a tab that was only partly used.
    spare: int = 0

    def indent(self) -> int:
        """How many columns of white space come next."""
        column, at = self.column + self.spare, self.at
        while at < len(self.text) and self.text[at] in " \t":
            column += TAB - column % TAB if self.text[at] == "\t" else 1
            at += 1
        return column - self.column

    def skip(self, columns: int) -> None:
        """Go on by so many columns of white space."""
        while columns > 0:
            if self.spare:
                used = min(self.spare, columns)
                self.spare -= used
                self.column += used
                columns -= used
                continue
            if self.at >= len(self.text) or self.text[self.at] not in " \t":
                return
            width = TAB - self.column % TAB if self.text[self.at] == "\t" else 1
            self.at += 1
            used = min(width, columns)
            self.column += used
            self.spare = width - used
            columns -= used

    def rest(self) -> str:
        """What is left of the line, partly used tabs as spaces."""
        return " " * self.spare + self.text[self.at :]

    def is_blank(self) -> bool:
        """Whether only white space is left."""
        return not self.text[self.at :].strip(" \t\r")

    def take(self, count: int) -> None:
        """Go on by so many characters that are not white space."""
        self.at += count
        self.column += count


class Scanner:
    """Reads the lines of a document, given without their line feeds."""

    def __init__(self) -> None:
        self._containers: list[_Container] = []
        self._fence: _OpenFence | None = None
        self._html: re.Pattern[str] | None = None
        self._in_html = False
        self._html_depth = 0
        self._paragraph: list[str] = []

    def scan(self, lines: list[str]) -> Iterator[Fence | Heading]:
        """Every fence and heading, in order; a fence when it is over."""
        for number, line in enumerate(lines):
            yield from self._line(line, number)
        if self._fence is not None:
            yield self._ended(None, "")

    def _line(self, line: str, number: int) -> Iterator[Fence | Heading]:
        cursor = _Cursor(line)
        matched = self._match(cursor)
        if self._fence is not None:
            if matched >= self._fence.depth:
                yield from self._in_fence(cursor, number)
                return
            yield self._ended(None, "")  # its quote or item is over, and so is it
        if self._in_html and matched >= self._html_depth:
            self._in_html_block(cursor)
            return
        self._in_html = False
        yield from self._open(cursor, matched, number)

    def _match(self, cursor: _Cursor) -> int:
        """How many of the open containers a line goes on with."""
        for depth, container in enumerate(self._containers):
            indent = cursor.indent()
            if container.kind == "quote":
                if indent > 3 or not cursor.text[cursor.at :].lstrip(" \t").startswith(">"):
                    return depth
                cursor.skip(indent)
                cursor.take(1)
                cursor.skip(1)
            elif indent >= container.room:
                cursor.skip(container.room)
            elif not cursor.is_blank():
                return depth
        return len(self._containers)

    def _in_fence(self, cursor: _Cursor, number: int) -> Iterator[Fence]:
        fence = self._fence
        assert fence is not None
        indent = cursor.indent()
        text = cursor.text[cursor.at :].strip(" \t\r")
        is_end = indent <= 3 and text.startswith(fence.mark) and not text.strip(fence.mark[0])
        if is_end:
            cursor.skip(indent)
            yield self._ended(number, cursor.text[: cursor.at])
            return
        cursor.skip(min(indent, fence.indent))
        fence.content.append(cursor.rest())

    def _ended(self, last: int | None, prefix: str) -> Fence:
        fence = self._fence
        assert fence is not None
        self._fence = None
        return Fence(fence.info, fence.first, last, tuple(fence.content), prefix)

    def _in_html_block(self, cursor: _Cursor) -> None:
        if self._html is None:
            self._in_html = not cursor.is_blank()
        elif self._html.search(cursor.text, cursor.at):
            self._in_html = False

    def _open(self, cursor: _Cursor, matched: int, number: int) -> Iterator[Heading]:
        """Begin what a line begins, below the containers it goes on with."""
        is_whole = matched == len(self._containers)
        depth = matched
        opened: list[_Container] = []
        while True:
            indent = cursor.indent()
            if cursor.is_blank():
                break
            # What is set in by four columns is code, or goes on with a paragraph.
            if indent > 3:
                self._code_or_text(cursor, depth, opened)
                return
            found = self._container(cursor, indent, is_whole and not opened)
            if found is None or depth + len(opened) >= MAX_DEPTH:
                break
            opened.append(found)
        if cursor.is_blank():
            self._enter(depth, opened)
            return
        yield from self._leaf(cursor, depth, opened, is_whole, number)

    def _code_or_text(self, cursor: _Cursor, depth: int, opened: list[_Container]) -> None:
        if self._paragraph and not opened:
            self._paragraph.append(cursor.rest().strip(" \t\r"))  # lazily, or as it should be
            return
        self._enter(depth, opened)

    def _container(self, cursor: _Cursor, indent: int, is_going_on: bool) -> _Container | None:
        start = cursor.text[cursor.at :].lstrip(" \t")
        if start.startswith(">"):
            cursor.skip(indent)
            cursor.take(1)
            cursor.skip(1)
            return _Container("quote")
        if _BREAK.match(start.rstrip("\r")):
            return None
        marker = _BULLET.match(start) or _ORDERED.match(start)
        if marker is None:
            return None
        after = start[marker.end() :].strip(" \t\r")
        if self._paragraph and is_going_on:
            # An empty item, or one that begins not with 1, does not break into a paragraph.
            is_ordered = start[0] not in "-+*"
            if not after or (is_ordered and int(marker[1]) != 1):
                return None
        cursor.skip(indent)
        cursor.take(marker.end())
        room = cursor.indent()
        if not after or room > 4:
            room = 1
        cursor.skip(room)
        return _Container("item", indent + marker.end() + room)

    def _enter(self, depth: int, opened: list[_Container]) -> None:
        """Close what a line does not go on with, and open what it begins."""
        del self._containers[depth:]
        self._containers += opened
        self._paragraph = []

    def _leaf(
        self,
        cursor: _Cursor,
        depth: int,
        opened: list[_Container],
        is_whole: bool,
        number: int,
    ) -> Iterator[Heading]:
        indent = cursor.indent()
        text = cursor.text[cursor.at :].lstrip(" \t").rstrip("\r")
        is_same = is_whole and not opened
        if fence := _FENCE.match(text):
            self._enter(depth, opened)
            mark = fence[1] or fence[3]
            info = (fence[2] if fence[1] else fence[4]).strip()
            self._fence = _OpenFence(mark, info, indent, number, len(self._containers))
            return
        if atx := _ATX.match(text):
            self._enter(depth, opened)
            yield Heading(len(atx[1]), _heading_text(text[atx.end() :]), number)
            return
        if is_same and self._paragraph and (line := _SETEXT.match(text)):
            yield Heading(1 if line[1][0] == "=" else 2, " ".join(self._paragraph), number)
            self._paragraph = []
            return
        if _BREAK.match(text):
            self._enter(depth, opened)
            return
        if self._begins_html(text, depth, opened):
            return
        self._text(text, depth, opened)

    def _begins_html(self, text: str, depth: int, opened: list[_Container]) -> bool:
        if not text.startswith("<"):
            return False
        for begins, ends in _HTML:
            if begins.match(text):
                self._enter(depth, opened)
                is_over = ends is not None and ends.search(text) is not None
                self._in_html, self._html = not is_over, ends
                self._html_depth = len(self._containers)
                return True
        can_begin = not self._paragraph or bool(opened)
        if can_begin and len(text) <= MAX_TAG and _LONE_TAG.match(text):
            self._enter(depth, opened)
            self._in_html, self._html, self._html_depth = True, None, len(self._containers)
            return True
        return False

    def _text(self, text: str, depth: int, opened: list[_Container]) -> None:
        if self._paragraph and not opened:
            # It goes on with the paragraph, lazily where marks of containers are missing.
            self._paragraph.append(text.strip(" \t"))
            return
        self._enter(depth, opened)
        self._paragraph = [text.strip(" \t")]


def _heading_text(rest: str) -> str:
    """A heading without the marks that may close it."""
    text = rest.strip(" \t")
    bare = text.rstrip("#")
    if not bare:
        return ""
    return bare.rstrip(" \t") if bare != text and bare[-1] in " \t" else text
