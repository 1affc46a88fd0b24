"""CEL's values in Python: JSON as it is, and the few kinds JSON has no word for.

Lists and maps that an expression builds are marked, so that the data it reads is passed on as it
is, never copied or walked.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeAlias, TypeGuard

from toolweave.json_text import Json

INT_MIN, INT_MAX = -(1 << 63), (1 << 63) - 1
UINT_MAX = (1 << 64) - 1

# Any: a value of the language; its functions look at its type before they do anything.
Cel: TypeAlias = Any


class Failed(Exception):
    """An expression has no value: why, what to do, and the place once it is known."""

    def __init__(self, message: str, *, hint: str | None = None, at: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.at = at


class Exhausted(Exception):
    """An expression asked for more work or room than one may have."""


class Evaluation:
    """One evaluation: the variables, the macros' own variables, and what is left to spend."""

    __slots__ = ("room", "slots", "variables", "work")

    def __init__(self, variables: Mapping[str, Json], slots: int, work: int, room: int) -> None:
        self.variables = variables
        self.slots: list[Cel] = [None] * slots
        self.work = work
        self.room = room

    def spend(self, steps: int) -> None:
        """Take steps of work, each about a tenth of a microsecond."""
        self.work -= steps
        if self.work < 0:
            raise Exhausted("the expression takes too many steps")

    def grow(self, size: int) -> None:
        """Take room for a new value, in characters or bytes."""
        self.room -= size
        if self.room < 0:
            raise Exhausted("the expression builds too large a value")


class UInt(int):
    """An unsigned integer: `5u`."""


class BuiltList(list[Cel]):
    """A list that the expression made."""


class BuiltMap(dict[Cel, Cel]):
    """A map that the expression made; see `key_of` for its keys."""


@dataclass(frozen=True, slots=True)
class CelType:
    """A type as a value: `type(x) == list`."""

    name: str


@dataclass(frozen=True, slots=True)
class Maybe:
    """An optional: the value as a tuple of one, or of none."""

    inner: tuple[Cel, ...] = ()


@dataclass(frozen=True, slots=True)
class BoolKey:
    """`true` as a key, which Python would take for 1."""

    value: bool


KINDS: dict[type, str] = {
    type(None): "null_type",
    bool: "bool",
    int: "int",
    UInt: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    list: "list",
    BuiltList: "list",
    dict: "map",
    BuiltMap: "map",
    datetime: "google.protobuf.Timestamp",
    timedelta: "google.protobuf.Duration",
    CelType: "type",
    Maybe: "optional_type",
}
KIND_NAMES = frozenset(KINDS.values())
# What people call them.
_WORDS = {
    "null_type": "null",
    "google.protobuf.Timestamp": "timestamp",
    "google.protobuf.Duration": "duration",
    "optional_type": "optional",
}


def mismatch(what: str, *values: Cel) -> Failed:
    """The failure of a function that does not take values of these kinds."""
    kinds = [kind_of(value) for value in values]
    hint = None
    if "double" in kinds and set(kinds) & {"int", "uint"}:
        hint = "write double(x) around the whole number"
    elif "string" in kinds and len(set(kinds)) > 1:
        hint = "write string(x) around what is no text, or int(x) and double(x) around the text"
    elif "null" in kinds:
        hint = "a value is null; ask for it first: x != null"
    return Failed(f"{what} does not work on {' and '.join(kinds)}", hint=hint)


def kind_of(value: Cel) -> str:
    """The kind of a value in a message: `int`, `string`, `null`, …"""
    kind: type = value.__class__
    name = KINDS.get(kind, "unknown")
    return _WORDS.get(name, name)


def is_list(value: Cel) -> TypeGuard[list[Cel]]:
    """Whether it is a list, read or made."""
    return isinstance(value, list)


def is_map(value: Cel) -> TypeGuard[dict[Cel, Cel]]:
    """Whether it is a map, read or made."""
    return isinstance(value, dict)


def is_number(value: Cel) -> bool:
    """Whether it is an int, uint or double; a bool is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def key_of(value: Cel) -> Cel:
    """How a map holds a key; nothing when it can be none."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return BoolKey(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return int(value) if isinstance(value, int) else None


def from_key(key: Cel) -> Cel:
    """The value that `key_of` made a key of."""
    return key.value if isinstance(key, BoolKey) else key


# Kinds of which two values are equal exactly when Python says so.
_PLAIN: frozenset[type] = frozenset({bool, int, float, type(None), datetime, timedelta, CelType})
_EQUAL_WORK = 3


def equal(run: Evaluation, one: Cel, two: Cel) -> bool:
    """CEL's equality: numbers by their value whatever their type, other kinds never mix."""
    waiting = [(one, two)]
    while waiting:
        one, two = waiting.pop()
        run.spend(_EQUAL_WORK)
        kind: type = one.__class__
        if kind is two.__class__ and kind in _PLAIN:
            is_equal = one == two
        elif kind is str or kind is bytes:
            run.spend(len(one) >> 6)
            is_equal = kind is two.__class__ and one == two
        elif is_list(one):
            is_equal = is_list(two) and len(one) == len(two)
            waiting.extend(zip(one, two, strict=True) if is_equal else ())
        elif is_map(one):
            is_equal = is_map(two) and one.keys() == two.keys()
            waiting.extend(((one[key], two[key]) for key in one) if is_equal else ())
        elif isinstance(one, Maybe):
            is_equal = isinstance(two, Maybe) and len(one.inner) == len(two.inner)
            waiting.extend(zip(one.inner, two.inner, strict=True) if is_equal else ())
        else:
            is_equal = is_number(one) and is_number(two) and one == two
        if not is_equal:
            return False
    return True


def is_among(run: Evaluation, one: Cel, items: list[Cel]) -> bool:
    """Whether a list has an item equal to `one`."""
    return any(equal(run, one, item) for item in items)


def keys_of(value: dict[Cel, Cel]) -> Iterator[Cel]:
    """The keys of a map as values, in its own order."""
    return (key if isinstance(key, str) else from_key(key) for key in value)
