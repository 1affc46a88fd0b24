"""The syntax tree of an expression. Every part has its character offset.

A call is at its parenthesis, an operator at its sign, a member at its dot; the macros
(`map`, `all`, `cel.bind`, …) are terms of their own.
"""

from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeAlias

from toolweave.cel.values import UInt

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
    """A variable, free or bound by a macro; `.name` is free even where a macro binds it."""

    name: str
    at: int
    is_outermost: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """`of.key`, or `has(of.key)` when it only asks."""

    of: "Term"
    key: str
    is_test: bool
    at: int


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A function, operator or method (receiver first); `&&` and `||` take two or more."""

    function: str
    arguments: "tuple[Term, ...]"
    at: int
    is_method: bool = False


@dataclass(frozen=True, slots=True)
class ListLiteral:
    """A list; those at `optional` are left out when they have no value."""

    items: "tuple[Term, ...]"
    optional: frozenset[int]
    at: int


@dataclass(frozen=True, slots=True)
class MapEntry:
    """One key of a map."""

    key: "Term"
    value: "Term"
    is_optional: bool


@dataclass(frozen=True, slots=True)
class MapLiteral:
    """A map."""

    entries: tuple[MapEntry, ...]
    at: int


LoopMacro: TypeAlias = OneOf["map", "filter", "all", "exists", "exists_one"]


@dataclass(frozen=True, slots=True)
class Comprehension:
    """`over.macro(variable, …)`: `body` of each item, in `map` of those that `keep` holds for.

    `filter(x, keep)` is `map(x, keep, x)`.
    """

    macro: LoopMacro
    variable: str
    over: "Term"
    keep: "Term | None"
    body: "Term"
    at: int


@dataclass(frozen=True, slots=True)
class Let:
    """`cel.bind(variable, value, body)`."""

    variable: str
    value: "Term"
    body: "Term"
    at: int


Term: TypeAlias = (
    Literal | Name | Member | FunctionCall | ListLiteral | MapLiteral | Comprehension | Let
)


def parts_of(term: Term) -> "tuple[Term, ...]":
    """The terms right below a term, in the order of the text."""
    match term:
        case Member():
            return (term.of,)
        case FunctionCall():
            return term.arguments
        case ListLiteral():
            return term.items
        case MapLiteral():
            return tuple(part for entry in term.entries for part in (entry.key, entry.value))
        case Comprehension():
            keep = () if term.keep is None else (term.keep,)
            return (term.over, *keep, term.body)
        case Let():
            return (term.value, term.body)
        case _:
            return ()


def count(term: Term) -> int:
    """How many parts a tree has."""
    return 1 + sum(count(part) for part in parts_of(term))
