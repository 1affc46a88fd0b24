"""Converts a value of an old schema to one of a new schema, if the schemas say how."""

import re
from dataclasses import dataclass

from toolweave.json_text import Json, JsonObject
from toolweave.recording.migration.schema_view import (
    Certainty,
    accepts,
    description_of,
    has_new_meaning,
    has_same_rules,
    kind_of,
    may_mean_other,
    options_of,
    properties_of,
)
from toolweave.tools.meaning import meant, plain_word
from toolweave.tools.value_preview import shown, written

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
_SEPARATED = re.compile(r"\s*[,;\n]\s*")
_LISTED = re.compile(r"(?i)comma|separated|delimited|list of")
_TRUE = ("true", "yes", "on", "enabled", "always")
_FALSE = ("false", "no", "off", "disabled", "never")


@dataclass(frozen=True, slots=True)
class ConvertedValue:
    """A value for the new schema, and why."""

    value: Json
    certainty: Certainty
    reason: str


@dataclass(frozen=True, slots=True)
class UnknownValue:
    """The schemas do not say what the value should be now."""

    reason: str


Conversion = ConvertedValue | UnknownValue | None


def convert_value(value: Json, old: JsonObject, new: JsonObject) -> Conversion:
    """Return the value for the new schema; None if it fits as it is."""
    if may_mean_other(old, new):
        return UnknownValue(
            "its description differs in a unit, a number or a format: "
            f"{description_of(old)!r} became {description_of(new)!r}"
        )
    if accepts(new, value):
        return None
    found = _converted(value, old, new)
    if isinstance(found, ConvertedValue) and not accepts(new, found.value):
        return UnknownValue(f"{shown(value)} does not fit, and neither does {shown(found.value)}")
    if isinstance(found, ConvertedValue) and has_new_meaning(old, new):
        return UnknownValue(f"its type changed, and its description: {description_of(new)!r}")
    if isinstance(found, ConvertedValue) and description_of(old) != description_of(new):
        return ConvertedValue(found.value, "likely", found.reason)
    return found


def _converted(value: Json, old: JsonObject, new: JsonObject) -> Conversion:
    kind, options = kind_of(new), options_of(new)
    if isinstance(value, str) and options is not None:
        return _option(value, old, options)
    if isinstance(value, bool):
        return _from_boolean(value, new) or _wrapped(value, old, new)
    match value, kind:
        case int(), "string":
            return ConvertedValue(str(value), "certain", "the number is given as text now")
        case float(), "string":
            text = str(int(value)) if value.is_integer() else written(value)
            return ConvertedValue(text, "likely", "the number is given as text now")
        case float(), "integer" if value.is_integer():
            return ConvertedValue(int(value), "certain", "a whole number is expected now")
        case str(), "integer" | "number":
            return _number(value, kind)
        case str(), "boolean" if value.lower() in ("true", "false"):
            return ConvertedValue(value.lower() == "true", "certain", "a boolean is expected now")
        case list(), _ if kind != "array":
            return _from_list(value, kind)
        case dict(), _ if kind not in ("object", "array"):
            return _from_object(value, old, kind)
        case _:
            return _wrapped(value, old, new)


def _option(value: str, old: JsonObject, options: list[Json]) -> Conversion:
    texts = [option for option in options if isinstance(option, str)]
    same = [option for option in texts if plain_word(option) == plain_word(value)]
    if len(same) == 1:
        return ConvertedValue(same[0], "certain", f"the option {value!r} is spelt {same[0]!r} now")
    before = options_of(old) or []
    came = [option for option in texts if option not in before]
    similar = [option for option in came if _is_similar(value, option)]
    if len(similar) == 1:
        return ConvertedValue(similar[0], "likely", f"{value!r} is gone and {similar[0]!r} is new")
    return UnknownValue(f"{value!r} is no longer one of the options")


def _is_similar(value: str, option: str) -> bool:
    one, other = plain_word(value), plain_word(option)
    return one.startswith(other) or other.startswith(one) or bool(meant(value, [option]))


def _from_boolean(value: bool, new: JsonObject) -> Conversion:
    options = options_of(new)
    words = _TRUE if value else _FALSE
    if options is not None:
        named = [one for one in options if isinstance(one, str) and one.lower() in words]
        if len(named) != 1:
            return UnknownValue(f"which option stands for {shown(value)} is not said")
        is_same = str(named[0]).lower() == words[0]
        reason = f"{shown(value)} is the option {named[0]!r} now"
        return ConvertedValue(named[0], "certain" if is_same else "likely", reason)
    if kind_of(new) == "string":
        return ConvertedValue(words[0], "likely", "the boolean is given as text now")
    return None


def _number(value: str, kind: str) -> Conversion:
    if not _NUMBER.fullmatch(value.strip()):
        return UnknownValue(f"{value!r} is no number")
    number = float(value)
    if kind == "integer" and not number.is_integer():
        return UnknownValue(f"{value!r} is no whole number")
    whole = int(value) if "." not in value else number
    result = int(number) if kind == "integer" else whole
    return ConvertedValue(result, "certain", "the text is given as a number now")


def _from_list(value: list[Json], kind: str | None) -> Conversion:
    if kind is None:
        return UnknownValue(f"{shown(value)} does not fit any more")
    if len(value) != 1:
        return UnknownValue(f"one value is expected now instead of a list of {len(value)}")
    return ConvertedValue(value[0], "certain", "one value is expected now instead of a list")


def _from_object(value: JsonObject, old: JsonObject, kind: str | None) -> Conversion:
    known = list(properties_of(old))
    if kind is None or len(value) != 1 or len(known) != 1:
        return UnknownValue(f"the object became {kind or 'something else'}")
    inner = next(iter(value.values()))
    return ConvertedValue(inner, "certain", "the value is expected without its object now")


def _wrapped(value: Json, old: JsonObject, new: JsonObject) -> Conversion:
    match kind_of(new):
        case "array":
            return _in_list(value, old, new)
        case "object":
            return _in_object(value, old, new)
        case kind:
            return UnknownValue(f"{shown(value)} is not {kind or 'allowed any more'}")


def _in_list(value: Json, old: JsonObject, new: JsonObject) -> Conversion:
    items = new.get("items")
    inner = items if isinstance(items, dict) else {}
    if isinstance(value, str):
        is_list = _LISTED.search(description_of(old)) or _LISTED.search(description_of(new))
        parts = [part for part in _SEPARATED.split(value) if part]
        if len(parts) > 1 or is_list:
            reason = "a list is expected now; the text is split at its separators"
            return ConvertedValue([*parts], "likely", reason)
    is_sure = has_same_rules(old, inner) and not may_mean_other(old, inner)
    reason = "a list is expected now"
    return ConvertedValue([value], "certain" if is_sure else "likely", reason)


def _in_object(value: Json, old: JsonObject, new: JsonObject) -> Conversion:
    known = list(properties_of(new))
    needed = [one for one in known if one.is_required] or known
    fitting = [one for one in needed if accepts(one.schema, value)]
    if len(needed) != 1 or len(fitting) != 1:
        return UnknownValue("an object is expected now, and it is not clear where the value goes")
    only = fitting[0]
    is_sure = len(known) == 1 and has_same_rules(old, only.schema)
    reason = f"the value is expected as {only.name!r} of an object now"
    return ConvertedValue({only.name: value}, "certain" if is_sure else "likely", reason)
