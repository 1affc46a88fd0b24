"""Which server a section of a document uses: by heading, block id or lines; the nearest wins.

Bindings stand in the document's front matter, under `toolweave: bindings:`, or in the settings of
this home. Lines are counted as if no results stood in the document, so that runs move nothing.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from toolweave.documents.document import Block, Document
from toolweave.documents.markdown import Heading
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, did_you_mean, pointer
from toolweave.workflow.yaml_text import read_yaml

SectionType = Literal["heading", "block", "range"]
MAX_BINDINGS = 1_000
EXPECTED = "a binding names a server and one of heading, block or lines"
_TOP_LEVEL_KEY = pattern(r"^([A-Za-z][\w-]*):", re.MULTILINE)
_OURS = pattern(r"^toolweave:[ \t\r]*$", re.MULTILINE)
_SECTION_KEYS = (
    "heading",
    "headingText",
    "block",
    "blockId",
    "lines",
    "startLine",
    "endLine",
    "inherit",
    "inheritToChildren",
)
_KEYS = ("server", "heading", "block", "lines", "inherit")
_SHORT = {"heading": "headingText", "block": "blockId", "server": "serverId"}


class Binding(BaseModel):
    """A section and its server; exactly one way to find the section."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    server: str = Field(alias="serverId", min_length=1, max_length=128)
    heading: str | None = Field(None, alias="headingText", min_length=1, max_length=1_000)
    block: str | None = Field(None, alias="blockId", min_length=1, max_length=100)
    start_line: int | None = Field(None, alias="startLine", ge=1)
    end_line: int | None = Field(None, alias="endLine", ge=1)
    inherit: bool = Field(True, alias="inheritToChildren")

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        has_lines = self.start_line is not None or self.end_line is not None
        ways = [self.heading is not None, self.block is not None, has_lines]
        if sum(ways) != 1:
            raise ValueError("give exactly one of heading, block, or lines")
        if has_lines and (self.start_line is None or self.end_line is None):
            raise ValueError("lines need a first and a last one")
        if has_lines and not (self.start_line or 0) < (self.end_line or 0):
            raise ValueError("the first line comes before the last")
        return self

    @property
    def section_type(self) -> SectionType:
        """How the section is found."""
        if self.heading is not None:
            return "heading"
        return "block" if self.block is not None else "range"

    def as_json(self) -> JsonObject:
        """The binding in its long form."""
        return {
            "sectionType": self.section_type,
            **self.model_dump(by_alias=True, exclude_none=True),
        }

    @property
    def section(self) -> str:
        """The section in words."""
        if self.heading is not None:
            return f"heading {self.heading!r}"
        return f"block ^{self.block}" if self.block else f"lines {self.start_line}-{self.end_line}"


@dataclass(frozen=True, slots=True)
class BrokenBinding:
    """A binding that cannot be used, with its section if that much can be read."""

    problem: Problem
    section: Binding | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """The lines of the document, from 0, that a binding holds for."""

    binding: Binding
    first: int
    last: int
    # A heading's own part, before the first section inside it.
    own_last: int
    # Why the binding cannot be used.
    fault: str | None = None

    @property
    def size(self) -> int:
        """How near it is: smaller is nearer."""
        return self.last - self.first

    @property
    def held_last(self) -> int:
        """The last line it holds for: sections inside may inherit it or not."""
        return self.last if self.binding.inherit else self.own_last


@dataclass(frozen=True, slots=True)
class ChosenServer:
    """The server of a block, and why; `fault` if a broken binding leaves it undecided."""

    server: str | None
    why: str
    fault: str | None = None


