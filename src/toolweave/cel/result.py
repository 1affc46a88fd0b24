"""The value of an expression as JSON: what was read stays as it is, what was built is turned."""

import math
from datetime import datetime, timedelta

from toolweave.cel.times import write_duration, write_timestamp
from toolweave.cel.values import (
    BuiltList,
    BuiltMap,
    Cel,
    CelType,
    Exhausted,
    Failed,
    Maybe,
    UInt,
    is_map,
    kind_of,
)
from toolweave.json_text import Json

_MEMBER_SIZE = 16
_LIST_SIZE = 64
# What needs no look: neither large nor strange.
_SIMPLE: frozenset[type] = frozenset({bool, int, type(None)})
_ADVICE: dict[type, str] = {
    bytes: "write base64.encode(x) or string(x)",
    Maybe: "write orValue(x) after it",
    CelType: "write string(x) for a text; a type is only to compare with",
    float: "JSON has no infinity; ask first: x != 0.0",
}


def to_json(value: Cel, room: int) -> Json:
    """The value; a built one may be as large as `room` characters when written."""
    return _Turner(room).turned(value)


class _Turner:
    def __init__(self, room: int) -> None:
        self._room = room
        self._sizes: dict[int, int] = {}

    def turned(self, value: Cel) -> Json:
        if isinstance(value, BuiltList):
            self._pay(_LIST_SIZE + _MEMBER_SIZE * len(value))
            return [item if item.__class__ in _SIMPLE else self._part(item) for item in value]
        if isinstance(value, BuiltMap):
            self._pay(_LIST_SIZE + _MEMBER_SIZE * len(value))
            return {self._key(key): self._part(item) for key, item in value.items()}
        return _plain(value)

    def _key(self, key: Cel) -> str:
        if not isinstance(key, str):
            raise Failed("the keys of an object are texts", hint="write string(key)")
        self._pay(len(key))
        return key

    def _part(self, item: Cel) -> Json:
        if isinstance(item, str):
            self._pay(len(item))
            return item
        if item.__class__ is list or item.__class__ is dict:
            # Input data may occur many times in the result.
            self._pay(self._size(item))
            return item
        return self.turned(item)

    def _pay(self, size: int) -> None:
        self._room -= size
        if self._room < 0:
            raise Exhausted("the expression gives too large a value")

    def _size(self, value: Cel) -> int:
        if id(value) not in self._sizes:
            self._sizes[id(value)] = self._measured(value)
        return self._sizes[id(value)]

    def _measured(self, value: Cel) -> int:
        """About how large a value is, given up once it is larger than the room left."""
        size, waiting = 0, [value]
        while waiting and size <= self._room:
            one = waiting.pop()
            size += _LIST_SIZE + _MEMBER_SIZE * len(one)
            for item in one.values() if is_map(one) else one:
                if item.__class__ is str:
                    size += len(item)
                elif item.__class__ is list or item.__class__ is dict:
                    waiting.append(item)
        return size


def _plain(value: Cel) -> Json:
    match value:
        case UInt():
            return int(value)
        case float() if not math.isfinite(value):
            raise Failed("the result is no finite number", hint=_ADVICE[float])
        case datetime():
            return write_timestamp(value)
        case timedelta():
            return write_duration(value)
        case bytes() | Maybe() | CelType():
            message = f"the result is of kind {kind_of(value)}, which JSON cannot hold"
            raise Failed(message, hint=_ADVICE[type(value)])
        case _:
            return value
