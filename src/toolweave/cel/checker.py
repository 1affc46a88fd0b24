"""What can be said of the kinds in an expression before it runs.

Variables may be anything, so only what cannot work with any data is a fault.
"""

from collections.abc import Callable
from typing import NamedTuple

from toolweave.cel.fault import SyntaxProblem, fault_at
from toolweave.cel.paths import Path, path_in
from toolweave.cel.signatures import NUMBERS, SIGNATURES
from toolweave.cel.syntax import (
    Comprehension,
    FunctionCall,
    Let,
    ListLiteral,
    Literal,
    MapLiteral,
    Member,
    Name,
    Term,
)
from toolweave.cel.values import kind_of

_LOOPED = frozenset({"list", "map", "dyn"})
_KEYED = frozenset({"map", "optional", "dyn"})
_KEYS = frozenset({"string", "int", "uint", "bool", "dyn"})
_INDEXES = frozenset({"string", "int", "uint", "double", "dyn"})
_TRUTHS = frozenset({"bool", "dyn"})
_OPTIONALS = frozenset({"optional", "dyn"})


class CheckedExpression(NamedTuple):
    """The kind of the result, `dyn` where it is not known, and what does not fit."""

    kind: str | None
    faults: tuple[SyntaxProblem, ...] = ()


# The kind of the value at a path, `dyn` where it is not known.
KindOf = Callable[[Path], str]


def check(text: str, term: Term, kind_of_path: KindOf | None = None) -> CheckedExpression:
    """What can be said of the kinds in the tree of a text."""
    checker = _Checker(text, kind_of_path)
    kind = checker.kind(term, {})
    is_wrong = any(fault.severity == "error" for fault in checker.faults)
    return CheckedExpression(None if is_wrong else kind, tuple(checker.faults))


class _Checker:
    def __init__(self, text: str, kind_of_path: KindOf | None = None) -> None:
        self.faults: list[SyntaxProblem] = []
        self._text = text
        self._kind_of_path = kind_of_path

    def kind(self, term: Term, scope: dict[str, str]) -> str:
        """The kind of a term, where macros' variables are of the kinds in `scope`."""
        if self._kind_of_path is not None and (path := path_in(term, scope)) is not None:
            found = self._kind_of_path(path)
            if found != "dyn":
                return found
        return self._kind(term, scope)

    def _kind(self, term: Term, scope: dict[str, str]) -> str:
        match term:
            case Literal():
                return kind_of(term.value)
            case Name():
                return "dyn" if term.is_outermost else scope.get(term.name, "dyn")
            case Member():
                return self._member(term, scope)
            case FunctionCall():
                return self._call(term, scope)
            case ListLiteral():
                for place, item in enumerate(term.items):
                    self._expect_optional(item, scope, is_optional=place in term.optional)
                return "list"
            case MapLiteral():
                return self._entries(term, scope)
            case Comprehension():
                return self._loop(term, scope)
            case Let():
                value = self.kind(term.value, scope)
                return self.kind(term.body, {**scope, term.variable: value})

    def _report(self, at: int, message: str, hint: str | None = None) -> str:
        self.faults.append(fault_at(self._text, at, "EXPRESSION_TYPE", message, hint))
        return "dyn"

    def _member(self, term: Member, scope: dict[str, str]) -> str:
        of = self.kind(term.of, scope)
        if of not in _KEYED:
            has_hyphen = "-" in self._text
            hint = "a key with a hyphen is written in brackets: x['a-b']" if has_hyphen else None
            return self._report(term.at, f"{of} has no {term.key!r}", hint)
        if term.is_test:
            return "bool"
        return "optional" if of == "optional" else "dyn"

    def _call(self, term: FunctionCall, scope: dict[str, str]) -> str:
        kinds = [self.kind(argument, scope) for argument in term.arguments]
        if term.function in ("_&&_", "_||_"):
            for kind in kinds:
                self._expect_truth(kind, _shown(term.function), term.at)
            return "bool"
        if term.function == "_?_:_":
            self._expect_truth(kinds[0], "? :", term.at)
            return kinds[1] if kinds[1] == kinds[2] else "dyn"
        if term.function in ("_==_", "_!=_"):
            self._warn_of_unequal(kinds, term.at)
        if term.function not in SIGNATURES:
            return "dyn"
        if term.function == "_[_]" and kinds[0] == "dyn" and kinds[1] not in _INDEXES:
            # The values of a run are JSON: lists, and objects whose keys are texts.
            hint = "choose items with x.filter(item, …)" if kinds[1] == "bool" else None
            return self._report(term.at, f"[ ] does not work with {kinds[1]} in it", hint)
        fitting = {one.gives for one in SIGNATURES[term.function] if one.accepts(kinds)}
        if not fitting:
            is_mixed = "double" in kinds and set(kinds) & {"int", "uint"} and set(kinds) <= NUMBERS
            hint = "write double(x) around the whole number" if is_mixed else None
            message = f"{_shown(term.function)} does not work on {' and '.join(kinds)}"
            return self._report(term.at, message, hint)
        return fitting.pop() if len(fitting) == 1 else "dyn"

    def _warn_of_unequal(self, kinds: list[str], at: int) -> None:
        known = set(kinds) - {"dyn", "null_type"}
        if len(known) == 2 and not known <= NUMBERS:
            message = f"{' and '.join(kinds)} are never equal"
            fault = fault_at(self._text, at, "EXPRESSION_TYPE", message, severity="warning")
            self.faults.append(fault)

    def _entries(self, term: MapLiteral, scope: dict[str, str]) -> str:
        for entry in term.entries:
            key = self.kind(entry.key, scope)
            if key not in _KEYS:
                hint = "write a name in quotes: {'name': value}"
                self._report(entry.key.at, f"{key} cannot be a key", hint)
            self._expect_optional(entry.value, scope, is_optional=entry.is_optional)
        return "map"

    def _loop(self, term: Comprehension, scope: dict[str, str]) -> str:
        over = self.kind(term.over, scope)
        if over not in _LOOPED:
            self._report(term.over.at, f"{over} has no items to go through")
        within = {**scope, term.variable: "dyn"}
        if term.keep is not None:
            self._expect_truth(self.kind(term.keep, within), "a condition", term.at)
        body = self.kind(term.body, within)
        if term.macro in ("map", "filter"):
            return "list"
        self._expect_truth(body, "a condition", term.at)
        return "bool"

    def _expect_truth(self, kind: str, what: str, at: int) -> None:
        if kind not in _TRUTHS:
            self._report(at, f"{what} does not work on {kind}")

    def _expect_optional(self, term: Term, scope: dict[str, str], *, is_optional: bool) -> None:
        kind = self.kind(term, scope)
        if is_optional and kind not in _OPTIONALS:
            self._report(term.at, f"an optional is expected after ?, not {kind}")


def _shown(function: str) -> str:
    """`+` for `_+_`, `size()` for `size`."""
    if function == "@in":
        return "in"
    if function in ("_[_]", "_[?_]", "_?._"):
        return {"_[_]": "[ ]", "_[?_]": "[? ]", "_?._": ".?"}[function]
    return function.strip("_") if "_" in function else f"{function}()"
