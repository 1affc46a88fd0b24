"""A value that is missing under its name, and stands in the same object under another one."""

from typing import Any

from toolweave.json_text import Json, JsonObject
from toolweave.problems import pointer
from toolweave.tools.document import Steps
from toolweave.tools.key_meaning import containing, renamed, shortened
from toolweave.tools.misspelling import misspelt
from toolweave.tools.name_words import alike

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
    about = str(at[-2]) if len(at) > 1 else ""
    return _renamed(owner, name, place, about)


def member_named(whole: Json, name: str, limit: int = 2) -> list[Operation]:
    """Operations that give a missing member its name in the only object that has it by another."""
    waiting: list[tuple[str, Json, int]] = [("", whole, limit)]
    found: list[list[Operation]] = []
    while waiting:
        place, value, left = waiting.pop()
        if not isinstance(value, dict) or left < 0:
            continue
        about = place.rpartition("/")[2]
        if name not in value and (moves := _renamed(value, name, place, about)):
            found.append(moves)
        waiting += [(place + pointer(key), one, left - 1) for key, one in value.items()]
    return found[0] if len(found) == 1 else []


def _renamed(owner: JsonObject, name: str, place: str, about: str) -> list[Operation]:
    found = [key for key in owner if key != name and is_meant(key, name)] or [
        key
        for key in owner
        if key != name and (alike(key, [name], about) or containing(key, [name]))
    ]
    if len(found) != 1 or owner[found[0]] in (None, "", [], {}):
        return []
    return [{"op": "move", "from": place + pointer(found[0]), "path": place + pointer(name)}]


def is_meant(key: str, name: str) -> bool:
    """Whether a key is another word for a name, or a misspelling of it."""
    if misspelt(key, [name]) == name or renamed(key, [name]):
        return True
    return bool(alike(key, [name]) or shortened(key, [name]))


def _at(value: Json, steps: Steps) -> Json:
    for step in steps:
        if isinstance(value, list) and str(step).isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            value = _object(value).get(str(step))
    return value


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}
