"""Records as ACTION nodes work on them: paths into them, comparing, ordering, aggregating."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from toolweave.catalog.node_input import refused_at
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject, canonical
from toolweave.patterns import pattern
from toolweave.problems import did_you_mean
from toolweave.tools.meaning import meant

CONDITIONS = "filter_conditions"
_OF_LISTS = frozenset({"in", "not_in"})
FUNCTIONS = ("count", "sum", "avg", "min", "max", "first", "last")
_CALL = pattern(r"\s*([a-z]+)\s*(?:\(\s*([^()]*?)\s*\))?\s*")


class MissingValue:
    """Nothing is there, not even null."""


MISSING: Final = MissingValue()
Number: TypeAlias = int | float


def look(value: Json, path: str) -> "Json | MissingValue":
    """What is at a dotted path; a field whose very name has dots is found too."""
    if isinstance(value, dict) and path in value:
        return value[path]
    for step in path.split("."):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdecimal() and int(step[:9]) < len(value):
            value = value[int(step)]
        else:
            return MISSING
    return value


def at(value: Json, path: str) -> Json:
    """What is at a dotted path; null where nothing is."""
    found = look(value, path)
    return None if isinstance(found, MissingValue) else found


def key_of(record: Json, paths: Sequence[str]) -> bytes:
    """The same for records that are alike at these paths."""
    return canonical([at(record, path) for path in paths])


def equal(left: Json, right: Json) -> bool:
    """JSON's equality: 1 is 1.0, and true is not 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict | list) or isinstance(right, dict | list):
        # Booleans may be inside: bytes tell them from numbers.
        return type(left) is type(right) and canonical(left) == canonical(right)
    return left == right


def number(value: Json) -> Number | None:
    """A number, if that is what it is."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def order_key(value: Json) -> tuple[int, Number, str]:
    """Sorts any values: numbers, texts, false and true, then everything else as JSON."""
    if (found := number(value)) is not None:
        return (0, found, "")
    if isinstance(value, str):
        return (1, 0, value)
    if isinstance(value, bool):
        return (2, int(value), "")
    return (3, 0, canonical(value).decode())


def _compares(*wanted: int) -> Callable[[Json, Json], bool]:
    return lambda left, right: _compared(left, right) in wanted


def _compared(left: Json, right: Json) -> int | None:
    """-1, 0 or 1; nothing where the two cannot be compared."""
    if isinstance(left, str) and isinstance(right, str):
        return (left > right) - (left < right)
    one, other = number(left), number(right)
    return None if one is None or other is None else (one > other) - (one < other)


def _within(left: Json, right: Json) -> bool:
    return isinstance(right, list) and any(equal(left, item) for item in right)


def _contains(left: Json, right: Json) -> bool:
    if isinstance(left, str):
        return isinstance(right, str) and right in left
    if isinstance(left, dict):
        return isinstance(right, str) and right in left
    return isinstance(left, list) and any(equal(item, right) for item in left)


def _both_texts(asks: Callable[[str, str], bool]) -> Callable[[Json, Json], bool]:
    return lambda left, right: (
        isinstance(left, str) and isinstance(right, str) and asks(left, right)
    )


OPERATORS: dict[str, Callable[[Json, Json], bool]] = {
    "equals": equal,
    "not_equals": lambda left, right: not equal(left, right),
    "greater_than": _compares(1),
    "greater_or_equal": _compares(0, 1),
    "less_than": _compares(-1),
    "less_or_equal": _compares(-1, 0),
    "in": _within,
    "not_in": lambda left, right: not _within(left, right),
    "contains": _contains,
    "starts_with": _both_texts(str.startswith),
    "ends_with": _both_texts(str.endswith),
}


def read_condition(condition: Json, index: int) -> Callable[[Json], bool]:
    """Whether a record fulfils `{"field", "operator", "value"}`."""
    if not isinstance(condition, dict) or not isinstance(field := condition.get("field"), str):
        message = f"the condition {condition!r:.120} names no field"
        raise refused_at((CONDITIONS, index), "TRANSFORMATION_INVALID", message)
    operator, value = condition.get("operator", "equals"), condition.get("value")
    if operator == "exists":
        wanted = value is not False
        return lambda record: (look(record, field) is not MISSING) == wanted
    holds = OPERATORS.get(operator) if isinstance(operator, str) else None
    if holds is None:
        known = [*OPERATORS, "exists"]
        name = str(operator)
        found = meant(name, known)
        raise refused_at(
            (CONDITIONS, index, "operator"),
            "TRANSFORMATION_INVALID",
            f"there is no operator {operator!r:.80}; expected one of {', '.join(known)}",
            hint=f"use {' or '.join(map(repr, found))}" if found else did_you_mean(name, known),
            fix=found[0] if len(found) == 1 else None,
        )
    if operator in _OF_LISTS and not isinstance(value, list):
        message = "the operators in and not_in take a list as value"
        raise refused_at((CONDITIONS, index, "value"), "TRANSFORMATION_INVALID", message)
    return lambda record: holds(at(record, field), value)


def read_aggregate(name: str, text: Json) -> Callable[[Sequence[Json]], Json]:
    """Return the aggregate `count`, `avg`, `max(pay)`…; `name` is the default field."""
    found = _CALL.fullmatch(text) if isinstance(text, str) else None
    if found is None or found[1] not in FUNCTIONS:
        raise refused_at(
            ("aggregation_functions", name),
            "TRANSFORMATION_INVALID",
            f"{name!r} is to be {text!r:.80}; expected one of {', '.join(FUNCTIONS)}, "
            "or such as sum(price)",
            hint=did_you_mean(str(text).partition("(")[0], FUNCTIONS),
            fix=_meant_aggregate(str(text)),
        )
    function, path = found[1], found[2]
    if function == "count" and not path:
        return len
    return lambda records: aggregate(function, [at(record, path or name) for record in records])


def _meant_aggregate(text: str) -> str | None:
    """The aggregate in small letters, or by another name; `count(*)` counts all."""
    found = _CALL.fullmatch(text.lower())
    names = meant(found[1], FUNCTIONS) if found else []
    if found is None or len(names) != 1:
        return None
    _, mark, rest = text.strip().partition("(")
    if names[0] == "count" and rest.rstrip(") ").strip() in {"*", "1"}:
        return "count"
    return f"{names[0]}({rest}" if mark else names[0]


def aggregate(function: str, values: Iterable[Json]) -> Json:
    """One value of many; nulls are passed over, and so is what is no number by sum and avg."""
    given = [value for value in values if value is not None]
    match function:
        case "count":
            return len(given)
        case "first":
            return given[0] if given else None
        case "last":
            return given[-1] if given else None
        case "min":
            return min(given, key=order_key) if given else None
        case "max":
            return max(given, key=order_key) if given else None
        case _:
            numbers = [found for value in given if (found := number(value)) is not None]
            return sum(numbers) if function == "sum" else _mean(numbers)


def _mean(numbers: list[Number]) -> Json:
    if not numbers:
        return None
    mean = sum(numbers) / len(numbers)
    return int(mean) if mean.is_integer() else mean


def record_at(data: Sequence[Json], index: int) -> JsonObject:
    """One of the records. Raises `Invalid`: `TRANSFORMATION_INVALID` where it is no object."""
    record = data[index]
    if not isinstance(record, dict):
        raise Invalid(
            "TRANSFORMATION_INVALID",
            f"item {index} is {record!r:.80}; expected an object",
            hint="use the operation custom for lists of plain values",
        )
    return record
