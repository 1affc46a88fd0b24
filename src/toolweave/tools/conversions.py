"""Converts a value to an expected type without losing anything: texts, units, lists, pairs."""

import re
from ast import literal_eval
from collections.abc import Iterator
from datetime import UTC, datetime
from http import HTTPStatus
from math import prod
from typing import cast

from toolweave import json_text
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.tools.durations import duration, measured, seconds_in
from toolweave.tools.value_preview import written

MAX_PARSED = 10_000
MAX_ITEMS = 100
_INTEGER = pattern(r"-?(0|[1-9]\d{0,15})")
_NUMBER = pattern(r"-?(0|[1-9]\d{0,15})(\.\d{1,15})?([eE][+-]?\d{1,2})?")
# Words, addresses, channels; no separators, brackets or signs of an expression.
_PLAIN = pattern(r"[\w#@/:+-][\w#@/:+. -]*")
# `data.items`: may be an expression.
_TERM = pattern(r"[a-z]+|\S*[\d@#/_-]\S*")
_PATH = pattern(r"[A-Za-z_]\w*(\.\w+)+")
_LISTED = pattern(r"[\w#@+*-][\w#@+*./-]*(\s*[,;]\s*[\w#@+*-][\w#@+*./-]*)+")
_NUMBERED = pattern(r".*\d")
_ADDRESS = pattern(r"[^\s@,;|]+@[^\s@,;|]+")
# YAML booleans too: converted files contain them as texts.
_BOOLEANS = {
    **dict.fromkeys(("true", "yes", "on", "y", "ja", "oui", "si", "sí", "sim", "1"), True),
    **dict.fromkeys(("false", "no", "off", "n", "nein", "non", "não", "0"), False),
    **dict.fromkeys(("enabled", "wahr", "vrai"), True),
    **dict.fromkeys(("disabled", "falsch", "faux"), False),
}
_WORDS = {
    word: number
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
}
_NUMBER_WORDS = pattern(rf"^(?:{'|'.join(_WORDS)})(?=\s)", re.IGNORECASE)
_THOUSANDS = pattern(r"(\d{1,6}(?:\.\d{1,3})?)\s?[kK]")
# `120 121` may be two numbers.
_GROUPED = pattern(r"-?\d{1,3}(?:[_'\u00a0\u2019\u202f]\d{3})+|-?\d{1,3}(?: \d{3})*(?: \d00)")
_COMMAS = pattern(r"-?[1-9]\d{0,2}(?:,\d{3})+")
_COLOUR = pattern(r"(?:#|0x)[0-9A-Fa-f]{6}")
_WHOLE = pattern(r"(-?\d{1,15})\.0+")
_DECIMAL_COMMA = pattern(r"-?\d{1,9},(?:\d{1,2}|\d{4,9})")
_PERCENT = pattern(r"(\d{1,3}(?:\.\d{1,6})?)\s*%")
_NOUN = pattern(r"(-?\d{1,15})\s+([A-Za-z]+)")
_PIXELS = pattern(r"(-?\d{1,9}) ?px")
_PHRASES = {one.phrase.lower(): str(one.value) for one in HTTPStatus}
_NUMBER_SIGN = pattern(r"(?:([A-Za-z]+)\s+(?:#\s?|[Nn]o\.?\s)?|(?:#\s?|[Nn]o\.?\s))(\d{1,15})")
_BULLET = pattern(r"\s*(?:[-*•]|\d+[.)])\s+(.+)")
_LINE = pattern(r"([A-Za-z_][\w-]{0,40})\s*(?::\s|=\s?)(.{1,500})")
_QUERY = pattern(
    r"\??([\w.-]+=(?:[^&=\s{}]|\{\{[^{}&=]*\}\})*)(&[\w.-]+=(?:[^&=\s{}]|\{\{[^{}&=]*\}\})*)*"
)
# `1, 2,5, 3`: a comma between two digits may be that of a number.
_MIXED = pattern(r"\d,\d.*[,;]\s|[,;]\s.*\d,\d")
_RRULE = pattern(r"(?:RRULE|EXRULE|RDATE|EXDATE)[:;]\S+")
_PRODUCT = pattern(r"\d{1,9}(?:\s*[*x\u00d7]\s*\d{1,9}){1,4}")
_RANGE = pattern(
    r"\s*(-?\d+(?:\.\d+)?)\s*(?:-|\.{2,3}|\u2013|to|bis|,|;|:|/)\s*(-?\d+(?:\.\d+)?)\s*"
)
_TIME = pattern(r"deadline|date|time|moment|until|_at\b|start|end\b", re.IGNORECASE)
_EPOCH = (946_684_800, 4_102_444_800)  # from 2000 to 2100
_MILLISECONDS = 10**11
_ONLY = frozenset(
    {"value", "expression", "text", "content", "expr", "id", "name", "email", "address", "mail"}
)
# How often something is tried, in an object with nothing else.
_COUNTS = frozenset(
    {"limit", "max", "count", "times", "attempts", "max_attempts", "maxAttempts", "retries"}
    | {"max_retries", "maxRetries"}
)
# What other systems write beside a value: its type, and how it was chosen.
_ABOUT = frozenset(
    {"__rl", "mode", "type", "cachedResultName", "cachedResultUrl", "kind", "dataType", "is_expr"}
    | {"valueType", "value_type", "data_type", "isExpression", "is_expression", "format"}
)
# Keys under which other systems have a list.
_LISTING = frozenset(
    {"items", "item", "value", "values", "list", "elements", "entries", "data", "array", "results"}
    | {"rows", "records", "all", "any", "each"}
)
# Keys by which other systems refer to a value.
SELECTORS = frozenset(
    {"value_selector", "variable_selector", "selector", "$ref", "Ref", "Fn::GetAtt", "valueFrom"}
    | {"$expr", "value_from", "valueSelector"}
)
_NAMES = ("name", "key", "field", "header", "property", "id", "column")
_VALUES = ("value", "val", "type", "expression", "content")
# A change from one name to another: which is the key, the field decides.
_OLD, _NEW = ("from", "old", "source"), ("to", "new", "target")
_ENDS = (("min", "max"), ("minimum", "maximum"), ("start", "end"), ("from", "to"), ("low", "high"))
_NEW_TO_OLD = pattern(r"\bnew (?:name|path|key|field)s? to old", re.IGNORECASE)
_OLD_TO_NEW = pattern(r"\bold (?:name|path|key|field)s? to new", re.IGNORECASE)


