"""Texts of five kinds as JSON values, each in time that grows with its length and no faster."""

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from toolweave import json_text
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.workflow.yaml_text import read_yaml

# It is computed while others wait, hence the bounds: a second or so on a busy machine.
MAX_CHARS = {
    "json": 4 * 1024 * 1024,
    "csv": 4 * 1024 * 1024,
    "yaml": 256 * 1024,
    "xml": 4 * 1024 * 1024,
    "markdown": 1024 * 1024,
}
MAX_DEPTH = 100
MAX_HEADINGS = 20_000
# Cells of CSV, elements of XML.
MAX_PIECES = 250_000
_NUMBER = pattern(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,40})?([eE][-+]?[0-9]{1,3})?")
_WORDS: dict[str, Json] = {"": None, "null": None, "true": True, "false": False}
_HEADING = pattern(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_CLOSING = pattern(r"(?:^|[ \t])#+[ \t]*$")
_UNDERLINE = pattern(r" {0,3}(=+|-+)[ \t]*")
_RULE = pattern(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
_FENCE = pattern(r" {0,3}(`{3,}|~{3,})(.*)")
# Lines that begin something else than a paragraph: no heading can be made of them by a line below.
_NO_PARAGRAPH = pattern(r"[ \t]*(?:[>|#]|[-*+][ \t]|[0-9]{1,9}[.)][ \t])| {4}|\t")


def fail(kind: str, why: str, hint: str | None = None) -> NoReturn:
    """Refuse a text. Raises `Invalid`: `PARSE_FAILED`."""
    raise Invalid("PARSE_FAILED", f"the text is no {kind} that can be read: {why}", hint=hint)


def parse_json(text: str) -> Json:
    """The value of strict JSON."""
    try:
        return json_text.read(text)
    except Invalid as error:
        fail("JSON", error.message)


def parse_yaml(text: str) -> Json:
    """The value of one YAML document without tags, anchors and aliases."""
    try:
        return read_yaml(text.encode(), max_depth=MAX_DEPTH)
    except Invalid as error:
        fail("YAML", error.message)


def parse_csv(text: str, delimiter: str, *, has_header: bool, reads_types: bool) -> list[Json]:
    """A record a line, or a list of cells where no line names them."""
    if len(delimiter) != 1 or delimiter in '"\r\n':
        fail("CSV", f"the delimiter is {delimiter!r:.20}; expected one character")
    rows = _rows(text, delimiter)
    names = next(rows, None) if has_header else None
    if names is not None and len(set(names)) != len(names):
        twice = next(name for name, count in Counter(names).items() if count > 1)
        fail("CSV", f"two columns are called {twice!r:.80}", "switch has_header off")
    return [_row(names, row, number, reads_types) for number, row in enumerate(rows, 1)]


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    lines = io.StringIO(text.removeprefix("\ufeff"), newline="")
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    cells = 0
    try:
        for row in reader:
            cells += len(row)
            if cells > MAX_PIECES:
                fail("CSV", f"it has more than {MAX_PIECES} cells", "split it first")
            if row:
                yield row
    except csv.Error as error:
        fail("CSV", f"{error} at line {reader.line_num}")


def _row(names: list[str] | None, row: list[str], number: int, reads_types: bool) -> Json:
    values: list[Json] = [_typed(text) if reads_types else text for text in row]
    if names is None:
        return values
    if len(values) > len(names):
        fail("CSV", f"record {number} has {len(values)} cells and the header {len(names)}")
    return dict(zip(names, [*values, *[None] * (len(names) - len(values))], strict=True))


def _typed(text: str) -> Json:
    word = text.strip()
    if word.lower() in _WORDS:
        return _WORDS[word.lower()]
    if not _NUMBER.fullmatch(word):
        return text
    value = float(word)
    if not math.isfinite(value):
        return text
    return int(word) if word.lstrip("-").isdecimal() else value


@dataclass(slots=True)
class _Element:
    name: str
    attributes: dict[str, str]
    pieces: list[str] = field(default_factory=list[str])
    children: JsonObject = field(default_factory=dict[str, Json])
    repeated: set[str] = field(default_factory=set[str])

    def add(self, name: str, value: Json) -> None:
        before = self.children.get(name)
        if name not in self.children:
            self.children[name] = value
        elif name in self.repeated and isinstance(before, list):
            before.append(value)
        else:
            self.repeated.add(name)
            self.children[name] = [before, value]

    def value(self) -> Json:
        """A text where it has nothing else; else its attributes as `@name`, text as `#text`."""
        text = "".join(self.pieces).strip()
        found: JsonObject = {f"@{name}": value for name, value in self.attributes.items()}
        found |= self.children
        if not found:
            return text
        if text:
            found["#text"] = text
        return found


class _XmlBuilder:
    """Builds from the parser's events; a document type is refused, so there are no entities."""

    def __init__(self) -> None:
        self._open: list[_Element] = [_Element("", {})]
        self._count = 0
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.EntityDeclHandler = self._refuse
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text

    def read(self, text: str) -> Json:
        try:
            self._parser.Parse(text, True)
        except expat.ExpatError as error:
            what = expat.ErrorString(error.code)
            fail("XML", f"{what} at line {error.lineno} column {error.offset + 1}")
        return self._open[0].children

    def _refuse(self, *_: object) -> None:
        fail("XML", "it has a document type, which may define entities", "take the DOCTYPE out")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > MAX_PIECES:
            fail("XML", f"it has more than {MAX_PIECES} elements", "split it first")
        if len(self._open) > MAX_DEPTH:
            fail("XML", f"nested more than {MAX_DEPTH} deep")
        self._open.append(_Element(name, attributes))

    def _end(self, _name: str) -> None:
        done = self._open.pop()
        self._open[-1].add(done.name, done.value())

    def _text(self, text: str) -> None:
        self._open[-1].pieces.append(text)


def parse_xml(text: str) -> Json:
    """The root by its name; a repeated element is a list."""
    # The declared encoding was that of the bytes; this is text already.
    return _XmlBuilder().read(re.sub(r"^\ufeff?\s*<\?xml[^>]{0,200}\?>", "", text, count=1))


def parse_markdown(text: str) -> JsonObject:
    """Front matter, the outline, and the text below each heading."""
    told_lines = io.StringIO(text.removeprefix("\ufeff"), newline="")
    lines = [line.rstrip("\r\n") for line in told_lines]
    front, start = _front_matter(lines)
    sections: list[_Section] = [_Section(0, "", start + 1)]
    for heading in _headings(lines, start):
        if len(sections) > MAX_HEADINGS:
            fail("Markdown", f"it has more than {MAX_HEADINGS} headings")
        sections[-1].end = heading.line - 1
        sections.append(heading)
    sections[-1].end = len(lines)
    shown = [one for one in sections if one.level or one.text(lines)]
    path: list[_Section] = []
    outline: list[Json] = []
    told: list[Json] = []
    for one in shown:
        path = [above for above in path if above.level < one.level]
        path.append(one)
        if one.level:
            outline.append({"level": one.level, "title": one.title, "line": one.line})
        names: list[Json] = [above.title for above in path if above.level]
        told.append(
            {"level": one.level, "title": one.title, "path": names, "text": one.text(lines)}
        )
    return {"front_matter": front, "outline": outline, "sections": told}


@dataclass(slots=True)
class _Section:
    level: int
    title: str
    line: int
    # How many lines the heading itself has.
    height: int = 0
    end: int = 0

    def text(self, lines: list[str]) -> str:
        return "\n".join(lines[self.line - 1 + self.height : self.end]).strip()


def _front_matter(lines: list[str]) -> tuple[Json, int]:
    if not lines or lines[0].rstrip() != "---":
        return None, 0
    end = next((at for at in range(1, len(lines)) if lines[at].rstrip() in ("---", "...")), None)
    if end is None:
        return None, 0
    try:
        return read_yaml("\n".join(lines[1:end]).encode(), max_depth=MAX_DEPTH), end + 1
    except Invalid:
        return None, 0  # a rule and then text, not front matter


def _headings(lines: list[str], start: int) -> Iterator[_Section]:
    fence: str | None = None
    paragraph_from: int | None = None
    for at in range(start, len(lines)):
        line = lines[at]
        fence, is_code = _fenced(fence, line)
        if is_code:
            paragraph_from = None
            continue
        if found := _HEADING.fullmatch(line):
            title = _CLOSING.sub("", (found[2] or "").strip()).strip()
            yield _Section(len(found[1]), title, at + 1, 1)
            paragraph_from = None
        elif paragraph_from is not None and (found := _UNDERLINE.fullmatch(line)):
            title = " ".join(part.strip() for part in lines[paragraph_from:at])
            height = at - paragraph_from + 1
            yield _Section(1 if found[1][0] == "=" else 2, title, paragraph_from + 1, height)
            paragraph_from = None
        elif not line.strip() or _RULE.fullmatch(line):
            paragraph_from = None
        elif paragraph_from is None and _NO_PARAGRAPH.match(line):
            continue
        elif paragraph_from is None:
            paragraph_from = at


def _fenced(fence: str | None, line: str) -> tuple[str | None, bool]:
    """The fence that is open after a line, and whether the line is code or a fence itself."""
    found = _FENCE.fullmatch(line)
    if fence is None:
        # Backticks after an opening fence of backticks make it a code span.
        opens = found is not None and not (found[1][0] == "`" and "`" in found[2])
        return (found[1], True) if opens and found else (None, False)
    closes = found is not None and found[1].startswith(fence) and not found[2].strip()
    return (None if closes else fence), True
