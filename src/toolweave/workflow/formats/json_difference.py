"""How one JSON value differs from another, as data, and how to make the other from it again.

`restore(one, difference(one, other))` is `other`, key order included. A difference stays useful
when `one` has changed since: every entry says what it replaces (`was`) and by what (`as`), and
where the value is no longer what it was, the change wins.
"""

from dataclasses import dataclass, field
from operator import is_

from toolweave.json_text import Json, JsonObject
from toolweave.problems import pointer

ROOT = ""
# More is no spelling of anything: a longer way, or a list with more that is none of ours.
MAX_STEPS = 200
MAX_INSERTIONS = 1_000


def same(one: Json, other: Json) -> bool:
    """Whether two values are equal with their keys in the same order, types taken strictly."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        if list(one) != list(other):
            return False
        # A hot path: called for every object of every file, mostly with identical values.
        if all(map(is_, one.values(), other.values())):
            return True
        for key, value in one.items():
            twin = other[key]
            if value is not twin and not same(value, twin):
                return False
        return True
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def difference(one: Json, other: Json) -> JsonObject:
    """What has to be done to `one` to get `other`; empty when they are the same."""
    found = _Difference()
    found.compare(one, other, ROOT)
    parts: JsonObject = {"at": found.at, "order": found.order}
    return {name: part for name, part in parts.items() if part}


def restore(value: Json, changes: JsonObject) -> Json:
    """`value` with the changes of a difference made wherever they still apply."""
    top = _Change()
    at, order = changes.get("at"), changes.get("order")
    for place, entry in (at if isinstance(at, dict) else {}).items():
        if isinstance(entry, dict) and place.count("/") <= MAX_STEPS:
            top.at(place).entry = entry
    for place, keys in (order if isinstance(order, dict) else {}).items():
        if isinstance(keys, list) and place.count("/") <= MAX_STEPS:
            top.at(place).order = [key for key in keys if isinstance(key, str)]
    return top.replacing(value)


class _Difference:
    def __init__(self) -> None:
        self.at: JsonObject = {}
        self.order: JsonObject = {}

    def compare(self, one: Json, other: Json, place: str) -> None:
        if one is other:
            return
        if isinstance(one, dict) and isinstance(other, dict):
            self._objects(one, other, place)
        elif isinstance(one, list) and isinstance(other, list) and len(one) <= len(other):
            self._lists(one, other, place)
        elif type(one) is not type(other) or one != other:
            self.at[place] = {"was": one, "as": other}

    def _objects(self, one: JsonObject, other: JsonObject, place: str) -> None:
        for key, value in one.items():
            if key not in other:
                self.at[place + pointer(key)] = {"was": value}
        for key, value in other.items():
            if key not in one:
                self.at[place + pointer(key)] = {"as": value}
            elif one[key] is not value:
                self.compare(one[key], value, place + pointer(key))
        left = [key for key in one if key in other] + [key for key in other if key not in one]
        if left != list(other):
            self.order[place] = list(other)

    def _lists(self, one: list[Json], other: list[Json], place: str) -> None:
        if len(one) == len(other):
            for index, value in enumerate(other):
                if one[index] is not value:
                    self.compare(one[index], value, place + pointer(index))
            return
        is_close = len(other) - len(one) <= MAX_INSERTIONS
        inserted = _insertions(one, other) if is_close else None
        if inserted is None:
            self.at[place] = {"was": one, "as": other}
            return
        for index in inserted:
            self.at[place + pointer(index)] = {"as": other[index]}


def _insertions(one: list[Json], other: list[Json]) -> list[int] | None:
    """Where `other` has more than `one`; nothing when it is not just `one` with insertions."""
    inserted: list[int] = []
    at = 0
    for index, value in enumerate(other):
        if at < len(one) and same(one[at], value):
            at += 1
        else:
            inserted.append(index)
    return inserted if at == len(one) else None


def _is_index(step: str) -> bool:
    # Bounded: a hostile file's index of thousands of digits is one `int` refuses loudly.
    return len(step) < 10 and step.isascii() and step.isdecimal()


@dataclass(slots=True)
class _Change:
    entry: JsonObject = field(default_factory=dict[str, Json])
    order: list[str] = field(default_factory=list[str])
    below: "dict[str, _Change]" = field(default_factory=lambda: dict[str, _Change]())

    def at(self, place: str) -> "_Change":
        found = self
        for step in place.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            found = found.below.setdefault(key, _Change())
        return found

    @property
    def inserts(self) -> bool:
        return "as" in self.entry and "was" not in self.entry

    def drops(self, value: Json) -> bool:
        return "was" in self.entry and "as" not in self.entry and self.entry["was"] == value

    def replacing(self, value: Json) -> Json:
        if "was" in self.entry and "as" in self.entry and self.entry["was"] == value:
            return self.entry["as"]
        if isinstance(value, dict):
            return self._in_object(value)
        if isinstance(value, list):
            return self._in_list(value)
        return value

    def _in_object(self, value: JsonObject) -> JsonObject:
        changed: JsonObject = {}
        for key, item in value.items():
            change = self.below.get(key)
            if change is None:
                changed[key] = item
            elif not change.drops(item):
                changed[key] = change.replacing(item)
        for key, change in self.below.items():
            if change.inserts and key not in changed:
                changed[key] = change.entry["as"]
        rank = {key: index for index, key in enumerate(self.order)}
        ordered = sorted(changed, key=lambda key: rank.get(key, len(rank))) if rank else changed
        return {key: changed[key] for key in ordered}

    def _in_list(self, value: list[Json]) -> list[Json]:
        changes = {int(key): change for key, change in self.below.items() if _is_index(key)}
        changed = [
            changes[index].replacing(item)
            if index in changes and not changes[index].inserts
            else item
            for index, item in enumerate(value)
        ]
        for index in sorted(index for index, change in changes.items() if change.inserts):
            changed.insert(index, changes[index].entry["as"])
        return changed
