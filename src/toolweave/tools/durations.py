"""Durations in texts and objects, and the units of fields. Pure."""

import re

from toolweave.json_text import JsonObject
from toolweave.patterns import pattern
from toolweave.tools.name_words import words_in
from toolweave.tools.value_preview import written

_ISO = pattern(
    r"P(?:(?P<d>\d+)D)?(?:T(?:(?P<h>\d+)H)?(?:(?P<m>\d+)M)?(?:(?P<s>\d+(?:\.\d+)?)S)?)?", re.ASCII
)
_CLOCK = pattern(r"(\d{1,2}):([0-5]\d):([0-5]\d)")
_DURATION = pattern(r"(\d{1,9}(?:\.\d{1,6})?)\s*([A-Za-z]+)")
# Seconds of a unit; a bare `m` is a minute.
_UNITS: dict[str, float] = {
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds", "millis"), 0.001),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600),
    **dict.fromkeys(("d", "day", "days"), 86400),
    **dict.fromkeys(("w", "week", "weeks"), 604800),
}
_UNIT_NAMES = pattern(r"(milliseconds|seconds|minutes|hours|days|ms)", re.IGNORECASE)
# `Seconds until it times out, from an hour to 30 days.`
_UNIT_FIRST = pattern(r"(milliseconds|seconds|minutes|hours|days)\b", re.IGNORECASE)
# The names under which other systems have a unit and its number.
_UNIT_KEYS = frozenset({"unit", "units", "time_unit", "timeunit"})
_AMOUNTS = frozenset({"value", "amount", "number", "count", "duration", "length", "time"})


def seconds_in(about: str) -> float | None:
    """The unit of a field in seconds, by its name, else its description; None if not clear."""
    name, _, description = about.partition("\n")
    if tail := re.search(r"_(ms|s|sec|seconds|min|minutes|hours|days)$", name):
        return _UNITS[tail.group(1)]
    if first := _UNIT_FIRST.match(description):
        return _UNITS[first[1].lower()]
    units = {_UNITS[one.lower()] for one in _UNIT_NAMES.findall(f"{name} {description}")}
    return units.pop() if len(units) == 1 else None


def duration(text: str, unit: float) -> float | None:
    """`5 minutes` in a unit of so many seconds."""
    seconds = _seconds(text.strip())
    if seconds is None:
        return None
    found = round(seconds / unit, 9)
    return int(found) if found.is_integer() else found


def _seconds(text: str) -> float | None:
    """The seconds of `5 minutes`, `1h 30m`, `PT15S` or `00:05:00`."""
    if (clock := _CLOCK.fullmatch(text)) is not None:
        hours, minutes, seconds = map(int, clock.groups())
        return hours * 3600 + minutes * 60 + seconds
    if len(text) > 1 and text[-1] != "T" and (iso := _ISO.fullmatch(text)) is not None:
        return sum(float(count) * _UNITS[unit] for unit, count in iso.groupdict("0").items())
    parts = _DURATION.findall(text)
    known = [_seconds_of(unit) for _, unit in parts]
    if not parts or None in known or _DURATION.sub("", text).strip(" ,") not in {"", "and"}:
        return None
    return sum(float(count) * (unit or 0) for (count, _), unit in zip(parts, known, strict=True))


def _seconds_of(unit: str) -> float | None:
    """The seconds of a unit; `5M` may be five months."""
    return None if unit == "M" else _UNITS.get(unit.lower())


def unit_of_name(name: str) -> float | None:
    """The seconds of the unit that a name ends with: of `wait_hours`, and of `hour` alone."""
    words = words_in(name)
    return _UNITS.get(words[-1]) if words else None


def is_unit_of_time(name: str) -> bool:
    """Whether a name is a unit of time and says nothing else, so that a value is more than it."""
    return name.lower() in _UNITS


def measured(value: JsonObject, unit: float | None) -> float | None:
    """The duration of `{"hours": 1, "minutes": 5}` or `{"value": 5, "unit": "minutes"}`.

    `{"hour": 8}` may be a time of day.
    """
    if unit is None:
        return None
    named = [key for key in value if key.lower() in _UNIT_KEYS]
    amounts = {key: one for key, one in value.items() if key not in named}
    if len(named) == 1 and len(amounts) == 1 and amounts.keys() <= _AMOUNTS:
        ((count, said),) = zip(amounts.values(), (value[named[0]],), strict=True)
        parts = {str(said): count}
    elif value and all(_UNIT_NAMES.fullmatch(key) for key in value):
        parts = value
    else:
        return None
    counts = [one for one in parts.values() if isinstance(one, int | float) and one is not True]
    said = (f"{written(one)} {key}" for key, one in zip(parts, counts, strict=False))
    return duration(" ".join(said), unit) if len(counts) == len(parts) else None
