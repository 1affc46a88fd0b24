"""The conditions of FLOW.FILTER: read once, then asked about each item."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, NoReturn, TypeAlias, TypeGuard, cast

from rapidfuzz import fuzz

from toolweave.catalog.node import NodeInput
from toolweave.catalog.node_input import read_each, refused_at
from toolweave.cel.fault import SyntaxProblem
from toolweave.cel.language import compile_text, evaluate
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.flow._extra_names import ExtraNames
from toolweave.nodes.flow._items import field_of, is_same
from toolweave.problems import pointer
from toolweave.tools.conversions import conversions
from toolweave.tools.meaning import meant, plain_word
from toolweave.tools.unions import kind_of

Nulls: TypeAlias = Literal["include", "exclude", "treat_as_empty"]
# Whether something holds for the value of a field.
Holds: TypeAlias = Callable[[Json], bool]
# Whether something holds for an item at a place of the list.
Condition: TypeAlias = Callable[[int, Json], bool]

_SIGNS = {
    "==": "equals",
    "!=": "not_equals",
    ">": "greater_than",
    ">=": "greater_or_equal",
    "<": "less_than",
    "<=": "less_or_equal",
}
_TYPES = ("string", "number", "integer", "float", "boolean", "array", "object", "null")
_TYPE_WORDS = {
    **dict.fromkeys(("str", "text", "varchar"), "string"),
    **dict.fromkeys(("int", "long"), "integer"),
    **dict.fromkeys(("double", "decimal"), "float"),
    "bool": "boolean",
    **dict.fromkeys(("list", "tuple"), "array"),
    **dict.fromkeys(("dict", "map", "record", "json"), "object"),
    **dict.fromkeys(("none", "nil", "undefined"), "null"),
}
# Other words for a value that is there, or is not: `exists` with the value true or false.
_PRESENCE = {
    **dict.fromkeys(("isnotnull", "notnull", "isset", "isdefined", "isnotnone", "notnil"), True),
    **dict.fromkeys(("present", "ispresent", "defined", "hasvalue", "isnotnil", "nonnull"), True),
    **dict.fromkeys(("isnull", "null", "missing", "ismissing", "notexists", "notset"), False),
    **dict.fromkeys(("doesnotexist", "isundefined", "undefined", "absent", "isnil"), False),
    **dict.fromkeys(("isnone", "unset", "isabsent", "notpresent", "doesntexist"), False),
}
# Other words for the ends of a range.
_ENDS = {
    "min_value": ("min", "minimum", "from", "gte", "low", "lower", "start", "least"),
    "max_value": ("max", "maximum", "to", "lte", "high", "upper", "end", "most"),
}
GUIDANCE = "the guidance of FLOW.FILTER shows the form of each filter_type"
_MATCHES = "text.matches(pattern)"
DEFAULT_LIKENESS = 0.8


class Unfit(Exception):
    """A condition cannot be asked of an item."""


@dataclass(frozen=True, slots=True)
class ConditionReader:
    """How the conditions of one filter are meant."""

    kind: str
    minds_case: bool
    nulls: Nulls
    is_nested: bool
    names: Mapping[str, Json]

    def conditions(self, given: NodeInput) -> list[Condition]:
        """Every condition of the filter."""
        if self.kind == "custom_function":
            text = given.text("custom_filter_function")
            return [self._expression(text, "the function", ("custom_filter_function",))]
        listed = given.listing("conditions")
        if not listed:
            _refuse("'conditions' is empty, so there is nothing to filter by")
        return read_each(partial(self._condition, one, index) for index, one in enumerate(listed))

    def _condition(self, written: Json, index: int) -> Condition:
        if not isinstance(written, dict):
            _refuse(f"condition {index} is no object", index)
        if self.kind == "complex_expression":
            text = _text(written, "expression", index)
            return self._expression(text, f"condition {index}", ("conditions", index, "expression"))
        path = _text(written, "field", index)
        is_about_null = _is_about_null(self.kind, written)
        holds = self._holds(written, index)

        def asked(_place: int, item: Json) -> bool:
            value = field_of(item, path, is_nested=self.is_nested)
            if value is None and not is_about_null:
                if self.nulls != "treat_as_empty":
                    return self.nulls == "include"
                value = ""
            try:
                return holds(value)
            except Unfit as unfit:
                raise Unfit(f"field {path!r}: {unfit}") from None

        return asked

    def _expression(self, text: str, called: str, at: tuple[str | int, ...]) -> Condition:
        expression = compile_text(text)
        if not expression.is_usable:
            faults = [fault for fault in expression.faults if fault.severity == "error"]
            message = f"{called} cannot be read: {faults[0].message}"
            raise refused_at(
                at, "FILTER_CONDITION_INVALID", message, hint=faults[0].hint or GUIDANCE
            )

        def asked(place: int, item: Json) -> bool:
            found = evaluate(text, ExtraNames({"item": item, "index": place}, self.names))
            if isinstance(found, SyntaxProblem):
                raise Unfit(found.message)
            if not isinstance(found.value, bool):
                raise Unfit(f"{text[:80]!r} gives {found.value!r:.80}, not true or false")
            return found.value

        return asked

    def _holds(self, written: JsonObject, index: int) -> Holds:
        match self.kind:
            case "regex_pattern":
                return self._matching(_text(written, "pattern", index), index)
            case "range_filter":
                return self._within(written, index)
            case "exists_filter":
                return lambda value: value is not None
            case "type_filter":
                return _of_type(_text(written, "type", index), index)
            case "array_contains":
                wanted = self._plain(written.get("value"))
                return lambda value: self._has(_list(value), wanted)
            case "fuzzy_match":
                return self._like(written, index)
            case _:
                return self._compared(written, index)

    def _compared(self, written: JsonObject, index: int) -> Holds:
        name = _text(written, "operator", index)
        name, wanted = _SIGNS.get(name, name), self._plain(written.get("value"))
        if name in ("in", "not_in") and not isinstance(wanted, list):
            listed = [one for one in conversions(wanted, ["array"]) if isinstance(one, list)]
            fix = listed[0] if len(listed) == 1 else None
            _refuse(f"condition {index}: {name!r} needs a list as 'value'", index, "value", fix=fix)
        operators: dict[str, Holds] = {
            "equals": lambda value: is_same(self._plain(value), wanted),
            "not_equals": lambda value: not is_same(self._plain(value), wanted),
            "greater_than": lambda value: _order(self._plain(value), wanted) > 0,
            "greater_or_equal": lambda value: _order(self._plain(value), wanted) >= 0,
            "less_than": lambda value: _order(self._plain(value), wanted) < 0,
            "less_or_equal": lambda value: _order(self._plain(value), wanted) <= 0,
            "in": lambda value: self._has(_list(wanted), self._plain(value)),
            "not_in": lambda value: not self._has(_list(wanted), self._plain(value)),
            "contains": lambda value: self._contains(value, wanted),
            "starts_with": lambda value: _words(self._plain(value)).startswith(_words(wanted)),
            "ends_with": lambda value: _words(self._plain(value)).endswith(_words(wanted)),
            # With `"value": false` it must be missing.
            "exists": lambda value: (value is not None) is (wanted is not False),
        }
        if name not in operators:
            _refuse_presence(name, wanted, index)
            known = meant(name, operators)
            _refuse(
                f"condition {index}: no operator {name!r}",
                index,
                "operator",
                hint=f"use one of {', '.join(known or operators)}",
                fix=known[0] if len(known) == 1 else None,
            )
        return operators[name]

    def _matching(self, pattern: str, index: int) -> Holds:
        pattern = pattern if self.minds_case else f"(?i){pattern}"
        tried = evaluate(_MATCHES, {"text": "", "pattern": pattern})
        if isinstance(tried, SyntaxProblem):
            _refuse(f"condition {index}: {tried.message}", index, "pattern", hint=tried.hint)

        def holds(value: Json) -> bool:
            found = evaluate(_MATCHES, {"text": _words(value), "pattern": pattern})
            if isinstance(found, SyntaxProblem):
                raise Unfit(found.message)
            return found.value is True

        return holds

    def _within(self, written: JsonObject, index: int) -> Holds:
        _check_ends(written, index)
        least, most = self._plain(written.get("min_value")), self._plain(written.get("max_value"))
        if least is None and most is None:
            _refuse(f"condition {index} needs 'min_value', 'max_value' or both", index)
        # Of what is exactly at a border, `_order` gives 0.
        border = 0 if written.get("inclusive", True) is not False else 1

        def holds(value: Json) -> bool:
            found = self._plain(value)
            return (least is None or _order(found, least) >= border) and (
                most is None or _order(most, found) >= border
            )

        return holds

    def _like(self, written: JsonObject, index: int) -> Holds:
        wanted = _words(self._plain(_text(written, "value", index)))
        threshold = written.get("threshold", DEFAULT_LIKENESS)
        if not _is_number(threshold) or not 0 <= threshold <= 1:
            _refuse(
                f"condition {index}: 'threshold' must be a number from 0 to 1", index, "threshold"
            )
        least = threshold * 100
        return lambda value: fuzz.ratio(_words(self._plain(value)), wanted) >= least

    def _contains(self, value: Json, wanted: Json) -> bool:
        if isinstance(value, list):
            return self._has(value, wanted)
        return _words(wanted) in _words(self._plain(value))

    def _has(self, values: list[Json], wanted: Json) -> bool:
        return any(is_same(self._plain(value), wanted) for value in values)

    def _plain(self, value: Json) -> Json:
        if self.minds_case:
            return value
        if isinstance(value, list):
            return [self._plain(one) for one in value]
        return value.casefold() if isinstance(value, str) else value


def read_conditions(given: NodeInput) -> list[Condition]:
    """The conditions of a filter. Raises `FILTER_CONDITION_INVALID`."""
    return ConditionReader(
        given.text("filter_type"),
        given.flag("case_sensitive"),
        cast(Nulls, given.text("null_handling")),
        given.flag("nested_field_support"),
        given.names,
    ).conditions(given)


def _is_about_null(kind: str, written: JsonObject) -> bool:
    return (
        kind == "exists_filter"
        or (kind == "simple_condition" and written.get("operator") == "exists")
        or (kind == "type_filter" and written.get("type") == "null")
    )


def _of_type(name: str, index: int) -> Holds:
    if name not in _TYPES:
        words = meant(name, _TYPES) or [*filter(None, [_TYPE_WORDS.get(name.lower())])]
        _refuse(
            f"condition {index}: no type {name!r}",
            index,
            "type",
            hint=f"use one of {', '.join(words or _TYPES)}",
            fix=words[0] if len(words) == 1 else None,
        )
    kinds = {"number": ("number", "integer"), "float": ("number", "integer")}.get(name, (name,))
    return lambda value: kind_of(value) in kinds


def _check_ends(written: JsonObject, index: int) -> None:
    """Refuse other words for the ends, which would be passed over."""
    moves: list[Json] = []
    for name, others in _ENDS.items():
        found = [key for key in others if key in written and name not in written]
        place = f"/conditions/{index}"
        if len(found) == 1:
            moves.append({"op": "move", "from": f"{place}/{found[0]}", "path": f"{place}/{name}"})
    if moves:
        raise refused_at(
            ("conditions", index),
            "FILTER_CONDITION_INVALID",
            f"condition {index}: the ends of a range are 'min_value' and 'max_value'",
            hint=GUIDANCE,
            patch=moves,
        )


def _order(one: Json, other: Json) -> int:
    if _is_number(one) and _is_number(other):
        return (one > other) - (one < other)
    if isinstance(one, str) and isinstance(other, str):
        return (one > other) - (one < other)
    raise Unfit(f"{one!r:.80} cannot be compared with {other!r:.80}")


def _is_number(value: Json) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _words(value: Json) -> str:
    if isinstance(value, str):
        return value
    raise Unfit(f"{value!r:.80} is no text")


def _list(value: Json) -> list[Json]:
    if isinstance(value, list):
        return value
    raise Unfit(f"{value!r:.80} is no list")


def _refuse_presence(name: str, wanted: Json, index: int) -> None:
    """Refuse another word for `exists`, with its fix. A value beside it says something else."""
    is_there = _PRESENCE.get(plain_word(name))
    if is_there is None or wanted is not None:
        return
    place = pointer("conditions", index)
    patch: list[Json] = [{"op": "replace", "path": f"{place}/operator", "value": "exists"}]
    if not is_there:
        patch.append({"op": "add", "path": f"{place}/value", "value": False})
    raise refused_at(
        ("conditions", index, "operator"),
        "FILTER_CONDITION_INVALID",
        f"condition {index}: no operator {name!r}",
        hint="use 'exists'" if is_there else "use 'exists' with the value false",
        patch=patch,
    )


def _text(written: JsonObject, name: str, index: int) -> str:
    value = written.get(name)
    if isinstance(value, str) and value:
        return value
    _refuse(f"condition {index} needs a text as {name!r}", index, name)


def _refuse(message: str, *at: str | int, hint: str | None = None, fix: Json = None) -> NoReturn:
    raise refused_at(
        ("conditions", *at),
        "FILTER_CONDITION_INVALID",
        message,
        hint=hint or GUIDANCE,
        fix=fix,
    )
