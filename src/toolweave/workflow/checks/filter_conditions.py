"""Conditions of a filter as other systems write them, as FLOW.FILTER reads them. Not a check.

`{"stars": {"$gte": 3}}` of document databases, `["stars", ">=", 3]`, `{"and": […]}`, a list below a
word that joins it, and n8n's `leftValue` and `rightValue`.
"""

from typing import NamedTuple

from toolweave.cel.language import compile_text
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.tools.meaning import plain_word

_HOW = frozenset({"combinator", "logic", "logicaloperator", "combine", "match", "join", "type"})
_LISTS = frozenset({"conditions", "rules", "filters", "items", "criteria"})
_JOINED = {
    **dict.fromkeys(("and", "all", "allof", "must", "every"), "AND"),
    **dict.fromkeys(("or", "any", "anyof", "should", "some"), "OR"),
    **dict.fromkeys(("not", "none", "nor", "mustnot"), "NOT"),
}
_OPERATORS = {
    **dict.fromkeys(("eq", "equals", "equal", "is", "=", "==", "==="), "equals"),
    **dict.fromkeys(("ne", "neq", "notequals", "notequal", "isnot", "!=", "!=="), "not_equals"),
    **dict.fromkeys(("gt", "greaterthan", "larger", "above", "after", ">"), "greater_than"),
    **dict.fromkeys(("gte", "ge", "greaterorequal", "atleast", ">="), "greater_or_equal"),
    **dict.fromkeys(("greaterthanorequal", "greaterthanorequals"), "greater_or_equal"),
    **dict.fromkeys(("lt", "lessthan", "smaller", "below", "before", "<"), "less_than"),
    **dict.fromkeys(("lte", "le", "lessorequal", "atmost", "<="), "less_or_equal"),
    **dict.fromkeys(("lessthanorequal", "lessthanorequals"), "less_or_equal"),
    **dict.fromkeys(("in", "isoneof", "oneof", "anyof"), "in"),
    **dict.fromkeys(("nin", "notin", "isnotoneof"), "not_in"),
    **dict.fromkeys(("contains", "includes"), "contains"),
    **dict.fromkeys(("startswith", "beginswith", "prefix"), "starts_with"),
    **dict.fromkeys(("endswith", "suffix"), "ends_with"),
    **dict.fromkeys(("exists", "isset", "isnotempty", "notempty"), "exists"),
}
# Members of a condition of ours, by the names that it has for them too.
_MEMBERS = frozenset({"field", "operator", "op", "value", "expression", "pattern", "type"})
_LEFT, _RIGHT = (
    frozenset({"leftvalue", "value1", "left"}),
    frozenset({"rightvalue", "value2", "right"}),
)
_SIGN = frozenset({"operator", "operation", "op", "condition"})
_NOTES = frozenset({"id", "options", "name"})
# `={{ $json.status }}`, `$json["status"]`, `item.status`
_FIELD = pattern(
    r"=?\s*(?:\{\{)?\s*(?:\$json|item|row|record|data|\$item)?(?:\.|\[['\"])?"
    r"(?P<path>[A-Za-z_][\w.]*?)(?:['\"]\])?\s*(?:\}\})?"
)
_MOST = 50


class Conditions(NamedTuple):
    """The conditions as a filter reads them, and the word that joins them where one is given."""

    listed: list[Json]
    joined: str | None = None


def conditions_meant(given: Json) -> Conditions | None:
    """The conditions that another notation means; None for what is ours, or is not clear."""
    if isinstance(given, list) and len(given) == 1 and isinstance(given[0], dict):
        return _joined(given[0]) or _all(given)
    if isinstance(given, dict):
        return _joined(given) or _all([given])
    if isinstance(given, list) and (one := _triple(given)) is not None:
        return Conditions([one])
    return _all(given) if isinstance(given, list) else None


