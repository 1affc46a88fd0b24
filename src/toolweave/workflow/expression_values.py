"""Expressions as nodes use them: a value or a condition, or an error that points at the text."""

from collections.abc import Mapping

from toolweave.catalog.node_input import refused_at
from toolweave.cel.language import Value, compile_text, evaluate
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


def check_text(text: str, *at: str | int) -> None:
    """Whether a configuration is an expression that can be read; `at` is its place."""
    faults = [fault for fault in compile_text(text).faults if fault.severity == "error"]
    if faults:
        message = f"{text[:200]!r}, column {faults[0].column}: {faults[0].message}"
        raise refused_at(at, faults[0].code, message, hint=faults[0].hint)