def conversions(value: Json, kinds: list[Json], about: str = "") -> Iterator[Json]:
    """Yield lossless conversions to a type; `about` is the field's name and description."""
    if isinstance(value, str):
        yield from _from_text(value.strip(), kinds, about)
    elif isinstance(value, int | float) and "string" in kinds:
        if (moment := _moment(value, about)) is not None:
            yield moment
        yield written(value)
    elif isinstance(value, int) and value in (0, 1) and "boolean" in kinds:
        yield value == 1
    if isinstance(value, list):
        yield from _from_list(value, kinds, about)
    elif "array" in kinds:
        yield from _as_list(value, about)
    if isinstance(value, dict) and "object" not in kinds:
        # A value with the way it was chosen or its type, as other systems write it.
        plain = {"value": value["value"]} if is_wrapped(value) else value
        is_number = "integer" in kinds or "number" in kinds
        if is_number and (found := measured(value, seconds_in(about))) is not None:
            yield found
        elif len(plain) == 1:
            yield from _only_member(plain, about)


def _as_list(value: Json, about: str) -> Iterator[Json]:
    listed = listed_in(value) if isinstance(value, dict) else None
    if isinstance(value, dict) and listed is None:
        listed = _own_list(value, about)
    if listed is not None:
        yield listed
    elif isinstance(value, dict) and _holds_template(value):
        yield from _template_in(value, about)
    elif _is_one_item(value) and not is_reference(value):
        yield [value]


def _own_list(value: JsonObject, about: str) -> list[Json] | None:
    """The list in an object around it that only repeats the field: `cases: {"cases": […]}`."""
    inner = value.get(about.partition("\n")[0]) if len(value) == 1 else None
    return inner if isinstance(inner, list) else None


def _holds_template(value: JsonObject) -> bool:
    """Whether an object has one member, a template, which may become the list itself."""
    inner = next(iter(value.values())) if len(value) == 1 else None
    return isinstance(inner, str) and inner.startswith("{{") and inner.endswith("}}")


