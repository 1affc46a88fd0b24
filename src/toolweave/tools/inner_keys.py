"""A value that is missing under its name, and stands in the same object under another one."""

from typing import Any

from toolweave.json_text import Json, JsonObject
from toolweave.problems import pointer
from toolweave.tools.document import Steps
from toolweave.tools.meaning import renamed, shortened
from toolweave.tools.repair import misspelt

Operation = dict[str, Any]  # Any: part of a JSON Patch, as in `Problem`


def moved_member(whole: Json, at: Steps) -> list[Operation]:
    """Operations that give the value missing at `at` its name; none if that is not certain."""
    owner = _at(whole, at[:-1])
    name = str(at[-1])
    if not isinstance(owner, dict) or owner.get(name) is not None:
        return []
    place = pointer(*at[:-1]) if len(at) > 1 else ""
    inner = next(iter(owner.values())) if len(owner) == 1 else None
    if isinstance(inner, dict) and name in inner:
        return [{"op": "replace", "path": place, "value": inner}]
    found = [key for key in owner if key != name and is_meant(key, name)]
    if len(found) != 1 or owner[found[0]] in (None, "", [], {}):
        return []
    return [{"op": "move", "from": place + pointer(found[0]), "path": place + pointer(name)}]


def is_meant(key: str, name: str) -> bool:
    """Whether a key is another word for a name, or a misspelling of it."""
    if misspelt(key, [name]) == name or renamed(key, [name]):
        return True
    return bool(shortened(key, [name]))


def _at(value: Json, steps: Steps) -> Json:
    for step in steps:
        if isinstance(value, list) and str(step).isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            value = _object(value).get(str(step))
    return value


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}
