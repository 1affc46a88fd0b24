"""TRIGGER.CRON with an interval or a time instead of a cron expression: `interval_minutes: 15`.

Plurals and names with `every` or `interval` are intervals. `hour: 8` may be a time of day as well,
so that it gets a hint with both and no fix.
"""

from collections.abc import Iterator

from toolweave.json_text import Json
from toolweave.problems import Problem, pointer
from toolweave.tools.name_words import words_in
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.checks.schedule_rules import cron_of_rule

CODE = "FIELD_FORM_UNUSUAL"
_REF = "TRIGGER.CRON"
_NAME = "cron_expression"
_MARKS = frozenset({"every", "interval"})
_AMOUNTS = frozenset({"every", "interval", "value", "amount"})
_UNIT_NAMES = frozenset({"unit", "units", "time_unit", "interval_unit"})
_PLURALS = {
    **dict.fromkeys(("minutes", "mins"), "minutes"),
    **dict.fromkeys(("hours", "hrs"), "hours"),
}
# As a name alone, these may be a time.
_SINGULARS = {
    **dict.fromkeys(("minute", "min", "m"), "minutes"),
    **dict.fromkeys(("hour", "h", "hr"), "hours"),
}
_UNITS = _PLURALS | _SINGULARS
# How often an interval of a unit divides the next larger one, and the expression of it.
_FORMS = {"minutes": (60, "*/{} * * * *"), "hours": (24, "0 */{} * * *")}
# How many of a unit there are, and the expression and the words of one.
_TIMES = {
    "minutes": (60, "{} * * * *", "at minute {} of every hour"),
    "hours": (24, "0 {} * * *", "every day at {}:00"),
}


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield intervals and times that a cron expression can say."""
    for facts in node_table(case).of_refs({_REF}):
        settings = facts.settings
        if facts.spec is None or _NAME in settings:
            continue
        known = {one.name for one in facts.spec.all_configurations}
        given = {key: value for key, value in settings.items() if key not in known}
        place = f"{facts.place}/configurations"
        rule = cron_of_rule(given["rule"]) if given.keys() == {"rule"} else None
        expression = rule or _interval(given) or _time_of_day(given)
        if expression is not None:
            removed: list[dict[str, Json]] = [
                {"op": "remove", "path": place + pointer(key)} for key in given
            ]
            added: dict[str, Json] = {"op": "add", "path": f"{place}/{_NAME}", "value": expression}
            hint = f"write {_NAME!r} as {expression!r}"
            yield _unusual(place, given, hint, (*removed, added))
        elif (both := _both(given)) is not None:
            yield _unusual(place, given, both, None)


def _unusual(
    place: str, given: dict[str, Json], hint: str, patch: tuple[dict[str, Json], ...] | None
) -> Problem:
    message = f"when it starts is written as {_NAME!r}"
    return Problem(CODE, place + pointer(next(iter(given))), message, hint, "warning", patch)


def _interval(given: dict[str, Json]) -> str | None:
    """The expression of the only interval that is given, where it divides an hour or a day."""
    numbers = {key: one for key, one in given.items() if type(one) is int and one > 0}
    units = {key: one for key, one in given.items() if key in _UNIT_NAMES}
    if len(numbers) != 1 or len(given) != len(numbers) + len(units) or len(units) > 1:
        return None
    ((name, count),) = numbers.items()
    if units:
        (apart,) = units.values()
        # `M` is a month as well.
        is_clear = name.lower() in _AMOUNTS and isinstance(apart, str) and apart != "M"
        return _every(_UNITS.get(str(apart).lower()), count) if is_clear else None
    said = words_in(name)
    rest = [one for one in said if one not in _MARKS]
    if len(rest) != 1 or len(said) > 2:
        return None
    return _every((_UNITS if len(said) > 1 else _PLURALS).get(rest[0]), count)


def _every(unit: str | None, count: int) -> str | None:
    most, form = _FORMS.get(unit or "", (1, ""))
    if most % count != 0 or count == most:
        return None
    return form.format(count) if count > 1 else form.replace("*/{}", "*")


def _time_of_day(given: dict[str, Json]) -> str | None:
    """The expression of `hour: 8, minute: 30`, which together are a time."""
    hour, minute = given.get("hour"), given.get("minute")
    if given.keys() != {"hour", "minute"} or type(hour) is not int or type(minute) is not int:
        return None
    return f"{minute} {hour} * * *" if 0 <= hour < 24 and 0 <= minute < 60 else None


def _both(given: dict[str, Json]) -> str | None:
    """What the only number under the name of a unit may be: how often, or when."""
    ((name, count),) = given.items() if len(given) == 1 else (("", None),)
    unit = _SINGULARS.get(name.lower())
    if unit is None or type(count) is not int:
        return None
    most, form, words = _TIMES[unit]
    found = [(_every(unit, count), f"every {count} {unit}")] if count > 0 else []
    if 0 <= count < most:
        found.append((form.format(count), words.format(count)))
    said = [f"{text!r} ({meaning})" for text, meaning in found if text is not None]
    return f"write {_NAME!r} as {' or '.join(said)}" if said else None
