"""Names with a unit of time for fields that say their unit in their description. Pure."""

from toolweave.json_text import Json, JsonObject
from toolweave.tools.conversions import seconds_in
from toolweave.tools.key_meaning import distinctive
from toolweave.tools.spelling_of_values import SECONDS, of_time


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
