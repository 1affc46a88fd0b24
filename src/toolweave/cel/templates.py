"""Templates: texts with `{{ CEL }}` placeholders, filled in one pass.

Inserted values are never parsed again, so no value can inject a placeholder. A text that consists
of one `{{ … }}` becomes the value itself; in a longer text, strings are inserted as they are and
everything else as JSON. A literal `{{` is written `{{ '{{' }}`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from toolweave import json_text
from toolweave.cel.fault import SyntaxProblem, fault_at
from toolweave.cel.language import MAX_ROOM, Result
from toolweave.cel.tokens import tokens
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer

MAX_PLACEHOLDERS = 10_000
# After so many, the other placeholders of a value are not evaluated.
MAX_PROBLEMS = 100
_MAX_REMEMBERED = 1_000
# An expression without strings, maps and comments up to its end needs no tokenizer.
_PLAIN = pattern(r"""[^"'`{}/]*+\}\}""")


class Placeholder(NamedTuple):
    """One placeholder: its content, where the content begins, and the placeholder's range."""

    content: str
    at: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Template:
    """A text with its placeholders and its syntax problems."""

    text: str
    placeholders: tuple[Placeholder, ...] = ()
    faults: tuple[SyntaxProblem, ...] = ()

    @property
    def is_bare(self) -> bool:
        """Whether the whole text is one placeholder, so that its value keeps its type."""
        return len(self.placeholders) == 1 and (
            self.placeholders[0].start,
            self.placeholders[0].end,
        ) == (
            0,
            len(self.text),
        )


# Finds the placeholders of a text.
Reader: TypeAlias = Callable[[str], Template]
# The value of a placeholder, its problem, or None to leave the placeholder unchanged.
Resolve: TypeAlias = Callable[[str], Result | None]


@dataclass(frozen=True, slots=True)
class FilledTemplate:
    """A value with its placeholders filled; problems list those that could not be."""

    value: Json
    problems: tuple[Problem, ...] = ()


def read_template(text: str) -> Template:
    """Find the `{{ CEL }}` placeholders of a text."""
    return _remembered(text) if len(text) <= _MAX_REMEMBERED else _read(text)


def _read(text: str) -> Template:
    placeholders: list[Placeholder] = []
    start = text.find("{{")
    while start >= 0:
        end = _end_of(text, start + 2)
        if end is None:
            hint = "close it with }}; check for an unclosed quote inside"
            fault = fault_at(text, start, "TEMPLATE_UNCLOSED", "{{ is not closed", hint)
            return Template(text, tuple(placeholders), (fault,))
        content = text[start + 2 : end]
        inner = content.lstrip()
        at = start + 2 + len(content) - len(inner)
        placeholders.append(Placeholder(inner.rstrip(), at, start, end + 2))
        start = text.find("{{", end + 2)
    return Template(text, tuple(placeholders))


# Several checks and then the run parse the same texts.
_remembered = lru_cache(maxsize=2_048)(_read)


def substitute(
    value: Json, resolve: Resolve, *, read: Reader = read_template, keeps_type: bool = True
) -> FilledTemplate:
    """Fill the placeholders of a value; with `keeps_type`, a lone placeholder keeps its type."""
    filler = _Filler(resolve, read, keeps_type=keeps_type)
    return FilledTemplate(filler.filled(value, ""), tuple(filler.problems))


def texts_in(value: Json, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text of a value that may have a placeholder, with its pointer, in order."""
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
    """Shift a problem of a part to its position in the whole text."""
    return fault_at(text, fault.offset + by, fault.code, fault.message, fault.hint, fault.severity)


def _end_of(text: str, start: int) -> int | None:
    """Find the `}}` that ends the expression at `start`: outside strings, maps and comments."""
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
    def __init__(self, resolve: Resolve, read: Reader, *, keeps_type: bool) -> None:
        self.problems: list[Problem] = []
        self._resolve = resolve
        self._read = read
        self._keeps_type = keeps_type
        self._room = MAX_ROOM
        self._placeholders = MAX_PLACEHOLDERS

    def filled(self, value: Json, place: str) -> Json:
        """Return the filled value; the same object where nothing changed."""
        if isinstance(value, str):
            return self._text(value, place) if "{" in value else value
        if isinstance(value, list):
            return self._list(value, place)
        return self._object(value, place) if isinstance(value, dict) else value

    def _list(self, items: list[Json], place: str) -> list[Json]:
        changed: list[Json] | None = None
        for index, item in enumerate(items):
            filled = self.filled(item, f"{place}/{index}")
            if filled is not item:
                changed = [*items] if changed is None else changed
                changed[index] = filled
        return items if changed is None else changed

    def _object(self, members: JsonObject, place: str) -> JsonObject:
        changed: JsonObject | None = None
        for key, item in members.items():
            filled = self.filled(item, place + pointer(key))
            if filled is not item:
                changed = {**members} if changed is None else changed
                changed[key] = filled
        return members if changed is None else changed

    def _text(self, text: str, place: str) -> Json:
        template = self._read(text)
        self.problems.extend(fault.problem(place) for fault in template.faults)
        self._placeholders -= len(template.placeholders)
        if self._placeholders < 0:
            message = f"a value can have at most {MAX_PLACEHOLDERS} placeholders"
            self.problems.append(fault_at(text, 0, "TEMPLATE_VALUE", message).problem(place))
            return text
        if template.is_bare and self._keeps_type:
            return self._value(template.placeholders[0], text, place)
        pieces: list[str] = []
        end = 0
        for placeholder in template.placeholders:
            pieces.append(text[end : placeholder.start])
            pieces.append(self._written(placeholder, text, place))
            end = placeholder.end
        return "".join([*pieces, text[end:]]) if template.placeholders else text

    def _value(self, placeholder: Placeholder, text: str, place: str) -> Json:
        """Return the value of a placeholder; its own text where there is none."""
        if len(self.problems) >= MAX_PROBLEMS:
            return text[placeholder.start : placeholder.end]
        result = self._resolve(placeholder.content)
        if isinstance(result, SyntaxProblem):
            self.problems.append(moved(result, text, placeholder.at).problem(place))
            return text[placeholder.start : placeholder.end]
        return text[placeholder.start : placeholder.end] if result is None else result.value

    def _written(self, placeholder: Placeholder, text: str, place: str) -> str:
        if self._room < 0:
            return ""  # reported at the placeholder that went beyond
        value = self._value(placeholder, text, place)
        try:
            written = value if isinstance(value, str) else json_text.write(value)
        except TypeError:
            self._report(placeholder, text, place, "the value cannot be inserted into a text")
            return ""
        self._room -= len(written)
        if self._room < 0:
            self._report(placeholder, text, place, f"the filled texts exceed {MAX_ROOM} characters")
            return ""
        return written

    def _report(self, placeholder: Placeholder, text: str, place: str, message: str) -> None:
        self.problems.append(
            fault_at(text, placeholder.at, "TEMPLATE_VALUE", message).problem(place)
        )
