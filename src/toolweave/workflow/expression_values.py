"""Expressions as nodes use them: a value or a condition, or an error that points at the text."""

from collections.abc import Mapping

from toolweave.cel.language import Value, evaluate
from toolweave.errors import Invalid
from toolweave.json_text import Json


def value_of(text: str, names: Mapping[str, Json]) -> Json:
    """Return the value of an expression. Raises `EXPRESSION_FAILED` with the column."""
    found = evaluate(text, names)
    if isinstance(found, Value):
        return found.value
    message = f"{text[:200]!r}, column {found.column}: {found.message}"
    raise Invalid(found.code, message, hint=found.hint)


def condition(text: str, names: Mapping[str, Json]) -> bool:
    """Whether a condition holds."""
    value = value_of(text, names)
    if not isinstance(value, bool):
        raise Invalid(
            "CONDITION_FAILED",
            f"the condition {text[:200]!r} returned {value!r:.80}; expected true or false",
            hint="compare it with a value, such as data.count > 0",
        )
    return value
