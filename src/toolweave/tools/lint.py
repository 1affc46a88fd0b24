"""Problems of a schema itself: keywords with invalid values, references that leave the
document or do not resolve, and sizes that forms do not support.
"""

from collections.abc import Iterable, Iterator

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.tools.document import SchemaDocument, Steps
from toolweave.tools.keywords import ANNOTATIONS, REFERENCES, SHAPES, is_number, is_schema

# Limits of forms; exceeding them is a warning, calls still work.
MAX_PARAMETERS = 50
MAX_ENUM_VALUES = 100
MAX_STRING_LENGTH = 10_000
MAX_DESCRIPTION_LENGTH = 1024
CAPS = (
    ("properties", MAX_PARAMETERS, "parameters"),
    ("enum", MAX_ENUM_VALUES, "values"),
    ("maxLength", MAX_STRING_LENGTH, "characters"),
    ("description", MAX_DESCRIPTION_LENGTH, "characters"),
)


def lint(document: SchemaDocument, places: Iterable[tuple[Steps, Json]]) -> Iterator[Problem]:
    """Yield every problem of a schema; the validator's compiler only reports the first."""
    for steps, schema in places:
        if isinstance(schema, dict):
            yield from _shapes(schema, steps)
            yield from _references(schema, steps, document)
            yield from _caps(schema, steps)
        elif not is_schema(schema):
            yield _wrong((*steps,), "a schema (an object, true or false)", schema)


def _shapes(schema: JsonObject, steps: Steps) -> Iterator[Problem]:
    for keyword, value in schema.items():
        if keyword not in SHAPES:
            continue
        fits, expected = SHAPES[keyword]
        if not fits(value):
            is_harmless = keyword in ANNOTATIONS or is_own_requirement(keyword, value)
            yield _wrong((*steps, keyword), expected, value, is_harmless=is_harmless)


def is_own_requirement(keyword: str, value: Json) -> bool:
    """Whether this is draft 3's `required: true` on the property itself, which is common."""
    return keyword == "required" and isinstance(value, bool)


def _references(schema: JsonObject, steps: Steps, document: SchemaDocument) -> Iterator[Problem]:
    for keyword in REFERENCES:
        reference = schema.get(keyword)
        if not isinstance(reference, str):
            continue
        at = pointer(*steps, keyword)
        if not reference.startswith("#"):
            yield Problem(
                "MCP_TOOL_SCHEMA_REMOTE_REF",
                at,
                f"{reference[:80]!r} is a remote reference; only local references are supported",
                hint="the server must inline the definition in `$defs`",
            )
        elif not _leads_somewhere(document, reference):
            yield Problem(
                "MCP_TOOL_SCHEMA_INVALID", at, f"{reference[:80]!r} does not resolve to a schema"
            )


def _leads_somewhere(document: SchemaDocument, reference: str) -> bool:
    try:
        document.target(reference)
    except LookupError:
        return False
    return True


def _caps(schema: JsonObject, steps: Steps) -> Iterator[Problem]:
    for keyword, most, what in CAPS:
        count = _count(schema.get(keyword))
        is_checked = keyword != "properties" or not steps
        if count > most and is_checked:
            yield Problem(
                "MCP_TOOL_LIMIT_EXCEEDED",
                pointer(*steps, keyword),
                f"{count:g} {what}; expected at most {most}",
                severity="warning",
            )


def _count(value: Json) -> float:
    if isinstance(value, list | dict | str):
        return len(value)
    return value if isinstance(value, int | float) and is_number(value) else 0


def _wrong(steps: Steps, expected: str, value: Json, *, is_harmless: bool = False) -> Problem:
    return Problem(
        "MCP_TOOL_SCHEMA_INVALID",
        pointer(*steps),
        f"expected {expected}, found {_kind(value)}",
        severity="warning" if is_harmless else "error",
    )


def _kind(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case dict():
            return "an object"
        case list():
            return "an array" if value else "an empty array"
        case _:
            return repr(value)[:80]
