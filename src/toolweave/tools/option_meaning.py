"""Which options of a field a text means: as written, by the names of other systems, by words."""

from dataclasses import replace

from toolweave.json_text import Json
from toolweave.tools.key_repair import other_options
from toolweave.tools.meaning import meant, words
from toolweave.tools.misspelling import misspelt
from toolweave.tools.value_preview import written
from toolweave.tools.violations import Explainer, Violation


def option_as_written(value: Json, options: list[Json]) -> Json:
    """The option that differs from a value in case, in spaces around it or in its type only."""
    text = plain_text(value)
    for option in options if text is not None else ():
        plain = plain_text(option)
        if plain is not None and text is not None and _same(plain, text):
            return option
    return None


def options_meant(
    fault: Violation, text: str, options: list[str], field: str, explainer: Explainer
) -> list[str]:
    """The options that a text means; one is certain, several are a choice."""
    if found := other_options(fault, text, options, explainer):
        return found
    # A word for the same says more than letters: `new_event` is `create_event`, not `get_event`.
    same = [option for option in options if words(option) == words(text)]
    if len(same) == 1 and misspelt(text, options) != same[0]:
        return same
    found = meant(text, options, field)
    if slip := misspelt(text, options):
        # Letters and meaning that speak for different options decide nothing.
        return [*dict.fromkeys((slip, *found))]
    return found


def option_of(fault: Violation, name: str, schema: Json, explainer: Explainer) -> Json:
    """The only option of a setting that the value of a name for it means; None if unclear."""
    options = schema.get("enum") if isinstance(schema, dict) else None
    text = plain_text(fault.value)
    if not isinstance(options, list) or text is None:
        return None
    if (same := option_as_written(fault.value, options)) is not None:
        return same
    moved = replace(fault, path=(*fault.path[:-1], name))
    texts = [one for one in options if isinstance(one, str)]
    found = options_meant(moved, text, texts, name, explainer)
    return found[0] if len(found) == 1 else None


def plain_text(value: Json) -> str | None:
    """A scalar as text, the way people write it."""
    if isinstance(value, str):
        return value
    return written(value) if isinstance(value, int | float) else None


def _same(one: str, other: str) -> bool:
    return one.strip().casefold() == other.strip().casefold()
