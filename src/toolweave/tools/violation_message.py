"""Messages of violations: the code, the expected value and the given one."""

from collections.abc import Callable, Iterator, Sequence

from toolweave.json_text import Json
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.repair import NONE, Repair, repair, with_article
from toolweave.tools.repair_budget import CURRENT, SPENT
from toolweave.tools.unions import kind_of
from toolweave.tools.value_preview import HIDDEN, shown
from toolweave.tools.violations import Explainer, Violation

MAX_LISTED = 8
MAX_REPAIRED = 20
_VAULT = pattern(r"\$\{vault:[^${}]+\}")
_TYPES = ("string", "secret", "text")

_CODES = {
    "required": "MCP_PARAMETER_REQUIRED",
    "type": "MCP_PARAMETER_INVALID_TYPE",
    "enum": "MCP_PARAMETER_ENUM_INVALID",
    "const": "MCP_PARAMETER_ENUM_INVALID",
    "additionalProperties": "MCP_PARAMETER_UNKNOWN",
}
_LIMITS = {
    "minimum": "is too small; expected at least {}",
    "maximum": "is too large; expected at most {}",
    "exclusiveMinimum": "is too small; expected more than {}",
    "exclusiveMaximum": "is too large; expected less than {}",
    "multipleOf": "is not a multiple of {}",
    "minLength": "is too short; expected at least {} characters",
    "maxLength": "is too long; expected at most {} characters",
    "pattern": "does not match the pattern {}",
    "format": "does not match the format {}",
    "minItems": "has too few items; expected at least {}",
    "maxItems": "has too many items; expected at most {}",
    "minProperties": "has too few keys; expected at least {}",
    "maxProperties": "has too many keys; expected at most {}",
    "uniqueItems": "has duplicate items; expected unique items",
    "contains": "does not contain a required item",
    "propertyNames": "is not an allowed key",
    "not": "is excluded",
    "oneOf": "matches {} alternatives; expected exactly one",
    "false": "is not allowed",
}


def describe(
    faults: Sequence[Violation], whole: Json, explainer: Explainer, *, show_values: bool
) -> Iterator[Problem]:
    """Return the problems of the `faults` of the `whole` value; the first few with fixes."""
    for index, fault in enumerate(faults):
        yield _described(
            fault, whole, explainer, show_values=show_values, is_repaired=index < MAX_REPAIRED
        )


def _described(
    fault: Violation, whole: Json, explainer: Explainer, *, show_values: bool, is_repaired: bool
) -> Problem:
    """Whether the value may be shown: not if it is secret."""
    is_shown = show_values and not _is_secret(fault)
    # The repairs of these two speak of names only.
    is_named = fault.keyword in ("required", "additionalProperties")
    is_repaired = is_repaired and (is_shown or is_named)
    repaired = _repaired(fault, whole, explainer) if is_repaired else NONE
    missing = (str(fault.expected),) if fault.keyword == "required" else ()
    return Problem(
        _CODES.get(fault.keyword, "MCP_PARAMETER_CONSTRAINT_VIOLATED"),
        pointer(*fault.path, *missing),
        _message(fault, explainer, shown if is_shown else lambda _: HIDDEN),
        hint=repaired.hint,
        severity="warning" if fault.keyword == "format" else "error",
        patch=repaired.patch,
    )


def _repaired(fault: Violation, whole: Json, explainer: Explainer) -> Repair:
    budget = CURRENT.get()
    if budget is not None and not budget.take():
        return Repair(SPENT)
    return repair(fault, whole, explainer)


def _is_secret(fault: Violation) -> bool:
    is_hidden = fault.schema.get("format") == "password" or fault.schema.get("writeOnly") is True
    return is_hidden and not _names_secrets(fault.value)


def _names_secrets(value: Json) -> bool:
    """Whether a value is no secret: its only texts say where one is, or of which type it is."""
    inner = [*value.values()] if isinstance(value, dict) else value
    texts = inner if isinstance(inner, list) else [inner]
    named = [one for one in texts if one not in _TYPES]
    return bool(named) and all(isinstance(one, str) and _VAULT.fullmatch(one) for one in named)


def _what(fault: Violation) -> str:
    if not fault.path:
        return "the whole value"
    last = fault.path[-1]
    return f"item {last}" if isinstance(last, int) else shown(last)


def _wanted(fault: Violation, explainer: Explainer) -> str:
    """Describe the expected value of a missing property."""
    schema = explainer.properties(fault.schema).get(str(fault.expected), True)
    for one in explainer.within(schema):
        if isinstance(options := one.get("enum"), list):
            return f"; expected {_options(options)}"
        if "const" in one:
            return f"; expected {shown(one['const'])}"
        if isinstance(kind := one.get("type"), str):
            return f"; expected {with_article(kind)}"
    return ""


def _message(fault: Violation, explainer: Explainer, show: Callable[[Json], str]) -> str:
    what = _what(fault)
    match fault.keyword:
        case "required":
            return f"{shown(fault.expected)} is required{_wanted(fault, explainer)}"
        case "additionalProperties":
            return f"{what} is unknown"
        case "type":
            return f"{what} is {_came(fault.value, show)}; expected {_kinds(fault.expected)}"
        case "const":
            return f"{what} is {show(fault.value)}; expected {shown(fault.expected)}"
        case "enum":
            options = fault.expected if isinstance(fault.expected, list) else []
            return f"{what} is {show(fault.value)}; expected {_options(options)}"
        case keyword:
            limit = show(fault.expected) if keyword == "pattern" else _limit(fault.expected)
            return f"{what} is {show(fault.value)}, which {_LIMITS[keyword].format(limit)}"


def _came(value: Json, show: Callable[[Json], str]) -> str:
    if value is None or isinstance(value, dict | list):
        return with_article(kind_of(value))
    return f"{show(value)}, {with_article(kind_of(value))}"


def _kinds(expected: Json) -> str:
    kinds = (
        [with_article(kind) for kind in expected if isinstance(kind, str)]
        if isinstance(expected, list)
        else []
    )
    return " or ".join(kinds)


def _options(options: list[Json]) -> str:
    listed = ", ".join(shown(option) for option in options[:MAX_LISTED])
    more = len(options) - MAX_LISTED
    return f"one of {listed}" + (f" and {more} more" if more > 0 else "")


def _limit(expected: Json) -> str:
    return shown(expected) if not isinstance(expected, dict | list | bool) else ""
