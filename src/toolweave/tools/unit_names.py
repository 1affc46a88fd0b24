"""Durations under other names, with their unit in the name or beside the number. Pure."""

from collections.abc import Iterable

from toolweave.json_text import Json, JsonObject
from toolweave.problems import pointer
from toolweave.tools.durations import duration, seconds_in, unit_of_name
from toolweave.tools.key_meaning import distinctive
from toolweave.tools.key_repair import other_names
from toolweave.tools.special_keys import Fix
from toolweave.tools.spelling_of_values import SECONDS, of_time
from toolweave.tools.value_preview import shown
from toolweave.tools.violations import Explainer, Violation

_NAMED_UNITS = ("seconds", "minutes", "hours")
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
    numbers = {key: one for key, one in strange.items() if _is_number(one)}
    seconds = duration(f"1 {unit}", 1.0) if isinstance(unit, str) else None
    if seconds is None:
        is_time = any(_is_duration(one, known, explainer) for one in numbers)
        # A month has no length, and a number loses its unit if it is written alone.
        return (
            (
                f"there is no unit {shown(unit)} here; write the number in the unit of the setting",
                (),
            )
            if is_time
            else None
        )
    if fault.path[-1] == unit_name and not numbers:
        return (
            f"{unit_name!r} is not read: a setting has a unit of its own",
            (),
        )
    if len(numbers) != 1 or fault.path[-1] not in (unit_name, *numbers):
        return None
    ((name, count),) = numbers.items()
    free = [one for one in other_names(name, known, explainer) if one not in parent]
    own = _unit_of(free[0], known) if len(free) == 1 else None
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
    wrong: str, value: float, free: list[str], known: JsonObject, explainer: Explainer
) -> tuple[str, float] | None:
    """`review_deadline`, which is in seconds, for `deadline_hours`; also for `hours` alone."""
    stem, unit = of_time(wrong)
    if unit is None and stem in SECONDS and stem.endswith("s"):
        stem, unit = "", stem
    if unit is None:
        return None
    free_names = [one for one in distinctive(stem, known) if one in free] if stem else []
    free_names = [stem] if stem in free else free_names
    # A free name with the same unit is nearer than one with another.
    is_near = any(of_time(one)[1] == unit or one == unit for one in free)
    names = free_names or ([] if is_near else _with_another_unit(stem, free, known, explainer))
    own = _unit_of(names[0], known) if len(names) == 1 else None
    return (names[0], value * SECONDS[unit] / own) if own else None


def _with_another_unit(
    stem: str, free: list[str], known: JsonObject, explainer: Explainer
) -> list[str]:
    """The settings that other systems call so with another unit in the name, or with none."""
    asked = (f"{stem}_{unit}".strip("_") for unit in ("", *_NAMED_UNITS))
    found = {name for one in asked if one for name in other_names(one, known, explainer)}
    return [one for one in free if one in found]


def has_unit_beside(names: Iterable[str]) -> bool:
    """Whether one of the names is that of a unit, so that a number beside it is not complete."""
    return any(one.lower() in _UNIT_NAMES for one in names)


def is_in_other_unit(wrong: str, right: str, known: JsonObject) -> bool:
    """Whether a name says a unit that is not the one of the setting: `hours` of seconds."""
    given = unit_of_name(wrong)
    own = _unit_of(right, known) if given is not None else None
    return own is not None and own != given


def _is_duration(name: str, known: JsonObject, explainer: Explainer) -> bool:
    named = other_names(name, known, explainer)
    return any(_unit_of(one, known) is not None for one in named)


def _unit_of(name: str, known: JsonObject) -> float | None:
    return seconds_in(f"{name}\n{_description(known.get(name)) or ''}")


def _description(schema: Json) -> str | None:
    found = schema.get("description") if isinstance(schema, dict) else None
    return found if isinstance(found, str) else None