def _template_in(value: JsonObject, about: str) -> Iterator[Json]:
    """The template in an object around it that only repeats the field: `data: {"data": …}`."""
    ((key, inner),) = value.items()
    if key == about.partition("\n")[0] or key.lower() in _LISTING:
        yield inner


def as_range(value: Json, sample: Json) -> JsonObject | None:
    """`{"min": 1, "max": 5}` for `[1, 5]` or `1-5`, where a sample has two ends of one kind."""
    ends = [*sample] if isinstance(sample, dict) else []
    pair = next((pair for pair in _ENDS if {*pair} == {*ends}), None)
    if isinstance(value, str) and (found := _RANGE.fullmatch(value)):
        value = [_scalar(found[1]), _scalar(found[2])]
    is_pair = isinstance(value, list) and len(value) == 2
    if pair is None or not is_pair or not isinstance(value, list):
        return None
    is_counted = all(isinstance(one, int | float) and not isinstance(one, bool) for one in value)
    return dict(zip(pair, value, strict=True)) if is_counted else None


def listed_in(value: JsonObject) -> list[Json] | None:
    """The list that an object stands for: the only one in it, its numbers, or what is set."""
    if len(value) == 1 and (inner := next(iter(value.values()))).__class__ is list:
        # An object that is itself an item has other members as well.
        listed = cast("list[Json]", inner)
        is_plain = not any(isinstance(one, dict) for one in listed)
        return listed if is_plain or next(iter(value)).lower() in _LISTING else None
    numbers = [key.rpartition("-")[2].rpartition("_")[2] for key in value]
    count = len(numbers)
    if count and [int(one) if one.isdecimal() else -1 for one in numbers] in (
        list(range(count)),
        list(range(1, count + 1)),
    ):
        return list(value.values())
    if value and all(one is True for one in value.values()):
        return list(value)
    # Names without anything that is said of them.
    is_only_names = len(value) > 1 and all(one in (None, "", {}) for one in value.values())
    return list(value) if is_only_names else None


def is_reference(value: Json) -> bool:
    """Whether an object stands for a value that is elsewhere, or in it."""
    keys = value.keys() if isinstance(value, dict) else ()
    return is_wrapped(value) or (bool(keys) and keys <= SELECTORS)


def is_wrapped(value: Json) -> bool:
    """Whether an object holds one value, and beside it only words about it."""
    if not isinstance(value, dict) or "value" not in value or len(value) == 1:
        return False
    others = {key: one for key, one in value.items() if key != "value"}
    is_about = others.keys() <= _ABOUT and not isinstance(value["value"], dict)
    return is_about and all(isinstance(one, str | bool) for one in others.values())


def _from_text(text: str, kinds: list[Json], about: str) -> Iterator[Json]:
    if "integer" in kinds or "number" in kinds:
        yield from _numbers(text, kinds, about)
    if "boolean" in kinds and (word := text.strip("'\"` ").lower()) in _BOOLEANS:
        yield _BOOLEANS[word]
    if "array" in kinds and "pattern" in about.partition("\n")[0] and text[:1] in ("(", "^", "\\"):
        yield [text]
    if ("object" in kinds or "array" in kinds) and text[:1] in ("{", "[", "("):
        yield from _parsed(text)
        return
    if "object" in kinds and _QUERY.fullmatch(text):
        pairs = (one.partition("=") for one in text.removeprefix("?").split("&"))
        yield {name: value for name, _, value in pairs}
    elif "object" in kinds and (members := _lines(text)):
        yield members
    if "array" in kinds:
        yield from _lists(text)


def _parsed(text: str) -> Iterator[Json]:
    """The value of a JSON text, or of the literals of Python."""
    try:
        yield json_text.read(text, max_bytes=MAX_PARSED)
    except Invalid:
        if len(text) > MAX_PARSED or text.count("[") + text.count("{") > MAX_ITEMS:
            return
        try:
            found = json_text.write(literal_eval(text))
        except (ValueError, SyntaxError, TypeError):
            return
        yield json_text.read(found)


def _lines(text: str) -> JsonObject | None:
    """The members of a text with one on each line: `Accept: application/json`."""
    found = [_LINE.fullmatch(line.strip()) for line in text.splitlines() if line.strip()]
    members: JsonObject = {one[1]: _scalar(one[2].strip()) for one in found if one is not None}
    if len(found) == 1 and (several := _on_one_line(text)) is not None:
        return several
    return members if members and len(members) == len(found) else None