class Bindings:
    """Those of one document, found in it once; those named later win where both are as near.

    Fails closed: where a broken binding may apply, a block has no server rather than another one.
    """

    def __init__(
        self,
        document: Document,
        bindings: Sequence[Binding],
        broken: Sequence[BrokenBinding] = (),
    ) -> None:
        self._document = document
        self.spans: list[Span] = []
        self.lost: list[Binding] = []
        self._unplaced: list[str] = []
        for binding in bindings[:MAX_BINDINGS]:
            found = list(_spans(document, binding))
            self.spans += found
            if not found:
                self.lost.append(binding)
                self._unplaced.append(
                    f"the document has no {binding.section}, which is bound to {binding.server!r}"
                )
        painted = list(self.spans)
        for one in broken[:MAX_BINDINGS]:
            spans = list(_spans(document, one.section)) if one.section else []
            painted += [replace(span, fault=one.problem.message) for span in spans]
            if not spans:
                self._unplaced.append(one.problem.message)
        self._holding = _painted(painted, document.line_count)

    def server_of(self, block: Block, first_enabled: str | None) -> ChosenServer:
        """Which server a block uses."""
        if block.server is not None:
            return ChosenServer(block.server, "the block names it")
        return self.server_at(block.first, first_enabled)

    def server_at(self, line: int, first_enabled: str | None) -> ChosenServer:
        """Which server a line, from 0, is bound to."""
        nearest = self._holding[line] if line < len(self._holding) else None
        if nearest is not None and nearest.fault is not None:
            return ChosenServer(None, "its binding is invalid", nearest.fault)
        if nearest is not None:
            return ChosenServer(nearest.binding.server, f"{nearest.binding.section} is bound to it")
        if self._unplaced:
            return ChosenServer(None, "a binding is invalid", self._unplaced[0])
        return ChosenServer(first_enabled, "it is the first enabled server")

    def problems(self, servers: Collection[str]) -> Iterator[Problem]:
        """Bindings without a section or a server, and ranges that cross each other."""
        for binding in self.lost:
            yield Problem(
                "DOCUMENT_BINDING_LOST",
                "",
                f"the document has no {binding.section}; its binding to {binding.server!r} has "
                "no effect",
                "bind the section by its new name, or `toolweave doc unbind` it",
                "warning",
            )
        for name in dict.fromkeys(span.binding.server for span in self.spans):
            if name not in servers:
                hint = did_you_mean(name, servers) or "`toolweave servers list` shows them"
                message = f"a section is bound to {name!r}, which is not a registered server"
                yield Problem("DOCUMENT_BINDING_SERVER_UNKNOWN", "", message, hint)
        yield from self._crossing()

    def _crossing(self) -> Iterator[Problem]:
        ranges = sorted(
            (span for span in self.spans if span.binding.section_type == "range"),
            key=lambda span: (span.first, -span.last),
        )
        open_: list[Span] = []
        for span in ranges:
            open_ = [one for one in open_ if one.last >= span.first]
            if any(one.last < span.last for one in open_[-1:]):
                message = (
                    f"{open_[-1].binding.section} and {span.binding.section} overlap; the shorter "
                    "one holds where they do"
                )
                hint = "set one inside the other, or apart"
                yield Problem("DOCUMENT_BINDING_OVERLAP", "", message, hint, "warning")
            open_.append(span)


def front_bindings(document: Document) -> tuple[list[Binding], list[BrokenBinding]]:
    """The bindings of the front matter, and those that cannot be used."""
    if document.open_front_matter is not None and _OURS.search(document.open_front_matter):
        told = "the front matter is not closed, so its bindings are not read"
        return [], [BrokenBinding(_invalid("", told, "end it with a line `---`"))]
    if document.front_matter is None:
        return [], []
    if "toolweave" not in document.front_matter:
        return [], _misnamed(document.front_matter)
    try:
        front = read_yaml(document.front_matter.encode("utf-8", "surrogateescape"), max_depth=20)
    except Invalid as error:
        return [], [_broken("", f"the front matter cannot be read: {error.message}")]
    if not isinstance(front, dict) or front.get("toolweave") is None:
        return [], _misnamed(document.front_matter)
    ours = front["toolweave"]
    if not isinstance(ours, dict):
        return [], [_broken("/toolweave", "expected is `bindings:` with a list")]
    broken = [
        _broken(pointer("toolweave", key), f"{key!r} is not a setting of documents")
        for key in ours
        if key != "bindings"
    ]
    listed = ours.get("bindings")
    if listed is not None and not isinstance(listed, list):
        broken.append(_broken("/toolweave/bindings", "the bindings are not a list"))
    found: list[Binding] = []
    for at, one in enumerate(listed if isinstance(listed, list) else ()):
        try:
            found.append(read_binding(one))
        except Invalid as error:
            place = pointer("toolweave", "bindings", at)
            faults = "; ".join(f"{each.pointer or '/'}: {each.message}" for each in error.problems)
            told = f"binding {at + 1} of the front matter is invalid: {faults}"
            problem = _invalid(place + error.problems[0].pointer, told)
            broken.append(BrokenBinding(problem, _section_of(one)))
    return found, broken


def _misnamed(front_matter: str) -> list[BrokenBinding]:
    """Bindings that are not read because of their key; their blocks would use another server."""
    found: list[BrokenBinding] = []
    for match in _TOP_LEVEL_KEY.finditer(front_matter):
        key = match[1]
        if get_close_matches(key.casefold(), ["toolweave"], cutoff=0.8):
            told = f"{key!r} is not read; did you mean 'toolweave'?"
            found.append(BrokenBinding(_invalid(pointer(key), told)))
        elif key == "bindings" and "server" in front_matter:
            told = "'bindings' is not read here; write it under 'toolweave'"
            found.append(BrokenBinding(_invalid("/bindings", told)))
    return found


def _section_of(value: Json) -> Binding | None:
    """The section of an invalid binding, if it has exactly one."""
    given = value if isinstance(value, dict) else {}
    section = {key: given[key] for key in _SECTION_KEYS if key in given}
    try:
        return read_binding({**section, "server": "unknown"})
    except Invalid:
        return None