def _joined(given: JsonObject) -> Conditions | None:
    """`{"or": […]}`, and `{"combinator": "or", "conditions": […]}`."""
    names = {plain_word(name.removeprefix("$")): name for name in given}
    if len(names) == 1 and (word := _JOINED.get(next(iter(names)))) is not None:
        found = _all(given[next(iter(given))], is_ours=True)
        return found and Conditions(found.listed, word)
    lists = [names[one] for one in names if one in _LISTS]
    how = [names[one] for one in names if one in _HOW]
    if len(lists) != 1 or len(how) > 1 or len(names) != len(lists) + len(how):
        return None
    found = _all(given[lists[0]], is_ours=True)
    word = _JOINED.get(plain_word(str(given[how[0]]))) if how else None
    if found is None or (how and word is None):
        return None
    return Conditions(found.listed, word)


def _all(given: Json, *, is_ours: bool = False) -> Conditions | None:
    """Every condition of a list; None where nothing has to be changed, or one cannot be read."""
    if not isinstance(given, list) or not 0 < len(given) <= _MOST:
        return None
    found: list[Json] = []
    for one in given:
        read = _conditions(one)
        if not read:
            return None
        found += read
    return Conditions(found) if is_ours or found != given else None


def _conditions(given: Json) -> list[JsonObject]:
    """The conditions that one item says; empty if it cannot be read."""
    if isinstance(given, list):
        one = _triple(given)
        return [one] if one is not None else []
    if not isinstance(given, dict):
        return []
    if "field" in given:
        return [given]
    if (two := _sides(given)) is not None:
        return [two]
    around = {plain_word(one) for one in given} & (_HOW | _LISTS)
    if not given or given.keys() & _MEMBERS or around:
        return []
    found: list[JsonObject] = []
    for field, asked in given.items():
        read = _of_field(field, asked)
        if not read:
            return []
        found += read
    return found


def _of_field(field: str, asked: Json) -> list[JsonObject]:
    """`stars: {"$gte": 3, "$lt": 5}`, or `stars: 3`."""
    if plain_word(field) in _JOINED or field.startswith("$"):
        return []
    if isinstance(asked, list):
        return [{"field": field, "operator": "in", "value": asked}]
    if not isinstance(asked, dict):
        return [{"field": field, "operator": "equals", "value": asked}]
    found: list[JsonObject] = []
    for sign, value in asked.items():
        if (operator := _operator(sign)) is None:
            return []
        found.append({"field": field, "operator": operator, "value": value})
    return found


def _triple(given: list[Json]) -> JsonObject | None:
    """`["stars", ">=", 3]`, or `["comment", "exists"]`."""
    if len(given) not in {2, 3} or not isinstance(given[0], str) or not isinstance(given[1], str):
        return None
    operator = _operator(given[1])
    if operator is None or (len(given) == 2 and operator != "exists"):
        return None
    value: JsonObject = {"value": given[2]} if len(given) == 3 else {}
    return {"field": given[0], "operator": operator, **value}


def _sides(given: JsonObject) -> JsonObject | None:
    """`{"leftValue": "={{ $json.stars }}", "operator": {"operation": "gte"}, "rightValue": 3}`."""
    parts: dict[str, Json] = {}
    for name, value in given.items():
        plain = plain_word(name)
        part = "left" if plain in _LEFT else "right" if plain in _RIGHT else ""
        part = "sign" if plain in _SIGN else part
        if not part and plain not in _NOTES:
            return None
        if part in parts:
            return None
        parts |= {part: value} if part else {}
    sign = parts.get("sign")
    sign = sign.get("operation") if isinstance(sign, dict) else sign
    operator = _operator(sign) if isinstance(sign, str) else None
    left = parts.get("left")
    path = _FIELD.fullmatch(left) if isinstance(left, str) else None
    if operator is None or path is None or compile_text(path["path"]).path is None:
        return None
    more: JsonObject = {"value": parts["right"]} if "right" in parts else {}
    return {"field": path["path"], "operator": operator, **more}


def _operator(sign: str) -> str | None:
    plain = sign.strip().removeprefix("$")
    return _OPERATORS.get(plain) or _OPERATORS.get(plain_word(plain))
