"""Hypothesis strategies: values that fit a parameter tree, and trees and schemas themselves."""

import os
import re
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from toolweave.json_text import Json, canonical
from toolweave.tools.keywords import TYPES
from toolweave.tools.parameter import Constraints, Parameter

FEWEST = 20


def steady(examples: int) -> settings:
    """The same examples on every run, whatever else the machine is doing.

    A run tries a third of them; with `TEST_EXAMPLES=all`, for what they are about, it tries all.
    """
    if os.environ.get("TEST_EXAMPLES") != "all":
        examples = min(examples, max(FEWEST, examples // 3))
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


FORMATS: dict[str, st.SearchStrategy[str]] = {
    "uuid": st.uuids().map(str),
    "uri": st.from_regex(r"https://[a-z]{1,10}\.example(/[a-z0-9]{1,8}){0,3}", fullmatch=True),
    "email": st.from_regex(r"[a-z]{1,10}@[a-z]{1,10}\.example", fullmatch=True),
    "date": st.dates().map(str),
    "date-time": st.datetimes().map(lambda moment: moment.isoformat(timespec="seconds") + "Z"),
    "ipv4": st.ip_addresses(v=4).map(str),
}
SCALARS: st.SearchStrategy[Json] = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False, width=32)
    | st.text(max_size=10)
)


def _small_lists(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)


JSON: st.SearchStrategy[Json] = st.recursive(SCALARS, _small_lists, max_leaves=6)


def values_of(parameter: Parameter) -> st.SearchStrategy[Json]:
    """Values that fit `parameter`."""
    fitting = _fitting(parameter)
    return st.none() | fitting if parameter.nullable else fitting


def _fitting(parameter: Parameter) -> st.SearchStrategy[Json]:
    options = parameter.constraints.enum
    if parameter.recursive_ref is not None:
        return st.nothing()
    if options is not None:
        return st.sampled_from(options)
    match parameter.kind:
        case "array":
            return _arrays(parameter)
        case "object":
            return _objects(parameter)
        case "union":
            return st.one_of([values_of(variant) for variant in parameter.variants])
        case _:
            return _scalars(parameter)


def _scalars(parameter: Parameter) -> st.SearchStrategy[Json]:
    match parameter.kind:
        case "string":
            return _texts(parameter.constraints)
        case "integer" | "number":
            return _numbers(parameter)
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case _:
            return JSON


def _texts(limits: Constraints) -> st.SearchStrategy[Json]:
    least, most = limits.min_length or 0, limits.max_length
    if limits.pattern is not None:
        # ASCII and no line break: where Python's classes and `$` differ from JSON Schema's.
        regex = re.compile(limits.pattern, re.ASCII)
        found = st.from_regex(regex, alphabet=_PRINTABLE).filter(lambda text: "\n" not in text)
    elif limits.format in FORMATS:
        found = FORMATS[limits.format]
    else:
        return st.text(min_size=least, max_size=None if most is None else min(most, least + 20))
    return found.filter(lambda text: least <= len(text) <= (len(text) if most is None else most))


_PRINTABLE = st.characters(min_codepoint=32, max_codepoint=126)


