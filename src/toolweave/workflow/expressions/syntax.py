"""The syntax tree of an expression, read from the bytes in which Google's CEL parser gives it.

The parser expands macros (`map`, `all`, `has`, …) and tells the place of every part, so nothing
here guesses. Only the few protobuf messages of `cel.expr.ParsedExpr` are read.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from toolweave.workflow.expressions.values import UInt

# Names before a dot that are no variables but hold functions.
NAMESPACES = frozenset({"base64", "cel", "math", "optional", "strings"})

Constant: TypeAlias = "bool | int | UInt | float | str | bytes | None"


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant."""

    value: Constant
    at: int


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, free or bound by a macro."""

    name: str
    at: int


@dataclass(frozen=True, slots=True)
class Member:
    """`of.key`, or `has(of.key)` when it only asks."""

    of: "Term"
    key: str
    is_test: bool
    at: int


@dataclass(frozen=True, slots=True)
class Call:
    """A function, operator or method; the receiver of a method is its first argument."""

    function: str
    arguments: "tuple[Term, ...]"
    at: int


@dataclass(frozen=True, slots=True)
class Items:
    """A list; those at `optional` are left out when they have no value."""

    items: "tuple[Term, ...]"
    optional: frozenset[int]
    at: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One key of a map."""

    key: "Term"
    value: "Term"
    is_optional: bool


@dataclass(frozen=True, slots=True)
class Entries:
    """A map; one with a `message` name would build a protobuf message."""

    entries: tuple[Entry, ...]
    message: str
    at: int


@dataclass(frozen=True, slots=True)
class Fold:
    """What a macro stands for: a loop over `over` that carries `carried` along."""

    variable: str
    over: "Term"
    carried: str
    start: "Term"
    condition: "Term"
    step: "Term"
    result: "Term"
    at: int


Term: TypeAlias = Literal | Name | Member | Call | Items | Entries | Fold


def read_tree(data: bytes) -> Term:
    """The tree in a serialised `ParsedExpr`."""
    parsed = _fields(_first(_fields(data), 2))
    positions = dict(_positions(_first(parsed, 3)))
    return _Reader(positions).term(_first(parsed, 2))


def parts_of(term: Term) -> "tuple[Term, ...]":
    """The terms right below a term, in the order of the text."""
    match term:
        case Member():
            return (term.of,)
        case Call():
            return term.arguments
        case Items():
            return term.items
        case Entries():
            return tuple(part for entry in term.entries for part in (entry.key, entry.value))
        case Fold():
            return (term.over, term.start, term.condition, term.step, term.result)
        case _:
            return ()


def count(term: Term) -> int:
    """How many parts a tree has."""
    return 1 + sum(count(part) for part in parts_of(term))


_Field: TypeAlias = tuple[int, "int | bytes"]


def _fields(data: bytes) -> list[_Field]:
    """The fields of one message: number, and the number or bytes in it."""
    found: list[_Field] = []
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = _varint(data, at)
            found.append((number, value))
        else:
            # 1 is eight bytes of a double; 2 tells its length; no other is used here.
            length, at = (8, at) if wire == 1 else _varint(data, at)
            found.append((number, data[at : at + length]))
            at += length
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _first(fields: list[_Field], number: int) -> bytes:
    return next((value for key, value in fields if key == number and isinstance(value, bytes)), b"")


def _all(fields: list[_Field], number: int) -> Iterator[bytes]:
    return (value for key, value in fields if key == number and isinstance(value, bytes))


def _number(fields: list[_Field], number: int) -> int:
    return next((value for key, value in fields if key == number and isinstance(value, int)), 0)


def _text(fields: list[_Field], number: int) -> str:
    return _first(fields, number).decode()


def _positions(source: bytes) -> Iterator[tuple[int, int]]:
    for entry in _all(_fields(source), 4):
        fields = _fields(entry)
        yield _number(fields, 1), _number(fields, 2)


class _Reader:
    """`cel.expr.Expr` by its field numbers; depth is bounded by the parser."""

    def __init__(self, positions: dict[int, int]) -> None:
        self._positions = positions

    def term(self, data: bytes) -> Term:
        fields = _fields(data)
        at = self._positions.get(_number(fields, 2), 0)
        kind, body = next((key, value) for key, value in fields if isinstance(value, bytes))
        below = _fields(body)
        match kind:
            case 3:
                return Literal(_constant(below), at)
            case 4:
                # A leading dot asks for the outermost name; there is no other here.
                return Name(_text(below, 1).removeprefix("."), at)
            case 5:
                return Member(
                    self.term(_first(below, 1)), _text(below, 2), bool(_number(below, 3)), at
                )
            case 6:
                return self._call(below, at)
            case 7:
                optional = frozenset(_packed(_first(below, 2)))
                return Items(tuple(self.term(item) for item in _all(below, 1)), optional, at)
            case 8:
                entries = tuple(self._entry(_fields(entry)) for entry in _all(below, 2))
                return Entries(entries, _text(below, 1), at)
            case _:
                return self._fold(below, at)

    def _call(self, fields: list[_Field], at: int) -> Call:
        function = _text(fields, 2)
        arguments = tuple(self.term(argument) for argument in _all(fields, 3))
        target = _first(fields, 1)
        if not target:
            return Call(function, arguments, at)
        receiver = self.term(target)
        if isinstance(receiver, Name) and receiver.name in NAMESPACES:
            return Call(f"{receiver.name}.{function}", arguments, at)
        return Call(function, (receiver, *arguments), at)

    def _entry(self, fields: list[_Field]) -> Entry:
        key = _first(fields, 3)
        # A message is built by field names; it is refused later, by its name.
        named = self.term(key) if key else Literal(_text(fields, 2), 0)
        return Entry(named, self.term(_first(fields, 4)), bool(_number(fields, 5)))

    def _fold(self, fields: list[_Field], at: int) -> Fold:
        return Fold(
            variable=_text(fields, 1),
            over=self.term(_first(fields, 2)),
            carried=_text(fields, 3),
            start=self.term(_first(fields, 4)),
            condition=self.term(_first(fields, 5)),
            step=self.term(_first(fields, 6)),
            result=self.term(_first(fields, 7)),
            at=at,
        )


def _packed(data: bytes) -> Iterator[int]:
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        yield value


def _constant(fields: list[_Field]) -> Constant:
    [(kind, value)] = fields
    match kind, value:
        case 2, int():
            return bool(value)
        case 3, int():
            return value - (1 << 64) if value >> 63 else value
        case 4, int():
            return UInt(value)
        case 5, bytes():
            number: float = struct.unpack("<d", value)[0]
            return number
        case 6, bytes():
            return value.decode()
        case 7, bytes():
            return value
        case _:
            return None
