"""Texts with holes: `{{ CEL }}` in any value, `{name}` or `{{name}}` in prompts. One pass.

What fills a hole is never looked at again, so no value can smuggle in a hole of its own. A value
that is nothing but one `{{ … }}` becomes the value itself; inside a longer text, texts stay texts
and everything else is written as JSON. A literal `{{` is written `{{ '{{' }}`.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias

from toolweave import json_text
from toolweave.cel.fault import SyntaxProblem, fault_at
from toolweave.cel.language import MAX_ROOM, Result, compile_text
from toolweave.cel.paths import PathReference
from toolweave.cel.tokens import tokens
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer

# `name` is the flow dialect's `{name}`, `names` the drawing tool's `{{name}}`.
Style = Literal["expression", "name", "names"]

MAX_HOLES = 10_000
_MAX_REMEMBERED = 1_000
# A name as ids have them, or a path such as `nodes['node-2'].output[0]`; `a{2}` has none.
_ASKED = r"""((?!\d+\})\w[\w.-]*(?:\[(?:\d+|'[^'\n]*'|"[^"\n]*")\][\w.-]*)*)"""
_NAMED: dict[Style, re.Pattern[str]] = {
    "name": re.compile(rf"\{{{_ASKED}\}}"),
    "names": re.compile(rf"\{{\{{[ \t]*{_ASKED}[ \t]*\}}\}}"),
}
# An expression without texts, maps and comments, up to its end: no need to take it to words.
_PLAIN = re.compile(r"""[^"'`{}/]*+\}\}""")


@dataclass(frozen=True, slots=True)
class Hole:
    """A place to fill: what is asked for, where that begins, and where the hole ends."""

    asked: str
    at: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Template:
    """A text with its holes, and what is wrong with it as a template."""

    text: str
    holes: tuple[Hole, ...] = ()
    faults: tuple[SyntaxProblem, ...] = ()

    @property
    def is_bare(self) -> bool:
        """Whether the whole text is one hole, so that what fills it keeps its type."""
        return len(self.holes) == 1 and (self.holes[0].start, self.holes[0].end) == (
            0,
            len(self.text),
        )


# What fills a hole: a value, a fault, or nothing to leave the text as it is.
Resolve: TypeAlias = Callable[[str], Result | None]


@dataclass(frozen=True, slots=True)
class FilledTemplate:
    """A value with its holes filled; those that could not be are as they were, and told."""

    value: Json
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class TemplateUse:
    """A path that a template in a value reads; the offset counts from the start of the text."""

    pointer: str
    reference: PathReference


def read_template(text: str, style: Style = "expression") -> Template:
    """The holes of a text."""
    if style != "expression":
        found = _NAMED[style].finditer(text)
        named = (Hole(one[1], one.start(1), one.start(), one.end()) for one in found)
        return Template(text, tuple(named))
    return _remembered(text) if len(text) <= _MAX_REMEMBERED else _read(text)


def _read(text: str) -> Template:
    holes: list[Hole] = []
    start = text.find("{{")
    while start >= 0:
        end = _end_of(text, start + 2)
        if end is None:
            hint = "close it with }}; a quote inside may not be closed"
            fault = fault_at(text, start, "TEMPLATE_UNCLOSED", "{{ is never closed", hint)
            return Template(text, tuple(holes), (fault,))
        asked = text[start + 2 : end]
        inner = asked.lstrip()
        at = start + 2 + len(asked) - len(inner)
        holes.append(Hole(inner.rstrip(), at, start, end + 2))
        start = text.find("{{", end + 2)
    return Template(text, tuple(holes))


# A memo of a pure function: several checks and then the run read the same texts.
_remembered = lru_cache(maxsize=2_048)(_read)


def substitute(value: Json, resolve: Resolve, *, style: Style = "expression") -> FilledTemplate:
    """A value with every hole in its texts filled once; keys of objects are left as they are."""
    filler = _Filler(resolve, style)
    return FilledTemplate(filler.filled(value, ""), tuple(filler.problems))


def check_templates(value: Json) -> Iterator[Problem]:
    """What is wrong with the templates in a value, before anything runs."""
    for place, text in texts_in(value):
        template = read_template(text)
        for fault in template.faults:
            yield fault.problem(place)
        for hole in template.holes:
            for fault in compile_text(hole.asked).faults:
                yield moved(fault, text, hole.at).problem(place)


def references_in(value: Json) -> tuple[TemplateUse, ...]:
    """Every path that the templates in a value read."""
    return tuple(
        TemplateUse(place, replace(one, offset=one.offset + hole.at))
        for place, text in texts_in(value)
        for hole in read_template(text).holes
        for one in compile_text(hole.asked).references
    )


def texts_in(value: Json, place: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a value that may have a hole, with its place, in order."""
    waiting: list[tuple[str, Json]] = [(place, value)]
    while waiting:
        at, one = waiting.pop()
        if isinstance(one, str):
            if "{" in one:
                yield at, one
        elif isinstance(one, list):
            waiting.extend((f"{at}/{index}", one[index]) for index in reversed(range(len(one))))
        elif isinstance(one, dict):
            for key in reversed(one):
                part = one[key]
                if "{" in part if isinstance(part, str) else isinstance(part, dict | list):
                    waiting.append((at + pointer(key), part))


def moved(fault: SyntaxProblem, text: str, by: int) -> SyntaxProblem:
    """The fault of a part as a fault of the whole text."""
    return fault_at(text, fault.offset + by, fault.code, fault.message, fault.hint, fault.severity)


def _end_of(text: str, start: int) -> int | None:
    """Where `}}` ends the expression that begins at `start`: outside texts, maps and comments."""
    if plain := _PLAIN.match(text, start):
        return plain.end() - 2
    depth = 0
    for token in tokens(text, start):
        if token.text == "{":
            depth += 1
        elif token.text == "}":
            if depth == 0 and text.startswith("}}", token.at):
                return token.at
            depth = max(0, depth - 1)
    return None


class _Filler:
    def __init__(self, resolve: Resolve, style: Style) -> None:
        self.problems: list[Problem] = []
        self._resolve = resolve
        self._style: Style = style
        self._room = MAX_ROOM
        self._holes = MAX_HOLES

    def filled(self, value: Json, place: str) -> Json:
        """The value; the very same where nothing in it changed."""
        if isinstance(value, str):
            return self._text(value, place) if "{" in value else value
        if isinstance(value, list):
            return self._list(value, place)
        return self._object(value, place) if isinstance(value, dict) else value

    def _list(self, items: list[Json], place: str) -> list[Json]:
        changed: list[Json] | None = None
        for index, item in enumerate(items):
            found = self.filled(item, f"{place}/{index}")
            if found is not item:
                changed = [*items] if changed is None else changed
                changed[index] = found
        return items if changed is None else changed

    def _object(self, members: JsonObject, place: str) -> JsonObject:
        changed: JsonObject | None = None
        for key, item in members.items():
            found = self.filled(item, place + pointer(key))
            if found is not item:
                changed = {**members} if changed is None else changed
                changed[key] = found
        return members if changed is None else changed

    def _text(self, text: str, place: str) -> Json:
        template = read_template(text, self._style)
        self.problems.extend(fault.problem(place) for fault in template.faults)
        self._holes -= len(template.holes)
        if self._holes < 0:
            message = f"a value has at most {MAX_HOLES} holes"
            self.problems.append(fault_at(text, 0, "TEMPLATE_VALUE", message).problem(place))
            return text
        if template.is_bare and self._style == "expression":
            return self._hole(template.holes[0], text, place)
        pieces: list[str] = []
        end = 0
        for hole in template.holes:
            pieces.append(text[end : hole.start])
            pieces.append(self._written(hole, text, place))
            end = hole.end
        return "".join([*pieces, text[end:]]) if template.holes else text

    def _hole(self, hole: Hole, text: str, place: str) -> Json:
        """What fills a hole; its own text where nothing does."""
        result = self._resolve(hole.asked)
        if isinstance(result, SyntaxProblem):
            self.problems.append(moved(result, text, hole.at).problem(place))
            return text[hole.start : hole.end]
        return text[hole.start : hole.end] if result is None else result.value

    def _written(self, hole: Hole, text: str, place: str) -> str:
        value = self._hole(hole, text, place)
        try:
            written = value if isinstance(value, str) else json_text.write(value)
        except TypeError:
            self._told(hole, text, place, "the value cannot be written into a text")
            return ""
        self._room -= len(written)
        if self._room < 0:
            self._told(hole, text, place, f"the texts are larger than {MAX_ROOM} characters")
            return ""
        return written

    def _told(self, hole: Hole, text: str, place: str, message: str) -> None:
        self.problems.append(fault_at(text, hole.at, "TEMPLATE_VALUE", message).problem(place))
