"""Texts of four kinds as JSON values, each in time that grows with its length and no faster."""

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
# Cells of CSV, elements of XML.
MAX_PIECES = 250_000
_NUMBER = pattern(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,40})?([eE][-+]?[0-9]{1,3})?")
_WORDS: dict[str, Json] = {"": None, "null": None, "true": True, "false": False}


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
