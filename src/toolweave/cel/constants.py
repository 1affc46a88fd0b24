"""Parts of an expression that fail with any data: a pattern that is none, an index below zero, …

What has no variable in it is computed as a run would. A part that a run may pass over, such as
the other side of `||`, is a warning.
"""

from collections.abc import Iterator

from toolweave.cel.evaluator import Compiler
from toolweave.cel.fault import SyntaxProblem, fault_at
from toolweave.cel.functions import Unsupported
from toolweave.cel.syntax import (
    Comprehension,
    FunctionCall,
    ListLiteral,
    Literal,
    Term,
    parts_of,
)
from toolweave.cel.tokens import tokens
from toolweave.cel.values import Evaluation, Exhausted, Failed
from toolweave.patterns import pattern

_MAX_WORK = 10_000
_MAX_ROOM = 64 * 1024
_DATE = pattern(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?![\d.])")
_QUOTES = frozenset("'\"")
_CODE = "EXPRESSION_FAILED"


def constant_faults(text: str, term: Term) -> tuple[SyntaxProblem, ...]:
    """Return what fails whatever the variables are."""
    return (*_in_term(text, term, is_sure=True), *_dates(text))


def _in_term(text: str, term: Term, *, is_sure: bool) -> Iterator[SyntaxProblem]:
    if isinstance(term, FunctionCall):
        failed = _failed(term)
        if failed is not None:
            severity = "error" if is_sure else "warning"
            yield fault_at(text, term.at, _CODE, failed.message, failed.hint, severity)
            return
    for index, part in enumerate(parts_of(term)):
        yield from _in_term(text, part, is_sure=is_sure and _is_reached(term, index))


def _is_reached(term: Term, index: int) -> bool:
    """Whether a part of a term is computed in every run of it."""
    if isinstance(term, Comprehension):
        return index == 0
    if not isinstance(term, FunctionCall):
        return True
    if term.function == "_?_:_":
        return index == 0
    return term.function not in {"_&&_", "_||_", "orValue", "or"}


def _failed(term: FunctionCall) -> Failed | None:
    if _is_constant(term):
        return _computed(term)
    if term.function == "matches" and isinstance(term.arguments[-1], Literal):
        return _computed(
            FunctionCall("matches", (Literal("", term.at), term.arguments[-1]), term.at, True)
        )
    if term.function in {"_/_", "_%_"} and _is_zero(term.arguments[1]):
        return Failed("a number is divided by zero", hint="ask first: x != 0")
    if term.function == "_[_]" and _is_negative(term.arguments[1]):
        hint = "the last item of a list is x[size(x) - 1]"
        return Failed("an index below zero is in no list", hint=hint)
    return None


def _is_constant(term: Term) -> bool:
    if isinstance(term, Literal):
        return True
    is_call = isinstance(term, FunctionCall | ListLiteral)
    return is_call and bool(parts_of(term)) and all(map(_is_constant, parts_of(term)))


def _is_negative(term: Term) -> bool:
    if isinstance(term, FunctionCall) and term.function == "-_":
        term = term.arguments[0]
        return isinstance(term, Literal) and isinstance(term.value, int) and term.value > 0
    return isinstance(term, Literal) and isinstance(term.value, int) and term.value < 0


def _is_zero(term: Term) -> bool:
    """Whether it is a whole 0; a fraction may be divided by 0.0."""
    return isinstance(term, Literal) and type(term.value) is int and term.value == 0


def _computed(term: FunctionCall) -> Failed | None:
    """Why a call without variables fails; None if it does not, or takes too long to know."""
    compiler = Compiler()
    try:
        compute = compiler.computed(term)
        compute(Evaluation({}, compiler.slots, _MAX_WORK, _MAX_ROOM))
    except Failed as failed:
        return failed
    except (Unsupported, Exhausted, RecursionError, OverflowError):
        return None
    return None


def _dates(text: str) -> Iterator[SyntaxProblem]:
    """A day without quotes, which is a subtraction of numbers."""
    if _DATE.search(text) is None:
        return
    quoted = [range(word.at, word.end) for word in tokens(text) if word.text[-1:] in _QUOTES]
    for found in _DATE.finditer(text):
        if any(found.start() in one for one in quoted):
            continue
        message = f"{found[0]} without quotes is a subtraction of numbers"
        hint = f"write a text '{found[0]}', or timestamp('{found[0]}T00:00:00Z')"
        yield fault_at(text, found.start(), "EXPRESSION_TYPE", message, hint, "warning")
