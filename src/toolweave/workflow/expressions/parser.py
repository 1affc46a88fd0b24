"""Google's CEL parser and checker, behind our own types: the only module that imports it."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

# pyright: reportMissingTypeStubs=false
# Its stubs are there, but it does not say so.
from cel_expr_python import cel
from cel_expr_python.ext import ext_bindings, ext_encoders, ext_math, ext_optional, ext_strings

from toolweave.workflow.expressions.fault import Fault, fault_at
from toolweave.workflow.expressions.syntax import Term, read_tree
from toolweave.workflow.expressions.tokens import tokens

MAX_CHARS = 10_000
# Names that are declared beforehand: to declare others takes the checker five milliseconds.
USUAL_NAMES = frozenset(
    {"config", "content", "context", "data", "error", "index", "inputs", "item", "nodes"}
    | {"result", "run", "trigger", "variables", "workflow"}
)
_NO_NAMES: frozenset[str] = frozenset()
# They write their receiver out twice, so that twenty of them fill the memory.
_REFUSED = frozenset({"optMap", "optFlatMap"})
_COMPLAINT = re.compile(r"^(?:[A-Z_]+: )?ERROR: <input>:(-?\d+):(-?\d+): (.*)", re.MULTILINE)
_OVERLOAD = re.compile(r"found no matching overload for '(.*)' applied to '\((.*)\)'")
_UNDECLARED = re.compile(r"undeclared reference to '(.*)' \(in container ''\)")
_NUMBERS = frozenset({"int", "uint", "double"})
_COMPARISONS = frozenset({"_<_", "_<=_", "_>_", "_>=_"})
_EQUALITIES = frozenset({"_==_", "_!=_"})
_HABITS = {
    "===": "CEL compares with ==",
    "!==": "CEL compares with !=",
    "=": "CEL compares with ==",
    "and": "CEL writes && for and",
    "or": "CEL writes || for or",
    "not": "CEL writes ! for not",
    "&": "CEL writes && for and",
    "|": "CEL writes || for or",
    "is": "CEL compares with ==",
    "?.": "CEL writes .? for a member that may be missing",
    "??": "CEL writes .orValue(x) after a member with .?",
    "=>": "CEL writes list.map(x, …) without an arrow",
    "$…": "a name cannot begin with $; older references are translated when a file is loaded",
    "`…": "CEL has no template texts; join texts with +",
}


# Signs that can only be a habit, wherever they stand.
_SIGNS = frozenset({"===", "!==", "?.", "??", "=>"})
_UNEXPECTED = re.compile(r"(?:at:|input) '(.*?)'(?: expecting|$| \[INVALID)")


class Parsed(NamedTuple):
    """The tree of a text, or everything that is wrong with it."""

    term: Term | None
    faults: tuple[Fault, ...] = ()


class Checked(NamedTuple):
    """What the checker says: the kind of the result where it is known, and what does not fit."""

    kind: str | None
    faults: tuple[Fault, ...] = ()


def parse(text: str) -> Parsed:
    """The tree of an expression."""
    if len(text) > MAX_CHARS:
        message = f"{len(text)} characters; an expression has at most {MAX_CHARS}"
        return Parsed(None, (_invalid(text, 0, message),))
    if not text.strip():
        return Parsed(None, (_invalid(text, 0, "the expression is empty"),))
    if refused := next((word for word in tokens(text) if word.text in _REFUSED), None):
        message = f"{refused.text} is not available"
        return Parsed(None, (_invalid(text, refused.at, message, "write has(x) ? … : …"),))
    try:
        text.encode()
        compiled = _environment(_NO_NAMES).compile(text, disable_check=True)
    except UnicodeEncodeError as error:
        return Parsed(None, (_invalid(text, error.start, "no valid Unicode character"),))
    except RuntimeError as error:
        return Parsed(None, tuple(_syntax_faults(text, str(error))))
    return Parsed(read_tree(compiled.serialize()))


def check(text: str, names: frozenset[str]) -> Checked:
    """What can be said of the types in an expression that parses, over these variables."""
    names = _NO_NAMES if names <= USUAL_NAMES else names
    try:
        compiled = _environment(names).compile(text)
        return Checked(compiled.return_type().name().partition("<")[0].lower())
    except RuntimeError as error:
        return Checked(None, tuple(_type_faults(text, str(error))))


@lru_cache(maxsize=64)
def _environment(names: frozenset[str]) -> cel.Env:
    contains = cel.Overload(
        "list_contains",
        return_type=cel.Type.BOOL,
        parameters=[cel.Type.List(cel.Type.DYN), cel.Type.DYN],
        is_member=True,
    )
    return cel.NewEnv(
        variables=dict.fromkeys(sorted(USUAL_NAMES | names), cel.Type.DYN),
        extensions=[
            ext_bindings.ExtBindings(),
            ext_encoders.ExtEncoders(),
            ext_math.ExtMath(),
            ext_optional.ExtOptional(),
            ext_strings.ExtStrings(),
            cel.CelExtension("toolweave", [cel.FunctionDecl("contains", [contains])]),
        ],
    )


def _complaints(text: str, error: str) -> Iterator[tuple[int, str]]:
    """The offset and words of each complaint; without a place it is of the whole text."""
    starts = [0, *(place + 1 for place, character in enumerate(text) if character == "\n")]
    for line, column, words in _COMPLAINT.findall(error):
        is_placed = 0 < int(line) <= len(starts) and int(column) > 0
        yield (starts[int(line) - 1] + int(column) - 1 if is_placed else 0), words


def _syntax_faults(text: str, error: str) -> Iterator[Fault]:
    if "recursion" in error:
        hint = "split it, or build a text from several {{ … }}"
        yield _invalid(text, 0, "the expression is nested too deeply; 32 levels are read", hint)
        return
    found = [one for one in _complaints(text, error) if "parsetree" not in one[1]]
    # What is told after the first fault is mostly its consequence.
    offset, words = (found or [(0, "the expression cannot be read")])[0]
    yield _invalid(text, offset, _plain(words), _habit(text, offset))


def _plain(words: str) -> str:
    """The parser's words without its own jargon and its list of all that could have been."""
    if "'<EOF>'" in words:
        return "the expression ends too early"
    if unexpected := _UNEXPECTED.search(words):
        if unexpected[1].startswith(("'", '"')):
            return "a text is not closed, or has a backslash that means nothing"
        return f"{unexpected[1].strip()!r} is not expected here"
    return words.removeprefix("Syntax error: ").removesuffix(" [INVALID_ARGUMENT]")


