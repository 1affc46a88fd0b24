"""The tree of an expression in any of the languages that authors know."""

from dataclasses import dataclass
from typing import TypeAlias


class NotReadable(Exception):
    """The text is no expression of a known language, or has no CEL equivalent."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A number or a text as CEL writes it, or one of `true`, `false`, `null`."""

    cel: str
    # What is in the quotes of a text.
    text: str | None = None
    is_regex: bool = False


@dataclass(frozen=True, slots=True)
class ForeignName:
    """A name, with `$` where other languages have it."""

    name: str


@dataclass(frozen=True, slots=True)
class FieldAccess:
    """`of.key`, `of?.key`."""

    of: "Tree"
    key: str
    is_optional: bool


@dataclass(frozen=True, slots=True)
class ItemAccess:
    """`of[index]`, `of?.[index]`; without an index it is `of[*]`."""

    of: "Tree"
    index: "Tree | None"
    is_optional: bool


@dataclass(frozen=True, slots=True)
class Call:
    """`of(arguments)`; `named` are those with a name, as in Python."""

    of: "Tree"
    arguments: "tuple[Tree, ...]"
    named: "tuple[tuple[str, Tree], ...]" = ()


@dataclass(frozen=True, slots=True)
class AppliedFilter:
    """`of | name(arguments)` of Jinja and Liquid."""

    of: "Tree"
    name: str
    arguments: "tuple[Tree, ...]"
    # `attribute='price'`.
    named: "tuple[tuple[str, Tree], ...]"


@dataclass(frozen=True, slots=True)
class Sign:
    """`!x`, `-x`; `not x`, which binds less tightly, is `not`."""

    sign: str
    of: "Tree"


@dataclass(frozen=True, slots=True)
class Operation:
    """Operands with signs between them: two of a sum, several of a chain `a < b < c`."""

    operands: "tuple[Tree, ...]"
    signs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """`condition ? one : two`, `one if condition else two`."""

    condition: "Tree"
    one: "Tree"
    two: "Tree"


@dataclass(frozen=True, slots=True)
class Group:
    """`(inner)`."""

    inner: "Tree"


@dataclass(frozen=True, slots=True)
class Items:
    """`[a, b]`."""

    items: "tuple[Tree, ...]"


@dataclass(frozen=True, slots=True)
class Entries:
    """`{key: value}`."""

    entries: "tuple[tuple[Tree, Tree], ...]"


@dataclass(frozen=True, slots=True)
class Loop:
    """`[body for variable in over if keep]`."""

    body: "Tree"
    variable: str
    over: "Tree"
    keep: "Tree | None"


@dataclass(frozen=True, slots=True)
class Function:
    """`x => body`, `lambda x: body`; the macros of CEL write `x, body`."""

    parameter: str
    body: "Tree"


@dataclass(frozen=True, slots=True)
class Spread:
    """`...of` in a list."""

    of: "Tree"


@dataclass(frozen=True, slots=True)
class Slice:
    """`of[start:end]` of Python."""

    of: "Tree"
    start: "Tree | None"
    end: "Tree | None"


@dataclass(frozen=True, slots=True)
class LocalValue:
    """`const name = value; body`."""

    name: str
    value: "Tree"
    body: "Tree"


@dataclass(frozen=True, slots=True)
class Joined:
    """A text with expressions in it: `` `Hi ${x}` ``, `f'Hi {x}'`."""

    # Each with whether it is code.
    parts: tuple[tuple[bool, str], ...]
    is_python: bool = False


Tree: TypeAlias = (
    Constant
    | ForeignName
    | FieldAccess
    | ItemAccess
    | Call
    | AppliedFilter
    | Sign
    | Operation
    | Choice
    | Group
    | Items
    | Entries
    | Loop
    | Function
    | Joined
    | Spread
    | Slice
    | LocalValue
)
