"""CEL as the rest of the program uses it: `compile_text`, `references`, `evaluate`. Never raises.

A text is parsed once and remembered. An evaluation is bounded: about a tenth of a second of work
and 16 MB of values, whatever the expression and the data.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import TypeAlias

from toolweave.cel.budget import CURRENT
from toolweave.cel.checker import check
from toolweave.cel.closures import Computed
from toolweave.cel.constants import constant_faults
from toolweave.cel.evaluator import Compiler
from toolweave.cel.fault import SyntaxProblem, fault_at
from toolweave.cel.functions import Unsupported
from toolweave.cel.parser import parse
from toolweave.cel.paths import Path, PathReference, path_of, references_in
from toolweave.cel.result import to_json
from toolweave.cel.syntax import Term
from toolweave.cel.values import Evaluation, Exhausted, Failed
from toolweave.json_text import Json

# Steps of about 100 ns, and characters or bytes.
MAX_WORK = 1_000_000
MAX_ROOM = 16 * 1024 * 1024
# All remembered short texts together, and all others; each character takes up to about 120 bytes.
REMEMBERED_CHARS = 256 * 1024
_MAX_SHORT = 64
# Constants of other languages; ours has none of them, so they cannot be meant as names.
FOREIGN = frozenset({"True", "False", "None", "undefined"})


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression gave."""

    value: Json


Result: TypeAlias = Value | SyntaxProblem


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled text: the paths it reads, its problems and the type of its result.

    `kind` is CEL's word (`bool`, `int`, `string`, `list`, …), `dyn` where that is not known before
    it runs, and nothing where it cannot run.
    """

    text: str
    faults: tuple[SyntaxProblem, ...] = ()
    references: tuple[PathReference, ...] = ()
    kind: str | None = None
    compute: Computed | None = None
    slots: int = 0
    # The path that the whole expression is, where it is one.
    path: Path | None = None
    # Whether it reads as CEL, and names nothing that is a constant in another language.
    is_ours: bool = False
    term: Term | None = None

    @property
    def is_usable(self) -> bool:
        """Whether it can be evaluated."""
        return self.compute is not None


class _Recent:
    def __init__(self, max_chars: int) -> None:
        self._max_chars = max_chars
        self._chars = 0
        self._lock = Lock()
        self._found: OrderedDict[str, Expression] = OrderedDict()

    def expression(self, text: str) -> Expression:
        with self._lock:
            if text in self._found:
                self._found.move_to_end(text)
                return self._found[text]
            made = self._found[text] = _compiled(text)
            self._chars += len(text) + 1
            while self._chars > self._max_chars:
                oldest, _ = self._found.popitem(last=False)
                self._chars -= len(oldest) + 1
            return made


def compile_text(text: str) -> Expression:
    """Compile the expression in `text`, with all problems known before evaluation."""
    return _short(text) if len(text) <= _MAX_SHORT else _RECENT.expression(text)


def references(text: str) -> tuple[PathReference, ...]:
    """Return the paths that an expression reads; empty if it is invalid."""
    return compile_text(text).references


def evaluate(text: str, variables: Mapping[str, Json]) -> Result:
    """Evaluate an expression over these variables; return its value or problem."""
    expression = compile_text(text)
    if expression.compute is None:
        return next(fault for fault in expression.faults if fault.severity == "error")
    budget = CURRENT.get()
    work = MAX_WORK if budget is None else max(0, min(MAX_WORK, budget.left))
    run = Evaluation(variables, expression.slots, work, MAX_ROOM)
    try:
        return Value(to_json(expression.compute(run), MAX_ROOM))
    except Failed as failed:
        code = "EXPRESSION_FAILED"
        return fault_at(text, failed.at or 0, code, failed.message, failed.hint)
    except Exhausted as exhausted:
        hint = "process less data at a time"
        if budget is not None and run.work < 0 and work < MAX_WORK:
            budget.is_spent = True
            message = "the expressions of this step take too many steps together"
            return fault_at(text, 0, "EXPRESSION_LIMIT", message, hint)
        return fault_at(text, 0, "EXPRESSION_LIMIT", str(exhausted), hint)
    except (RecursionError, OverflowError):
        message = "a value is nested too deeply or a number is too large"
        return fault_at(text, 0, "EXPRESSION_LIMIT", message)
    finally:
        if budget is not None:
            budget.charge(work - max(run.work, 0), MAX_ROOM - run.room)


def _compiled(text: str) -> Expression:
    term, faults = parse(text)
    if term is None:
        return Expression(text, faults)
    read = references_in(term)
    compiler = Compiler()
    try:
        compute = compiler.computed(term)
    except Unsupported as found:
        fault = fault_at(text, found.at, found.code, found.message, found.hint)
        return Expression(text, (fault,), read)
    kind, faults = check(text, term)
    if kind and (constant := constant_faults(text, term)):
        faults = (*faults, *constant)
        kind = None if any(fault.severity == "error" for fault in constant) else kind
    is_foreign = any(one.root in FOREIGN for one in read)
    is_ours = not is_foreign and all(fault.severity != "error" for fault in faults)
    path = path_of(text, read) if kind == "dyn" else None
    usable = compute if kind else None
    return Expression(text, faults, read, kind, usable, compiler.slots, path, is_ours, term)


# Caches of a pure function, each for as many characters.
_RECENT = _Recent(REMEMBERED_CHARS)
_short = lru_cache(maxsize=REMEMBERED_CHARS // _MAX_SHORT)(_compiled)