def _numbers(parameter: Parameter) -> st.SearchStrategy[Json]:
    limits = parameter.constraints
    low = max(
        (end for end in (limits.minimum, limits.exclusive_minimum) if end is not None), default=-1e6
    )
    high = min(
        (end for end in (limits.maximum, limits.exclusive_maximum) if end is not None),
        default=low + 1e6,
    )
    if parameter.kind == "integer" or limits.multiple_of:
        step = limits.multiple_of or 1
        found = st.integers(int(-(-low // step)), int(high // step)).map(lambda times: times * step)
    else:
        found = st.floats(low, high, allow_nan=False)
    return found.filter(
        lambda value: value not in (limits.exclusive_minimum, limits.exclusive_maximum)
    )


def _arrays(parameter: Parameter) -> st.SearchStrategy[Json]:
    limits, fixed = parameter.constraints, [values_of(one) for one in parameter.prefix_items]
    each = values_of(parameter.items) if parameter.items else JSON
    least = max((limits.min_items or 0) - len(fixed), 0)
    most = least + 2 if limits.max_items is None else min(least + 2, limits.max_items - len(fixed))
    rest = st.lists(
        each,
        min_size=least,
        max_size=max(most, least),
        unique_by=canonical if limits.unique_items else None,
    )
    if limits.max_items is not None and limits.max_items < len(fixed):
        return st.tuples(*fixed[: limits.max_items]).map(list)
    return st.tuples(st.tuples(*fixed), rest).map(lambda both: [*both[0], *both[1]])


def _objects(parameter: Parameter) -> st.SearchStrategy[Json]:
    required = {one.name: values_of(one) for one in parameter.properties if one.required}
    optional = {
        one.name: found
        for one in parameter.properties
        if not one.required and not (found := values_of(one)).is_empty
    }
    own = st.fixed_dictionaries(required, optional=optional)
    extra = parameter.extra
    if (
        extra is False
        or parameter.pattern_properties
        or parameter.constraints.max_properties is not None
    ):
        return own
    names = values_of(parameter.keys) if parameter.keys else st.text("xyz", max_size=3)
    known = {one.name for one in parameter.properties}
    texts = names.map(str).filter(lambda name: name not in known)
    more = st.dictionaries(
        texts,
        JSON if extra is True else values_of(extra),
        min_size=max((parameter.constraints.min_properties or 0) - len(required), 0),
        max_size=(parameter.constraints.min_properties or 0) + 2,
    )
    return st.tuples(own, more).map(lambda both: both[1] | both[0])


def _json(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    # Any: a list of texts is JSON, but lists are invariant.
    return strategy


_NAMES = st.sampled_from(["a", "b", "kind"])
_OPTIONS: list[Json] = ["a", "b", 1, 2.5, None, True, [], {}]
_COUNTS = st.integers(0, 3)
_OWN: dict[str, st.SearchStrategy[Json]] = {
    "type": _json(st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True))
    | st.sampled_from(TYPES),
    "enum": _json(st.lists(st.sampled_from(_OPTIONS), min_size=1, max_size=4)),
    "const": st.sampled_from(["a", "b", 1, None]),
    "minimum": st.integers(-2, 2),
    "exclusiveMaximum": st.integers(-2, 5),
    "multipleOf": st.sampled_from([1, 2, 0.5]),
    "minLength": _COUNTS,
    "maxLength": _COUNTS,
    "pattern": st.sampled_from(["^a", "b$", "^[a-c]*$", "(?=a)", r"(a)\1"]),
    "format": st.sampled_from(["email", "uri", "strange"]),
    "minItems": _COUNTS,
    "maxItems": _COUNTS,
    "uniqueItems": st.booleans(),
    "minProperties": _COUNTS,
    "maxProperties": _COUNTS,
    "required": _json(st.lists(_NAMES, unique=True)),
    "$ref": st.sampled_from(["#/$defs/one", "#/$defs/two", "#", "#there"]),
}


def _around(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    named = st.dictionaries(_NAMES, inner, max_size=3)
    some = st.lists(inner, min_size=1, max_size=3)
    parts: dict[str, st.SearchStrategy[Json]] = {
        **dict.fromkeys(("properties", "dependentSchemas"), named),
        **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), some),
        **dict.fromkeys(("items", "additionalProperties", "propertyNames", "contains"), inner),
        **dict.fromkeys(("not", "if", "then", "else", "unevaluatedProperties"), inner),
        "patternProperties": st.dictionaries(
            st.sampled_from(["^a", "d$", "(?=a)"]), inner, max_size=2
        ),
    }
    return _some_of(_OWN | parts)


def _some_of(keywords: dict[str, st.SearchStrategy[Json]]) -> st.SearchStrategy[Json]:
    names = st.lists(st.sampled_from(sorted(keywords)), max_size=4, unique=True)
    return names.flatmap(
        lambda chosen: st.fixed_dictionaries({name: keywords[name] for name in chosen})
    )


_INNER: st.SearchStrategy[Json] = st.recursive(
    st.booleans() | _some_of(_OWN), _around, max_leaves=6
)

# Schemas of every kind, with references into themselves.
SCHEMAS: st.SearchStrategy[Json] = st.tuples(_around(_INNER), _INNER, _INNER).map(
    lambda three: {
        **(three[0] if isinstance(three[0], dict) else {}),
        "$defs": {
            "one": three[1],
            "two": three[2],
            "anchored": {"$anchor": "there", "type": "string"},
        },
    }
)

_SMALL = st.sampled_from(["a", "b", "ab", "", 0, 1, 2, 3.5, None, True])
# Values of the kind that such schemas speak of.
SMALL_VALUES: st.SearchStrategy[Json] = st.recursive(
    _SMALL,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(_NAMES | st.just("ad"), inner, max_size=3)
    ),
    max_leaves=5,
)
