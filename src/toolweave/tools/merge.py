"""Merge two schemas into one (`allOf`), for the parameter tree.

Exact for what the tree shows. Of two patterns, formats or unions the first is kept: the raw schema
remains the authority.
"""

from collections.abc import Callable

from toolweave.json_text import Json, JsonObject, canonical
from toolweave.tools.keywords import TYPES, is_number

IMPOSSIBLE: JsonObject = {"enum": []}

_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")


def merged(one: JsonObject, two: JsonObject) -> JsonObject:
    """Return a schema for values valid in both; annotations come from `one`."""
    both = two | one
    for keyword in one.keys() & two.keys():
        if rule := _RULES.get(keyword):
            both[keyword] = rule(one[keyword], two[keyword])
    if "properties" in both:
        both["properties"] = _properties(one, two)
    if both.get("type") == []:
        return dict(IMPOSSIBLE)
    return both


def _types(one: Json, two: Json) -> Json:
    first, second = _names(one), _names(two)
    return [name for name in TYPES if _allows(first, name) and _allows(second, name)]


def _names(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


def _allows(names: list[Json], name: str) -> bool:
    return name in names or (name == "integer" and "number" in names)


def _options(one: Json, two: Json) -> Json:
    if not isinstance(one, list) or not isinstance(two, list):
        return one
    known = {canonical(option) for option in two}
    return [option for option in one if canonical(option) in known]


def _higher(one: Json, two: Json) -> Json:
    return two if _is_below(one, two) else one


def _lower(one: Json, two: Json) -> Json:
    return two if _is_below(two, one) else one


def _is_below(one: Json, two: Json) -> bool:
    if isinstance(one, int | float) and isinstance(two, int | float):
        return is_number(one) and is_number(two) and one < two
    return False


def _names_of_both(one: Json, two: Json) -> Json:
    return list(
        dict.fromkeys(name for name in [*_names(one), *_names(two)] if isinstance(name, str))
    )


def _either(one: Json, two: Json) -> Json:
    return one is True or two is True


def both_of(one: Json, two: Json) -> Json:
    """Return an unmerged `allOf` of both."""
    if one is False or two is False:
        return False
    if one is True or one == two:
        return two
    if two is True:
        return one
    if (
        isinstance(one, dict)
        and one.keys() == {"allOf"}
        and isinstance(all_of := one["allOf"], list)
    ):
        return {"allOf": [*all_of, two]}
    return {"allOf": [one, two]}


def _named(one: Json, two: Json) -> Json:
    if not isinstance(one, dict) or not isinstance(two, dict):
        return one
    return two | one | {key: both_of(one[key], two[key]) for key in one if key in two}


def _in_turn(one: Json, two: Json) -> Json:
    if not isinstance(one, list) or not isinstance(two, list):
        return one
    shared = [both_of(first, second) for first, second in zip(one, two, strict=False)]
    return [*shared, *one[len(shared) :], *two[len(shared) :]]


def _properties(one: JsonObject, two: JsonObject) -> Json:
    first, second = one.get("properties", {}), two.get("properties", {})
    if not isinstance(first, dict) or not isinstance(second, dict):
        return first
    found: JsonObject = {}
    for key in [*first, *(key for key in second if key not in first)]:
        # A key that only one of them names is an additional one to the other.
        found[key] = both_of(first.get(key, _other(one)), second.get(key, _other(two)))
    return found


def _other(schema: JsonObject) -> Json:
    return True if "patternProperties" in schema else schema.get("additionalProperties", True)


_RULES: dict[str, Callable[[Json, Json], Json]] = {
    **dict.fromkeys(_LOWER, _higher),
    **dict.fromkeys(_UPPER, _lower),
    **dict.fromkeys(
        (
            "additionalProperties",
            "unevaluatedProperties",
            "items",
            "additionalItems",
            "propertyNames",
        ),
        both_of,
    ),
    "type": _types,
    "enum": _options,
    "required": _names_of_both,
    "uniqueItems": _either,
    "patternProperties": _named,
    "prefixItems": _in_turn,
}