def _habit(text: str, offset: int) -> str | None:
    """What other languages write where CEL stumbled, or before."""
    words = list(tokens(text))
    at_fault = [word for word in words if word.at <= offset < word.at + len(word.text)]
    before = [word for word in words if word.at + len(word.text) <= offset][-1:]
    signs = [word for word in words if word.text in _SIGNS]
    for word in (*at_fault, *before, *signs):
        if hint := _HABITS.get(word.text) or _HABITS.get(f"{word.text[0]}…"):
            return hint
    return None


def _type_faults(text: str, error: str) -> Iterator[Fault]:
    for offset, words in _complaints(text, error):
        if overload := _OVERLOAD.search(words):
            yield from _overload_fault(text, offset, overload[1], overload[2].split(", "))
        elif undeclared := _UNDECLARED.search(words):
            message = f"there is no function {undeclared[1]!r}"
            yield fault_at(text, offset, "EXPRESSION_FUNCTION_UNKNOWN", message)
        else:
            hint = "a key with a hyphen is written in brackets: x['a-b']" if "-" in text else None
            yield fault_at(text, offset, "EXPRESSION_TYPE", words, hint)


def _overload_fault(text: str, offset: int, function: str, kinds: list[str]) -> Iterator[Fault]:
    """What would fail when it runs; what runs but never holds is a warning."""
    is_numeric = set(kinds) <= _NUMBERS
    sign = _sign(function)
    if function == "_?_:_" and kinds[0] in ("bool", "dyn"):
        return  # branches of two kinds run well
    if function in _COMPARISONS and is_numeric:
        return  # numbers of all kinds compare
    if function in _EQUALITIES or (function == "@in" and kinds[1].startswith(("list", "map"))):
        outer = {kind.partition("(")[0] for kind in kinds}
        if function != "@in" and len(outer) == 2 and not is_numeric:
            message = f"{' and '.join(kinds)} are never equal"
            yield fault_at(text, offset, "EXPRESSION_TYPE", message, severity="warning")
        return
    hint = "write double(x) around the whole number" if is_numeric and len(kinds) > 1 else None
    message = f"{sign} does not work on {' and '.join(kinds)}"
    yield fault_at(text, offset, "EXPRESSION_TYPE", message, hint)


def _sign(function: str) -> str:
    """`+` for `_+_`, `size()` for `size`."""
    if function == "@in":
        return "in"
    return function.replace("_", " ").strip() if "_" in function else f"{function}()"


def _invalid(text: str, offset: int, message: str, hint: str | None = None) -> Fault:
    return fault_at(text, offset, "EXPRESSION_INVALID", message, hint)