def find_section(document: Document, heading: str) -> tuple[int, int] | None:
    """Return the first line, from 0, and the line after the section with this heading."""
    for at, one in enumerate(document.headings):
        if _is_heading(one, heading):
            span = _section(document, at, read_binding({"heading": heading, "server": "unknown"}))
            return span.first, span.last + 1
    return None


def read_binding(value: Json) -> Binding:
    """A binding in the long form or in short: `{heading, server}`, `{lines: 3-9, server}`."""
    given = dict(value) if isinstance(value, dict) else {}
    for short, long in (*_SHORT.items(), ("inherit", "inheritToChildren")):
        if short in given:
            given[long] = given.pop(short)
    kind = given.pop("sectionType", None)
    lines = given.pop("lines", None)
    block = given.get("blockId")
    if isinstance(block, str):
        given["blockId"] = block.removeprefix("^")
    if isinstance(lines, str):
        first, _, last = lines.partition("-")
        given |= {"startLine": _number(first), "endLine": _number(last)}
    try:
        binding = Binding.model_validate(given)
    except ValidationError as error:
        raise _no_binding(_binding_problems(error)) from None
    if kind not in (None, binding.section_type):
        message = f"the section type is {kind!r}, but the section is a {binding.section_type}"
        raise _no_binding([_invalid("/sectionType", message)])
    return binding


def _binding_problems(error: ValidationError) -> Iterator[Problem]:
    """What is wrong, unknown keys first, in the words that a binding is usually written in."""
    short = {long: name for name, long in _SHORT.items()}
    faults = error.errors(include_url=False, include_input=False)
    for fault in sorted(faults, key=lambda one: one["type"] != "extra_forbidden"):
        key = str(fault["loc"][-1]) if fault["loc"] else ""
        name = short.get(key, key)
        message = fault["msg"].removeprefix("Value error, ")
        if fault["type"] == "extra_forbidden":
            hint = did_you_mean(name, _KEYS)
            message = f"{name!r} is unknown; {hint}" if hint else f"{name!r} is unknown"
        elif fault["type"] == "missing":
            message = f"{name!r} is missing"
        yield _invalid(pointer(*fault["loc"]), message)


def _no_binding(found: Iterable[Problem]) -> Invalid:
    problems = list(found)
    message = f"this is not a binding: {problems[0].message}"
    return Invalid("DOCUMENT_BINDING_INVALID", message, problems=problems, hint=EXPECTED)


def _spans(document: Document, binding: Binding) -> Iterator[Span]:
    if binding.heading is not None:
        for at, heading in enumerate(document.headings):
            if _is_heading(heading, binding.heading):
                yield _section(document, at, binding)
    elif binding.block is not None:
        for block in document.blocks:
            if block.id == binding.block:
                yield Span(binding, block.first, block.last, block.last)
                return
        line = document.ids.get(binding.block)
        at = next((n for n, one in enumerate(document.headings) if one.line == line), None)
        if at is not None:
            yield _section(document, at, binding)
    else:
        yield from _range(document, binding)


def _range(document: Document, binding: Binding) -> Iterator[Span]:
    assert binding.start_line is not None
    assert binding.end_line is not None
    first = document.line_at(binding.start_line)
    if first is not None:
        last = document.line_at(binding.end_line)
        end = document.line_count - 1 if last is None else last
        yield Span(binding, first, end, end)


def _section(document: Document, at: int, binding: Binding) -> Span:
    headings, end = document.headings, document.line_count
    heading = headings[at]
    inside = headings[at + 1].line if at + 1 < len(headings) else end
    for number in range(at + 1, len(headings)):
        if headings[number].level <= heading.level:
            end = headings[number].line
            break
    return Span(binding, heading.line, end - 1, min(inside, end) - 1)


def _painted(spans: Sequence[Span], lines: int) -> list[Span | None]:
    """For each line the span that holds: larger ones first, so that nearer ones cover them."""
    holding: list[Span | None] = [None] * lines if spans else []
    for span in sorted(spans, key=lambda span: -span.size):
        holding[span.first : span.held_last + 1] = [span] * (span.held_last + 1 - span.first)
    return holding


def _is_heading(heading: Heading, wanted: str) -> bool:
    marks = len(wanted) - len(wanted.lstrip("#"))
    level = marks if 0 < marks <= 6 and wanted[marks : marks + 1].isspace() else 0
    text = " ".join(wanted[level:].split())
    return text == " ".join(heading.text.split()) and level in (0, heading.level)


def _number(text: str) -> Json:
    text = text.strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else text


def _invalid(place: str, message: str, hint: str = EXPECTED) -> Problem:
    return Problem("DOCUMENT_BINDING_INVALID", place, message, hint)


def _broken(place: str, message: str) -> BrokenBinding:
    return BrokenBinding(_invalid(place, message))