def _on_one_line(text: str) -> JsonObject | None:
    """The members of `plate: string, wheels: integer`; None if not each part has a name."""
    parts = re.split(r"[,;]\s*", text.strip().rstrip(",;"))
    found = [_LINE.fullmatch(part.strip()) for part in parts]
    members: JsonObject = {one[1]: _scalar(one[2].strip()) for one in found if one is not None}
    return members if len(parts) > 1 and len(members) == len(parts) else None


def _scalar(text: str) -> Json:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text.strip("'\"")


def _numbers(text: str, kinds: list[Json], about: str) -> Iterator[Json]:
    text = text.strip("'\"` :")
    text = _NUMBER_WORDS.sub(lambda found: str(_WORDS[found[0].lower()]), text)
    if (thousands := _THOUSANDS.fullmatch(text)) is not None:
        number = float(thousands[1]) * 1_000
        yield int(number) if number.is_integer() else number
    if text.startswith(".") and text[1:].isdecimal() and "number" in kinds:
        yield float(text)
    if _INTEGER.fullmatch(text):
        yield int(text)
    yield from _written_numbers(text, kinds, about)
    if "number" in kinds and _NUMBER.fullmatch(text):
        yield float(text)
    if _PRODUCT.fullmatch(text):
        yield prod(int(one) for one in re.findall(r"\d+", text))
    if _GROUPED.fullmatch(text):
        yield int(re.sub(r"[^\d-]", "", text))
    if (numbered := _NUMBER_SIGN.fullmatch(text)) and _is_own_word(numbered[1], about):
        yield int(numbered[2])
    if text.lower() in _WORDS:
        yield _WORDS[text.lower()]
    unit = seconds_in(about)
    if unit is not None and (found := duration(text, unit)) is not None:
        yield found


def _written_numbers(text: str, kinds: list[Json], about: str) -> Iterator[Json]:
    """Numbers as people write them: `1,000`, `5.0`, `0,5`, `80%`, `5 results` of `max_results`."""
    if "colo" in about.partition("\n")[0] and _COLOUR.fullmatch(text):
        yield int(text.lstrip("#").removeprefix("0x"), 16)
    if "number" not in kinds and _COMMAS.fullmatch(text):
        yield int(text.replace(",", ""))
    if (whole := _WHOLE.fullmatch(text)) is not None:
        yield int(whole[1])
    if "number" in kinds and _DECIMAL_COMMA.fullmatch(text):
        yield float(text.replace(",", "."))
    if "number" in kinds and (percent := _PERCENT.fullmatch(text)) is not None:
        yield round(float(percent[1]) / 100, 9)
    status, _, phrase = text.partition(" ")
    if _PHRASES.get(phrase.lower()) == status:
        yield int(status)
    if (counted := _NOUN.fullmatch(text)) and _is_own_word(counted[2], about):
        yield int(counted[1])
    if (pixels := _PIXELS.fullmatch(text)) is not None:
        yield int(pixels[1])


def _is_own_word(word: str | None, about: str) -> bool:
    """Whether nothing stands before a number, or a word of the field's own name."""
    return not word or word.strip().lower() in about.partition("\n")[0].lower().split("_")


def _lists(text: str) -> Iterator[Json]:
    if bullets := _bullets(text):
        yield bullets
    if _RRULE.fullmatch(text):
        yield [text]
    elif _LISTED.fullmatch(text) and not _MIXED.search(text):
        yield [one.strip() for one in re.split(r"[,;]", text)]
    parts = re.split(r"\s+and\s+|\s*\|\s*|\s+", text)
    if len(parts) > 1 and all(_ADDRESS.fullmatch(one) for one in parts):
        yield [*parts]


def _bullets(text: str) -> list[Json]:
    """The items of a list with one on each line, each with the same kind of mark."""
    found = [_BULLET.fullmatch(line) for line in text.splitlines() if line.strip()]
    items: list[Json] = [one[1].strip() for one in found if one is not None]
    return items if items and len(items) == len(found) else []


