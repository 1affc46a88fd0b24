"""Flags that are an option of a known setting: `descending: true` for `order: desc`. Pure."""

from toolweave.json_text import Json, JsonObject
from toolweave.problems import pointer
from toolweave.tools.conversions import conversions
from toolweave.tools.key_repair import node_of
from toolweave.tools.meaning import meant
from toolweave.tools.other_names import names_of
from toolweave.tools.special_keys import Fix
from toolweave.tools.value_preview import shown
from toolweave.tools.violations import Explainer, Violation

# As a flag it turns the usual order around; as a value it may mean something else.
_AS_FLAG = {"reverse": "descending", "reversed": "descending"}


def flagged(
    fault: Violation, parent: JsonObject, known: JsonObject, explainer: Explainer
) -> Fix | None:
    """The option that the key names, or the only other one where it says no."""
    wrong, value = str(fault.path[-1]), fault.value
    if isinstance(value, str):
        value = next(conversions(value, ["boolean"]), None)
    if not isinstance(value, bool):
        return None
    found = [
        (name, option, options)
        for name, schema in known.items()
        if name not in parent and (options := _options(schema))
        for option in _named(_AS_FLAG.get(wrong, wrong), name, options, node_of(explainer))
    ]
    if len(found) != 1:
        return None
    ((name, option, options),) = found
    others = [one for one in options if one != option]
    if not value and len(others) != 1:
        return None
    chosen = option if value else others[0]
    at = pointer(*fault.path[:-1], name)
    return f"write {name!r} as {shown(chosen)}", (
        {"op": "remove", "path": pointer(*fault.path)},
        {"op": "add", "path": at, "value": chosen},
    )


def _options(schema: Json) -> list[str]:
    listed = schema.get("enum") if isinstance(schema, dict) else None
    return [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []


def _named(wrong: str, name: str, options: list[str], ref: str) -> list[str]:
    """The one option that a word means, by what other systems call it, else by its own name."""
    names = names_of(ref).options.get(name) if ref else None
    found = [one for one in names.meant(wrong) if one in options] if names is not None else []
    found = found or meant(wrong, options, name)
    return found if len(found) == 1 else []
