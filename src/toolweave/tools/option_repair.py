"""Fixes for options: which of them a value means. Pure."""

from dataclasses import dataclass, replace

from toolweave.json_text import Json
from toolweave.problems import pointer
from toolweave.tools.document import Steps
from toolweave.tools.key_repair import other_options
from toolweave.tools.meaning import meant as meant_options
from toolweave.tools.meaning import words
from toolweave.tools.misspelling import misspelt
from toolweave.tools.value_preview import shown, written
from toolweave.tools.violations import Explainer, Violation

MAX_LISTED = 8

Operation = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Repair:
    """A hint and the operations that apply it."""

    hint: str | None = None
    patch: tuple[Operation, ...] | None = None


NONE = Repair()


def option_repair(fault: Violation, explainer: Explainer) -> Repair:
    """The only option that a value means, or those that it may mean."""
    asked = fault.expected
    options = asked if isinstance(asked, list) and fault.keyword == "enum" else [asked]
    text = _plain(fault.value)
    if text is None:
        return NONE
    for option in options:
        plain = _plain(option)
        if plain is not None and plain.strip().casefold() == text.strip().casefold():
            return Repair(f"write {shown(option)}", (replacing(fault.path, option),))
    texts = [option for option in options if isinstance(option, str)]
    if found := other_options(fault, text, texts, explainer):
        return _one_of(fault, found)
    # A word for the same says more than letters: `new_event` is `create_event`, not `get_event`.
    same = [option for option in texts if words(option) == words(text)]
    if len(same) == 1 and misspelt(text, texts) != same[0]:
        return Repair(f"did you mean {same[0]!r}?", (replacing(fault.path, same[0]),))
    found = meant_options(text, texts, field_of(fault.path))
    if slip := misspelt(text, texts):
        # Letters and meaning that speak for different options decide nothing.
        return _one_of(fault, [*dict.fromkeys((slip, *found))])
    return _one_of(fault, found)


def option_meant(fault: Violation, name: str, schema: Json, explainer: Explainer) -> Json:
    """The option of another field that the value means: `postMessage` is `send_message`."""
    options = schema.get("enum") if isinstance(schema, dict) else None
    if not isinstance(schema, dict) or not isinstance(options, list):
        return None
    path = (*fault.path[:-1], name)
    asked = replace(fault, keyword="enum", path=path, expected=options, schema=schema)
    found = option_repair(asked, explainer).patch if isinstance(fault.value, str) else None
    return found[0].get("value") if found else None


def _one_of(fault: Violation, found: list[str]) -> Repair:
    if len(found) == 1:
        return Repair(f"did you mean {found[0]!r}?", (replacing(fault.path, found[0]),))
    if found:
        return Repair(f"choose one of {', '.join(shown(one) for one in found[:MAX_LISTED])}")
    return NONE


def field_of(path: Steps) -> str:
    """The name of the field that a path leads to, of a list's item the list's."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def _plain(value: Json) -> str | None:
    """A scalar as text, the way people write it."""
    if isinstance(value, str):
        return value
    return written(value) if isinstance(value, int | float) else None


def replacing(path: Steps, value: Json) -> Operation:
    return {"op": "replace", "path": pointer(*path), "value": value}