def _from_list(value: list[Json], kinds: list[Json], about: str) -> Iterator[Json]:
    if "object" in kinds and (found := _paired(value, _NAMES, _VALUES)):
        yield found
    elif "object" in kinds and (found := _paired(value, _OLD, _NEW)):
        # Which of the two is the key, the field says.
        if _NEW_TO_OLD.search(about):
            turned: JsonObject = {str(one): key for key, one in found.items()}
            if len(turned) == len(found):
                yield turned
        elif about.startswith("rename") or _OLD_TO_NEW.search(about):
            yield found
    elif "object" in kinds and _may_join(value) and (found := _joined(value)):
        yield found
    elif _is_pair_of_texts(value):
        return  # an entry: what it is called may be one of its members
    elif len(value) == 1 and ("array" in kinds) == isinstance(value[0], list):
        yield (_joined(value) or value[0]) if "object" in kinds else value[0]


def _is_pair_of_texts(value: list[Json]) -> bool:
    """Whether a list has one object with two texts, which reads as a name and its value."""
    inner = value[0] if len(value) == 1 else None
    is_pair = isinstance(inner, dict) and len(inner) == 2
    return is_pair and all(isinstance(one, str) for one in cast("JsonObject", inner).values())


def _paired(
    value: list[Json], names: tuple[str, ...], values: tuple[str, ...]
) -> JsonObject | None:
    """`[{"name": "a", "value": 1}]` as `{"a": 1}`, if every item has the same two keys."""
    items = [one for one in value[:MAX_ITEMS] if isinstance(one, dict) and len(one) == 2]
    keys = set(items[0]) if items else set[str]()
    if len(items) != len(value) or any(set(one) != keys for one in items):
        return None
    name = next((one for one in names if one in keys), None)
    rest = next((one for one in values if one in keys), None)
    if name is None or rest is None:
        return None
    found: JsonObject = {str(one[name]): one[rest] for one in items}
    is_certain = len(found) == len(items) and all(isinstance(one[name], str) for one in items)
    return found if is_certain else None


def _may_join(value: list[Json]) -> bool:
    """Whether there are several parts, or one pair."""
    return len(value) > 1 or (len(value) == 1 and isinstance(value[0], list))


def _joined(value: list[Json]) -> JsonObject | None:
    """`[{"a": 1}, {"b": 2}]` or `[["a", 1], ["b", 2]]` as `{"a": 1, "b": 2}`."""
    pairs: list[tuple[Json, Json]] = []
    for one in value[:MAX_ITEMS]:
        if isinstance(one, dict) and len(one) == 1:
            pairs += one.items()
        elif isinstance(one, list) and len(one) == 2:
            pairs.append((one[0], one[1]))
        elif isinstance(one, str) and (found := _lines(one)) and len(found) == 1:
            pairs += found.items()
    joined: JsonObject = {key: one for key, one in pairs if isinstance(key, str)}
    return joined if len(joined) == len(value) else None


def _moment(value: float, about: str) -> str | None:
    """The time of a Unix number, in a field that says that it takes one."""
    seconds = value / 1_000 if value > _MILLISECONDS else value
    is_time = _TIME.search(about) is not None
    if not is_time or not _EPOCH[0] <= seconds <= _EPOCH[1] or isinstance(value, bool):
        return None
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _only_member(value: JsonObject, about: str) -> Iterator[Json]:
    """The value in an object around it: `{"value": 5}`, and `{"limit": 2}` of retries."""
    ((key, inner),) = value.items()
    names = _ONLY | _COUNTS if about.startswith(("retry", "retries")) else _ONLY
    if key in names and not isinstance(inner, dict):
        yield inner


def _is_one_item(value: Json) -> bool:
    """Whether a value can only be the single item of a list: no list as text, no expression."""
    if isinstance(value, str):
        # Several addresses are several items, and a few words may be; a sentence is one.
        words = value.split()
        is_one = value.count("@") < 2 and not (
            len(words) > 1 and all(_TERM.fullmatch(one) for one in words)
        )
        return is_one and _PLAIN.fullmatch(value) is not None and _PATH.fullmatch(value) is None
    if isinstance(value, dict):
        # `{"case-0": …, "case-1": …}` is a list written as an object.
        return not all(_NUMBERED.fullmatch(key) for key in cast("dict[str, Json]", value))
    return value is not None and not isinstance(value, list)
