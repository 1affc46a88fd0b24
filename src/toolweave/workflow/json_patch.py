"""JSON Patch (RFC 6902): apply a patch, and compute one from two documents.

Documents are never changed in place: what a patch touches is copied, the rest is shared.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.problems import pointer
from toolweave.tools.size import size_of

MAX_OPERATIONS = 1_000
MAX_VALUES = 500_000
MAX_CHARS = 16 * 1024 * 1024
# As deep as what a request may send.
MAX_DEPTH = 120

# Any: an operation is JSON that came from a problem or a client.
Operation = Mapping[str, Any]


def apply_patch(document: Json, operations: Iterable[Operation]) -> Json:
    """Apply all operations; raises `Invalid` for the first that fails."""
    for operation in operations:
        document = _applied(document, operation)
    return document


def apply_given_patch(document: Json, operations: Sequence[Operation]) -> Json:
    """Apply a patch that somebody sent, whose copies may grow without end; raises `Invalid`."""
    if len(operations) > MAX_OPERATIONS:
        raise _too_large(f"{len(operations):,} operations; at most {MAX_OPERATIONS:,}")
    changed = apply_patch(document, operations)
    size = size_of(changed, max_nodes=MAX_VALUES, max_depth=MAX_DEPTH)
    if size is None or size.chars > MAX_CHARS:
        raise _too_large(
            f"the result has more than {MAX_VALUES:,} values or {MAX_CHARS:,} characters,"
            f" or is nested more than {MAX_DEPTH} deep"
        )
    return changed


def difference(old: Json, new: Json, place: str = "") -> list[dict[str, Json]]:
    """Return operations that turn `old` into `new`: by member, lists by their common ends.

    `place` is where both are in their documents.
    """
    operations: list[dict[str, Json]] = []
    waiting: list[tuple[str, Json, Json]] = [(place, old, new)]
    while waiting:
        place, before, after = waiting.pop()
        if before is after:
            continue
        if isinstance(before, dict) and isinstance(after, dict):
            for key in before:
                if key not in after:
                    operations.append({"op": "remove", "path": place + pointer(key)})
            for key, value in after.items():
                if key not in before:
                    operations.append({"op": "add", "path": place + pointer(key), "value": value})
                else:
                    waiting.append((place + pointer(key), before[key], value))
        elif isinstance(before, list) and isinstance(after, list):
            waiting.extend(_aligned(place, before, after, operations))
        elif type(before) is not type(after) or before != after:
            operations.append({"op": "replace", "path": place, "value": after})
    return operations


def steps_of(place: str) -> list[str]:
    """The steps of an RFC 6901 pointer."""
    if place and not place.startswith("/"):
        raise _impossible(place, "a pointer begins with '/'")
    return [step.replace("~1", "/").replace("~0", "~") for step in place.split("/")[1:]]


def value_at(document: Json, place: str) -> Json:
    """Return the value at a pointer; raises `Invalid` if there is none."""
    for step in steps_of(place):
        document = _child(document, step, place)
    return document


def _aligned(
    place: str, before: list[Json], after: list[Json], operations: list[dict[str, Json]]
) -> Iterable[tuple[str, Json, Json]]:
    """Pair items to compare, at their new indexes; other items become operations."""
    shorter = min(len(before), len(after))
    head = next((at for at in range(shorter) if not _same(before[at], after[at])), shorter)
    room = shorter - head
    tail = next((at for at in range(room) if not _same(before[-1 - at], after[-1 - at])), room)
    old, new = len(before) - tail, len(after) - tail
    middle = min(old, new)
    for at in range(old - 1, middle - 1, -1):
        operations.append({"op": "remove", "path": f"{place}/{at}"})
    for at in range(middle, new):
        operations.append({"op": "add", "path": f"{place}/{at}", "value": after[at]})
    pairs = [
        *((at, before[at], after[at]) for at in range(middle)),
        *((new + at, before[old + at], after[new + at]) for at in range(tail)),
    ]
    return [(f"{place}/{at}", one, other) for at, one, other in pairs if one is not other]


def _same(one: Json, other: Json) -> bool:
    if one is other:
        return True
    if isinstance(one, dict) and isinstance(other, dict) and "id" in one:
        return one["id"] == other.get("id")
    return type(one) is type(other) and one == other


def _applied(document: Json, operation: Operation) -> Json:
    place = str(operation.get("path", ""))
    match operation.get("op"):
        case "add":
            return _put(document, steps_of(place), operation.get("value"), place, is_new=True)
        case "replace":
            value_at(document, place)
            return _put(document, steps_of(place), operation.get("value"), place, is_new=False)
        case "remove":
            return _removed(document, steps_of(place), place)
        case "move":
            source = str(operation.get("from", ""))
            if place.startswith(source + "/"):
                raise _impossible(place, f"{source!r} cannot be moved into itself")
            value = value_at(document, source)
            left = _removed(document, steps_of(source), source)
            return _put(left, steps_of(place), value, place, is_new=True)
        case "copy":
            value = value_at(document, str(operation.get("from", "")))
            return _put(document, steps_of(place), value, place, is_new=True)
        case "test":
            if not _equal(value_at(document, place), operation.get("value")):
                raise _impossible(place, "the value differs from the one the patch was made for")
            return document
        case other:
            raise _impossible(place, f"there is no operation {other!r}")


def _put(document: Json, steps: list[str], value: Json, place: str, *, is_new: bool) -> Json:
    if not steps:
        return value
    copied = _copied(document)
    parent = copied
    for step in steps[:-1]:
        child = _copied(_child(parent, step, place))
        _set(parent, step, child, place)
        parent = child
    last = steps[-1]
    if isinstance(parent, list) and is_new:
        at = len(parent) if last == "-" else _index(last, len(parent) + 1, place)
        parent.insert(at, value)
    else:
        _set(parent, last, value, place)
    return copied


def _removed(document: Json, steps: list[str], place: str) -> Json:
    if not steps:
        raise _impossible(place, "the whole document cannot be removed")
    copied = _copied(document)
    parent = copied
    for step in steps[:-1]:
        child = _copied(_child(parent, step, place))
        _set(parent, step, child, place)
        parent = child
    _child(parent, steps[-1], place)
    if isinstance(parent, list):
        del parent[_index(steps[-1], len(parent), place)]
    elif isinstance(parent, dict):
        del parent[steps[-1]]
    return copied


def _copied(value: Json) -> Json:
    if isinstance(value, dict):
        return dict(value)
    return list(value) if isinstance(value, list) else value


def _set(parent: Json, step: str, value: Json, place: str) -> None:
    if isinstance(parent, dict):
        parent[step] = value
    elif isinstance(parent, list):
        parent[_index(step, len(parent), place)] = value
    else:
        raise _impossible(place, "its parent is neither object nor list")


def _child(value: Json, step: str, place: str) -> Json:
    if isinstance(value, dict) and step in value:
        return value[step]
    if isinstance(value, list):
        return value[_index(step, len(value), place)]
    raise _impossible(place, f"there is no {step!r}")


def _index(step: str, end: int, place: str) -> int:
    is_number = step.isascii() and step.isdecimal() and (step == "0" or step[0] != "0")
    if not is_number or len(step) > 9 or int(step) >= end:
        raise _impossible(place, f"{step!r} is not an index of a list of {end}")
    return int(step)


def _equal(one: Json, other: Json) -> bool:
    """JSON's equality: true is not 1, 1 is 1.0."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return one == other


def _too_large(what: str) -> Invalid:
    return Invalid(
        "PATCH_IMPOSSIBLE", f"the patch is too large: {what}", hint="change less at once"
    )


def _impossible(place: str, why: str) -> Invalid:
    return Invalid(
        "PATCH_IMPOSSIBLE",
        f"the patch cannot be applied at {place!r}: {why}",
        hint="validate the document again and use the new patch",
    )
