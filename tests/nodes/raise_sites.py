"""Where nodes refuse: every `raise` of an `Invalid` in their code, by syntax, and those reached."""

import ast
import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from toolweave import errors, nodes

FOLDER = Path(nodes.__file__).parent
_INVALID = "Invalid"
# Returns an `Invalid` and is written as `raise NAME(…)`.
_Made = frozenset[str]


@dataclass(frozen=True, slots=True)
class RaiseSite:
    """One statement that refuses; `name` stays the same when lines move."""

    file: str
    first: int
    last: int
    name: str


def raise_sites() -> list[RaiseSite]:
    """Every refusal in the code of the nodes."""
    trees = {path: ast.parse(path.read_text("utf-8")) for path in sorted(FOLDER.rglob("*.py"))}
    made = _makers(trees.values())
    return [site for path, tree in trees.items() for site in _sites(path, tree, made)]


def _makers(trees: Iterable[ast.Module]) -> _Made:
    """The functions that return a refusal, found until no more are."""
    functions = [
        one for tree in trees for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)
    ]
    made = {_INVALID, "refused_at"}
    while True:
        more = {
            one.name
            for one in functions
            if any(isinstance(at, ast.Return) and _called(at.value) in made for at in ast.walk(one))
        }
        if more <= made:
            return frozenset(made)
        made |= more


def _called(value: ast.expr | None) -> str | None:
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return value.func.id
    return None


def _sites(path: Path, tree: ast.Module, made: _Made) -> Iterator[RaiseSite]:
    file = path.relative_to(FOLDER).as_posix()
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        number = 0
        for one in _own(function):
            if isinstance(one, ast.Raise) and _called(one.exc) in made:
                number += 1
                name = f"{file}:{function.name}" + (f"#{number}" if number > 1 else "")
                yield RaiseSite(str(path), one.lineno, one.end_lineno or one.lineno, name)


def _own(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function in order, without those of functions in it."""
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _own(child)


@dataclass(slots=True)
class Reached:
    """The lines of node code that were running when a refusal was made."""

    lines: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def has(self, site: RaiseSite) -> bool:
        """Whether this statement refused something."""
        return any((site.file, line) in self.lines for line in range(site.first, site.last + 1))


@contextmanager
def refusals_noted() -> Generator[Reached]:
    """Note where refusals with a place in the node come from."""
    reached = Reached()
    made = errors.Invalid.__init__

    def noting(self: errors.Invalid, *given: object, **named: object) -> None:
        facts = named.get("facts")
        has_place = isinstance(facts, dict) and ("at" in facts or "field" in facts)
        # Validation can only report what says where it is.
        frame = sys._getframe(1) if has_place else None  # pyright: ignore[reportPrivateUsage]  the only way to ask
        while frame is not None:
            if frame.f_code.co_filename.startswith(str(FOLDER)):
                reached.lines.add((frame.f_code.co_filename, frame.f_lineno))
            frame = frame.f_back
        made(self, *given, **named)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(errors.Invalid, "__init__", noting)
        yield reached
