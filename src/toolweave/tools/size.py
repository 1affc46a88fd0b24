"""The size of a JSON value, measured without recursion.

Values come from servers: one nested 100,000 deep would overflow the validator's stack.
"""

from itertools import chain
from typing import NamedTuple, cast

from toolweave.json_text import Json, JsonObject

_CONTAINER_TYPES = (dict, list)
_CONTAINERS = frozenset(_CONTAINER_TYPES)
# What has no characters, and contains nothing.
_PLAIN = frozenset({int, float, bool, type(None)})
# A level of so few values is looked at one by one.
FEW = 16


class Size(NamedTuple):
    """The number of values, characters of texts and keys, and the depth."""

    nodes: int
    chars: int
    depth: int


def size_of(value: Json, *, max_nodes: int, max_depth: int) -> Size | None:
    """Return the size of `value`, or None if it exceeds a limit."""
    if isinstance(value, dict) and (flat := flat_chars(value)) is not None:
        found = Size(1 + len(value), flat, 2 if value else 1)
        return None if found.nodes > max_nodes or found.depth > max_depth else found
    nodes, chars, depth = 1, 0, 0
    level = [value]
    while level:
        below: list[Json] = []
        # A long level of one kind of values costs no step of Python for each.
        if len(level) > FEW and (found := lone_members(level, max_nodes)) is not None:
            below, keys = found
            chars += keys
        else:
            for item in level:
                if isinstance(item, str):
                    chars += len(item)
                elif isinstance(item, _CONTAINER_TYPES):
                    if isinstance(item, dict):
                        chars += sum(map(len, item))
                        below += item.values()
                    else:
                        below += item
                    # Here as well: one container may stand in many places.
                    if len(below) > max_nodes:
                        return None
        nodes += len(below)
        depth += 1
        if nodes > max_nodes or depth > max_depth:
            return None
        level = below
    return Size(nodes, chars, depth)


def lone_members(level: list[Json], most: int) -> tuple[list[Json], int] | None:
    """Return what is in the objects of a level without texts and lists, and the length of its keys.

    None for another level, and for more than `most` members: one object may stand in many places.
    """
    kinds = set(map(type, level))
    if kinds != {dict}:
        return ([], 0) if kinds <= _PLAIN else None
    objects = cast("list[JsonObject]", level)
    if sum(map(len, objects)) > most:
        return None
    chars = sum(map(len, chain.from_iterable(objects)))
    return list(chain.from_iterable(one.values() for one in objects)), chars


def flat_chars(value: JsonObject) -> int | None:
    """Return the characters of an object without others inside, as most are; None for others."""
    chars = 0
    for name, item in value.items():
        chars += len(name)
        if isinstance(item, str):
            chars += len(item)
        elif type(item) in _CONTAINERS:
            return None
    return chars
