"""TRIGGER.CRON with an interval instead of a cron expression: `interval_minutes: 15`."""

from collections.abc import Iterator

from toolweave.json_text import Json
from toolweave.problems import Problem, pointer
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import node_table

CODE = "FIELD_FORM_UNUSUAL"
_REF = "TRIGGER.CRON"
_NAME = "cron_expression"
_INTERVALS = frozenset({"every", "interval", "value", "amount"})
_UNITS = frozenset({"unit", "units", "time_unit", "interval_unit"})
_WORDS = {
    **dict.fromkeys(("minute", "minutes", "min", "mins", "m"), "minutes"),
    **dict.fromkeys(("hour", "hours", "h", "hrs"), "hours"),
}
# How often an interval of a unit divides the next larger one, and the expression of it.
_FORMS = {"minutes": (60, "*/{} * * * *"), "hours": (24, "0 */{} * * *")}


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield intervals that a cron expression can say."""
    for facts in node_table(case).nodes:
        settings = facts.settings
        if facts.spec is None or facts.spec.ref != _REF or _NAME in settings:
            continue
        known = {one.name for one in facts.spec.all_configurations}
        given = {key: value for key, value in settings.items() if key not in known}
        expression = _expression(given)
        if expression is None:
            continue
        place = f"{facts.place}/configurations"
        removed = tuple({"op": "remove", "path": place + pointer(key)} for key in given)
        added = {"op": "add", "path": f"{place}/{_NAME}", "value": expression}
        at = place + pointer(next(iter(given)))
        message = f"an interval is written as {_NAME!r}"
        hint = f"write {_NAME!r} as {expression!r}"
        yield Problem(CODE, at, message, hint, "warning", (*removed, added))


def _expression(given: dict[str, Json]) -> str | None:
    """The expression of the only interval that is given, where it divides an hour or a day."""
    numbers = {key: one for key, one in given.items() if type(one) is int and one > 0}
    units = {key: one for key, one in given.items() if key in _UNITS}
    if len(numbers) != 1 or len(given) != len(numbers) + len(units) or len(units) > 1:
        return None
    ((name, count),) = numbers.items()
    stem, _, last = name.lower().rpartition("_")
    named = _WORDS.get(last) if not stem or stem in _INTERVALS else None
    apart = next(iter(units.values()), None)
    word = named if not units else None
    if units and name.lower() in _INTERVALS and isinstance(apart, str):
        word = _WORDS.get(apart.lower())
    most, form = _FORMS.get(word or "", (1, ""))
    if most % count != 0 or count == most:
        return None
    return form.format(count) if count > 1 else form.replace("*/{}", "*")
