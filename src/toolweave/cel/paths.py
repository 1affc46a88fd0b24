"""Paths into the data an expression reads: `order.items[0].name`."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from toolweave.cel.syntax import (
    Comprehension,
    FunctionCall,
    Let,
    Literal,
    Member,
    Name,
    Term,
    parts_of,
)
from toolweave.cel.tokens import is_name
from toolweave.cel.values import KIND_NAMES, UInt
from toolweave.patterns import pattern


class Each(Enum):
    """What a macro's variable goes through: the items of a list, the keys of an object."""

    EACH = "*"


EACH = Each.EACH
Step: TypeAlias = str | int | Each
Path: TypeAlias = tuple[Step, ...]

_KEY = pattern(r"""\[\s*(['"])([A-Za-z_][A-Za-z0-9_]*)\1\s*\]""")
_SPACE = pattern(r"\s")


@dataclass(frozen=True, slots=True)
class PathReference:
    """A path that an expression reads, and the character where it ends up being read.

    `is_optional`: it may be missing, as the expression uses `has()` or `.?`.
    `is_partial`: what is read below it is known only when it runs: `data[inputs.key]`.
    """

    path: Path
    offset: int
    is_optional: bool = False
    is_partial: bool = False

    @property
    def root(self) -> str:
        """The variable it begins with."""
        return str(self.path[0])

    @property
    def text(self) -> str:
        """The path as CEL writes it; `[*]` stands for each item."""
        return write_path(self.path)


def path_of(text: str, read: tuple[PathReference, ...]) -> Path | None:
    """The path that an expression is and nothing else, by all that it reads."""
    if len(read) != 1 or read[0].is_optional or read[0].is_partial:
        return None
    written = read[0].text
    return read[0].path if text == written or _plain(text) == _plain(written) else None


def _plain(text: str) -> str:
    return _SPACE.sub("", _KEY.sub(r".\2", text)).replace('"', "'")


def write_path(path: Path) -> str:
    """Return a path as CEL: `orders['a-2'].items[0]`."""
    return "".join(_steps(path))


def _steps(path: Path) -> Iterator[str]:
    for place, step in enumerate(path):
        match step:
            case Each():
                yield "[*]"
            case int():
                yield f"[{step}]"
            case str() if place == 0:
                yield step
            case str() if is_name(step):
                yield f".{step}"
            case str():
                yield f"[{quoted(step)}]"


def quoted(text: str) -> str:
    """A text as a CEL literal in single quotes."""
    return f"'{''.join(map(_escaped, text))}'"


_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    code = ord(character)
    return character if 32 <= code < 127 or code > 159 else f"\\u{code:04x}"


def references_in(term: Term) -> tuple[PathReference, ...]:
    """Every path a tree reads, in the order of the text; each once."""
    found: dict[tuple[Path, bool, bool], PathReference] = {}
    for one in _read(term, {}):
        found.setdefault((one.path, one.is_optional, one.is_partial), one)
    return tuple(sorted(found.values(), key=lambda one: one.offset))


# The paths of macro variables; None for a computed value.
_Scope: TypeAlias = dict[str, Path | None]


def _read(term: Term, scope: _Scope) -> Iterator[PathReference]:
    walked = _walked(term, scope)
    if walked is not None:
        reference, others = walked
        if reference is not None:
            yield reference
        yield from others
    elif isinstance(term, Let):
        yield from _read(term.value, scope)
        yield from _read(term.body, {**scope, term.variable: _path_of(term.value, scope)})
    elif isinstance(term, Comprehension):
        yield from _read_loop(term, scope)
    else:
        for part in parts_of(term):
            yield from _read(part, scope)


def _walked(term: Term, scope: _Scope) -> tuple[PathReference | None, list[PathReference]] | None:
    """Return the reference a term is, with those inside its brackets; nothing for other terms."""
    match term:
        case Name(name=name):
            return _named(term, scope) if name in scope or name not in KIND_NAMES else (None, [])
        case Member():
            return _extended(term.of, term.key, term.at, scope, is_optional=term.is_test)
        case FunctionCall("_[_]" | "_[?_]" | "_?._" as function, (of, key)):
            is_optional = function != "_[_]"
            if isinstance(key, Literal) and (step := _step(key)) is not None:
                return _extended(of, step, term.at, scope, is_optional=is_optional)
            return _cut(of, key, scope)
        case _:
            return None


def _named(term: Name, scope: _Scope) -> tuple[PathReference | None, list[PathReference]]:
    path = (term.name,) if term.is_outermost else scope.get(term.name, (term.name,))
    return (None if path is None else PathReference(path, term.at)), []


def _step(key: Literal) -> Step | None:
    if isinstance(key.value, str):
        return key.value
    is_place = isinstance(key.value, int) and not isinstance(key.value, bool | UInt)
    return key.value if is_place and isinstance(key.value, int) else None


def _extended(
    of: Term, step: Step, at: int, scope: _Scope, *, is_optional: bool
) -> tuple[PathReference | None, list[PathReference]] | None:
    walked = _walked(of, scope)
    if walked is None:
        return None
    base, others = walked
    if base is None or base.is_partial:
        return base, others
    optional = is_optional or base.is_optional
    return PathReference((*base.path, step), at, optional), others


def _cut(
    of: Term, key: Term, scope: _Scope
) -> tuple[PathReference | None, list[PathReference]] | None:
    walked = _walked(of, scope)
    if walked is None:
        return None
    base, others = walked
    partial = None
    if base is not None:
        partial = PathReference(base.path, base.offset, base.is_optional, is_partial=True)
    return partial, [*others, *_read(key, scope)]


def _read_loop(loop: Comprehension, scope: _Scope) -> Iterator[PathReference]:
    yield from _read(loop.over, scope)
    base = _path_of(loop.over, scope)
    item = None if base is None else (*base, EACH)
    for part in (loop.keep, loop.body):
        if part is not None:
            yield from _without(_read(part, {**scope, loop.variable: item}), item)


def _without(references: Iterable[PathReference], bare: Path | None) -> Iterator[PathReference]:
    """A macro's variable by itself reads no more than the list it goes through."""
    return (one for one in references if one.path != bare)


def _path_of(term: Term, scope: _Scope) -> Path | None:
    """The path a term is, when it is one and nothing else."""
    if isinstance(term, Comprehension):
        # A filter returns items unchanged, so that paths continue through it.
        keeps_items = term.keep is not None and _is_variable(term.body, term.variable)
        return _path_of(term.over, scope) if keeps_items else None
    walked = _walked(term, scope)
    if walked is None or walked[0] is None or walked[0].is_partial:
        return None
    return walked[0].path


def path_in(term: Term, variables: Collection[str]) -> Path | None:
    """The path that a term is, unless it begins with a macro's variable."""
    if isinstance(term, Name):
        return None if term.name in variables and not term.is_outermost else (term.name,)
    if not isinstance(term, Member | FunctionCall) or getattr(term, "is_test", False):
        return None
    walked = _walked(term, {}) if _begins_outside(term, variables) else None
    # An optional (`a.?b`) is another type than the value in it.
    if walked is None or walked[0] is None or walked[0].is_partial or walked[0].is_optional:
        return None
    return walked[0].path


def _begins_outside(term: Term, variables: Collection[str]) -> bool:
    while isinstance(term, Member | FunctionCall):
        term = term.of if isinstance(term, Member) else term.arguments[0]
    return isinstance(term, Name) and (term.is_outermost or term.name not in variables)


def _is_variable(term: Term, name: str) -> bool:
    return isinstance(term, Name) and term.name == name
