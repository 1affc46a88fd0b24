"""Every function an expression can call, by the name the parser gives it."""

import operator
from collections.abc import Callable
from typing import TypeAlias

from toolweave.cel import operators
from toolweave.cel.formatting import format_text
from toolweave.cel.numbers import MATH_FUNCTIONS
from toolweave.cel.syntax import FunctionCall
from toolweave.cel.texts import TEXT_FUNCTIONS
from toolweave.cel.times import GETTERS
from toolweave.cel.values import Cel, equal
from toolweave.problems import did_you_mean

Function: TypeAlias = Callable[..., Cel]

FUNCTIONS: dict[str, tuple[tuple[int, ...], Function]] = {
    "_+_": ((2,), operators.add),
    "_-_": ((2,), operators.subtract),
    "_*_": ((2,), operators.multiply),
    "_/_": ((2,), operators.divide),
    "_%_": ((2,), operators.remainder),
    "-_": ((1,), operators.negate),
    "!_": ((1,), operators.invert),
    "_==_": ((2,), equal),
    "_!=_": ((2,), operators.unequal),
    "_<_": ((2,), operators.compared("<", operator.lt)),
    "_<=_": ((2,), operators.compared("<=", operator.le)),
    "_>_": ((2,), operators.compared(">", operator.gt)),
    "_>=_": ((2,), operators.compared(">=", operator.ge)),
    "@in": ((2,), operators.is_in),
    "_[_]": ((2,), operators.index),
    "_[?_]": ((2,), operators.find),
    "_?._": ((2,), operators.find),
    "size": ((1,), operators.size),
    "type": ((1,), operators.kind),
    "dyn": ((1,), operators.same),
    "int": ((1,), operators.to_int),
    "uint": ((1,), operators.to_uint),
    "double": ((1,), operators.to_double),
    "bool": ((1,), operators.to_bool),
    "string": ((1,), operators.to_string),
    "bytes": ((1,), operators.to_bytes),
    "timestamp": ((1,), operators.to_timestamp),
    "duration": ((1,), operators.to_duration),
    "format": ((2,), format_text),
    **TEXT_FUNCTIONS,
    **MATH_FUNCTIONS,
    **{name: ((1, 2), getter) for name, getter in GETTERS.items()},
}
# Those that need not look at all their arguments.
_LAZY = frozenset({"or", "orValue"})
# Those that are called by themselves; these two after a dot as well, and all others only there.
_GLOBAL = frozenset(
    {"size", "type", "dyn", "int", "uint", "double", "bool", "string", "bytes", "timestamp"}
    | {"duration", "matches"}
)
_ALSO_METHODS = frozenset({"size", "matches"})
FUNCTION_NAMES = frozenset(name for name in FUNCTIONS if name[0].isalpha()) | _LAZY


class Unsupported(Exception):
    """A part of an expression that the parser knows and we do not run."""

    def __init__(self, code: str, message: str, at: int, hint: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.at = at
        self.hint = hint


def function_of(term: FunctionCall) -> Function:
    """Return the function of a call. Raises `Unsupported` if there is none with these arguments."""
    counts, function = FUNCTIONS.get(term.function, ((), None))
    if function is None:
        message = f"there is no function {term.function!r}"
        hint = _suggestion(term.function)
        raise Unsupported("EXPRESSION_FUNCTION_UNKNOWN", message, term.at, hint)
    if not _is_called_well(term):
        at_dot = not term.is_method
        hint = f"write x.{term.function}()" if at_dot else f"write {term.function}(x)"
        message = f"{term.function}() is {'only ' if at_dot else 'not '}called after a dot"
        raise Unsupported("EXPRESSION_FUNCTION_UNKNOWN", message, term.at, hint)
    if len(term.arguments) not in counts:
        message = f"{term.function}() does not take {len(term.arguments)} values"
        raise Unsupported("EXPRESSION_FUNCTION_UNKNOWN", message, term.at)
    return function


def is_method(function: str) -> bool:
    """Whether a function is called after a dot; one with a namespace never is."""
    return function.isalnum() and function not in _GLOBAL


def _is_called_well(term: FunctionCall) -> bool:
    if not term.function.isalnum():
        return True  # an operator, or a function with its namespace
    if term.is_method:
        return term.function not in _GLOBAL or term.function in _ALSO_METHODS
    return term.function in _GLOBAL


def _suggestion(function: str) -> str | None:
    space, dot, _ = function.rpartition(".")
    if not dot:
        return did_you_mean(function, FUNCTION_NAMES)
    inside = sorted(name for name in FUNCTION_NAMES if name.startswith(f"{space}."))
    return f"there are {', '.join(inside)}"
