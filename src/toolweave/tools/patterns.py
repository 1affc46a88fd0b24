"""Regular expressions of schemas: only such as match in linear time are compiled.

Look-around, backreferences and huge repetitions are left out of the compiled copy, and the copy
is loosened around them, so that a missing pattern can never refuse a good value.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache

import jsonschema_rs

from toolweave.json_text import Json, JsonObject
from toolweave.tools.document import references
from toolweave.tools.keywords import subschemas

# Compiling takes about a microsecond for each character and three for each pair of escapes
# (the validator rewrites the text once per `\w`); one schema may spend 20 ms.
MAX_EFFORT_US = 20_000
_SIZES = (1 << 9, 1 << 11, 1 << 13, 1 << 15, 1 << 18)
LINEAR = jsonschema_rs.RegexOptions(size_limit=_SIZES[-1])


@lru_cache(maxsize=1024)
def pattern_cost(pattern: str) -> int | None:
    """Return the cost per character in steps of about 40 ns; None if it is not linear.

    The smallest program size that holds the pattern is the measure: the worst patterns found need
    0.08 ns for each character and each byte of it.
    """
    if _effort_us(pattern) > MAX_EFFORT_US:
        return None
    return next((size // _SIZES[0] for size in _SIZES if _fits(pattern, size)), None)


def _effort_us(pattern: str) -> int:
    return len(pattern) + 3 * pattern.count("\\") ** 2


def _fits(pattern: str, size: int) -> bool:
    try:
        jsonschema_rs.Draft202012Validator(
            {"pattern": pattern},
            offline=True,
            pattern_options=jsonschema_rs.RegexOptions(size_limit=size),
        )
    except ValueError:
        return False
    return True


def patterns_of(schema: JsonObject) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the patterns of one schema without its subschemas, with their paths."""
    if isinstance(pattern := schema.get("pattern"), str):
        yield ("pattern",), pattern
    if isinstance(named := schema.get("patternProperties"), dict):
        yield from ((("patternProperties", pattern), pattern) for pattern in named)


def not_linear(schemas: Iterable[JsonObject]) -> frozenset[str]:
    """Return the patterns that cannot be compiled or exceed the limit."""
    dropped: set[str] = set()
    left = MAX_EFFORT_US
    for pattern in {pattern: None for schema in schemas for _, pattern in patterns_of(schema)}:
        left -= _effort_us(pattern)
        if left < 0 or pattern_cost(pattern) is None:
            dropped.add(pattern)
    return frozenset(dropped)


def loosen(schemas: Iterable[JsonObject], dropped: frozenset[str]) -> None:
    """Remove the `dropped` patterns from all `schemas` of a document, in place.

    A schema then accepts more, which is harmless except below `not`, `if`, `oneOf` and
    `maxContains`, where it turns into refusing: those are loosened as well.
    """
    everywhere = list(schemas)
    looser = {id(schema) for schema in everywhere if _drop_own(schema, dropped)}
    for schema in everywhere:
        for keyword in ("not", "if", "oneOf", "contains"):
            if keyword in schema and _holds(schema[keyword], looser):
                _loosen_around(schema, keyword)


def _drop_own(schema: JsonObject, dropped: frozenset[str]) -> bool:
    lost = dropped.intersection(pattern for _, pattern in patterns_of(schema))
    if schema.get("pattern") in lost:
        del schema["pattern"]
    named = schema.get("patternProperties")
    if isinstance(named, dict) and not lost.isdisjoint(named):
        # Every key now counts as known: the lost pattern may have allowed it.
        kept = {pattern: sub for pattern, sub in named.items() if pattern not in lost}
        schema["patternProperties"] = kept | {"": True}
    return bool(lost)


def _holds(value: Json, looser: set[int]) -> bool:
    """Whether it contains a loosened schema; a reference always may."""
    if isinstance(value, list):
        return any(_holds(item, looser) for item in value)
    if not isinstance(value, dict):
        return False
    is_looser = id(value) in looser or bool(references(value))
    return is_looser or any(_holds(sub, looser) for _, _, sub in subschemas(value))


def _loosen_around(schema: JsonObject, keyword: str) -> None:
    if keyword in ("not", "if"):
        del schema[keyword]
    elif keyword == "contains":
        schema.pop("maxContains", None)
    else:
        either: Json = {"anyOf": schema.pop("oneOf")}
        more = schema.get("allOf")
        schema["allOf"] = [*more, either] if isinstance(more, list) else [either]
