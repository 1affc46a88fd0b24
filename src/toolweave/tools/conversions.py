"""Converts a value to an expected type without losing anything: texts, units, lists, pairs."""

import re
from collections.abc import Iterator
from typing import cast

from toolweave import json_text
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.tools.value_preview import written

MAX_PARSED = 10_000
MAX_ITEMS = 100
_INTEGER = re.compile(r"-?(0|[1-9]\d{0,15})")
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,15})(\.\d{1,15})?([eE][+-]?\d{1,2})?")
# Words, addresses, channels; no separators, brackets or signs of an expression.
_PLAIN = re.compile(r"[\w#@/:+-][\w#@/:+. -]*")
# `data.items`: may be an expression.
_PATH = re.compile(r"[A-Za-z_]\w*(\.\w+)+")
_LISTED = re.compile(r"[\w#@+-][\w#@+./-]*(\s*[,;]\s*[\w#@+-][\w#@+./-]*)+")
_NUMBERED = re.compile(r".*\d")
# YAML booleans too: converted files contain them as texts.
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_WORDS = {
    word: number
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
}
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\s*([A-Za-z]+)")
# Seconds of a unit; a bare `m` is a minute.
_UNITS: dict[str, float] = {
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds", "millis"), 0.001),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600),
    **dict.fromkeys(("d", "day", "days"), 86400),
    **dict.fromkeys(("w", "week", "weeks"), 604800),
}
_UNIT_NAMES = re.compile(r"(milliseconds|seconds|minutes|hours|days|ms)", re.IGNORECASE)
_NAMES = ("name", "key", "field", "header", "property", "id", "column")
_VALUES = ("value", "type", "expression", "content")


def conversions(value: Json, kinds: list[Json], about: str = "") -> Iterator[Json]:
    """Yield lossless conversions to a type; `about` is the field's name and description."""
    if isinstance(value, str):
        yield from _from_text(value.strip(), kinds, about)
    elif isinstance(value, int | float) and "string" in kinds:
        yield written(value)
    elif isinstance(value, int) and value in (0, 1) and "boolean" in kinds:
        yield value == 1
    if isinstance(value, list):
        yield from _from_list(value, kinds)
    elif "array" in kinds and _is_one_item(value):
        yield [value]
    if isinstance(value, dict) and len(value) == 1 and "object" not in kinds:
        yield from _only_member(value)


def seconds_in(about: str) -> float | None:
    """The unit of a field in seconds, by its name, else its description; None if not clear."""
    name, _, description = about.partition("\n")
    if tail := re.search(r"_(ms|s|sec|seconds|min|minutes|hours|days)$", name):
        return _UNITS[tail.group(1)]
    units = {_UNITS[one.lower()] for one in _UNIT_NAMES.findall(f"{name} {description}")}
    return units.pop() if len(units) == 1 else None


def duration(text: str, unit: float) -> float | None:
    """`5 minutes` in a unit of so many seconds."""
    match = _DURATION.fullmatch(text.strip())
    seconds = _UNITS.get(match.group(2).lower()) if match else None
    if match is None or seconds is None:
        return None
    found = round(float(match.group(1)) * seconds / unit, 9)
    return int(found) if found.is_integer() else found


def _from_text(text: str, kinds: list[Json], about: str) -> Iterator[Json]:
    is_number = "integer" in kinds or "number" in kinds
    if is_number and _INTEGER.fullmatch(text):
        yield int(text)
    if "number" in kinds and _NUMBER.fullmatch(text):
        yield float(text)
    if is_number and text.lower() in _WORDS:
        yield _WORDS[text.lower()]
    unit = seconds_in(about) if is_number else None
    if unit is not None and (found := duration(text, unit)) is not None:
        yield found
    if "boolean" in kinds and text.lower() in _BOOLEANS:
        yield _BOOLEANS[text.lower()]
    if ("object" in kinds or "array" in kinds) and text[:1] in ("{", "["):
        try:
            yield json_text.read(text, max_bytes=MAX_PARSED)
        except Invalid:
            return
    if "array" in kinds and _LISTED.fullmatch(text):
        yield [one.strip() for one in re.split(r"[,;]", text)]


def _from_list(value: list[Json], kinds: list[Json]) -> Iterator[Json]:
    if "object" in kinds and (found := _paired(value)):
        yield found
    elif len(value) == 1 and ("array" in kinds) == isinstance(value[0], list):
        yield value[0]


def _paired(value: list[Json]) -> JsonObject | None:
    """`[{"name": "a", "value": 1}]` as `{"a": 1}`, if every item has the same two keys."""
    items = [one for one in value[:MAX_ITEMS] if isinstance(one, dict) and len(one) == 2]
    keys = set(items[0]) if items else set[str]()
    if len(items) != len(value) or any(set(one) != keys for one in items):
        return None
    name = next((one for one in _NAMES if one in keys), None)
    rest = next((one for one in _VALUES if one in keys), None)
    if name is None or rest is None:
        return None
    found: JsonObject = {str(one[name]): one[rest] for one in items}
    is_certain = len(found) == len(items) and all(isinstance(one[name], str) for one in items)
    return found if is_certain else None


def _only_member(value: JsonObject) -> Iterator[Json]:
    """The value in an object around it: `{"value": 5}`."""
    ((key, inner),) = value.items()
    if key in {"value", "expression", "text", "content", "expr"} and not isinstance(inner, dict):
        yield inner


def _is_one_item(value: Json) -> bool:
    """Whether a value can only be the single item of a list: no list as text, no expression."""
    if isinstance(value, str):
        return _PLAIN.fullmatch(value) is not None and _PATH.fullmatch(value) is None
    if isinstance(value, dict):
        # `{"case-0": …, "case-1": …}` is a list written as an object.
        return not all(_NUMBERED.fullmatch(key) for key in cast("dict[str, Json]", value))
    return value is not None and not isinstance(value, list)
