"""Durations under other names, with their unit in the name or beside the number. Pure."""

from toolweave.json_text import Json, JsonObject
from toolweave.problems import pointer
from toolweave.tools.conversions import duration, seconds_in
from toolweave.tools.key_meaning import distinctive
from toolweave.tools.key_repair import other_names
from toolweave.tools.special_keys import Fix
from toolweave.tools.spelling_of_values import SECONDS, of_time
from toolweave.tools.value_preview import shown
from toolweave.tools.violations import Explainer, Violation

_UNIT_NAMES = frozenset(
    {"unit", "units", "time_unit", "timeunit", "duration_unit", "interval_unit"}
)


def measured(
    fault: Violation, parent: JsonObject, known: JsonObject, explainer: Explainer
) -> Fix | None:
    """`duration_seconds: 300` for `amount: 5, unit: minutes`; both names carry the fix."""
    strange: JsonObject = {key: value for key, value in parent.items() if key not in known}
    units = {key: one for key, one in strange.items() if key.lower() in _UNIT_NAMES}
    if len(units) != 1:
        return None
    ((unit_name, unit),) = units.items()
    seconds = duration(f"1 {unit}", 1.0) if isinstance(unit, str) else None
    if seconds is None:
        return None
    numbers = {key: one for key, one in strange.items() if _is_number(one)}
    if fault.path[-1] == unit_name and not numbers:
        return (
            f"{unit_name!r} is not read: a setting has a unit of its own",
            (),
        )
    if len(numbers) != 1 or fault.path[-1] not in (unit_name, *numbers):
        return None
    ((name, count),) = numbers.items()
    free = [one for one in other_names(name, known, explainer) if one not in parent]
    own = seconds_in(f"{free[0]}\n{_description(known.get(free[0]))}") if len(free) == 1 else None
    if own is None or not isinstance(count, int | float):
        return f"{name!r} is in {unit}; write a setting of the node in its own unit", ()
    found = count * seconds / own
    whole = int(found) if found == int(found) else found
    if not explainer.fits(known.get(free[0], True), whole):
        return f"did you mean {free[0]!r}?", ()
    around = fault.path[:-1]
    return f"write {free[0]!r} as {shown(whole)}", (
        {"op": "remove", "path": pointer(*around, name)},
        {"op": "remove", "path": pointer(*around, unit_name)},
        {"op": "add", "path": pointer(*around, free[0]), "value": whole},
    )


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def by_unit(
    wrong: str, value: float, free: list[str], known: JsonObject
) -> tuple[str, float] | None:
    """`review_deadline`, which is in seconds, for `deadline_hours`."""
    stem, unit = of_time(wrong)
    names = [one for one in distinctive(stem, known) if one in free] if unit and stem else []
    described = _description(known.get(names[0])) if len(names) == 1 else None
    own = seconds_in(f"{names[0]}\n{described}") if described is not None else None
    return (names[0], value * SECONDS[unit] / own) if own and unit else None


def _description(schema: Json) -> str | None:
    found = schema.get("description") if isinstance(schema, dict) else None
    return found if isinstance(found, str) else None
