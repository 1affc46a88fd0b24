"""Expressions that are CEL and mean something else in the language they were written in."""

from toolweave.cel.fault import SyntaxProblem, fault_at
from toolweave.patterns import pattern

_QUOTED = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
_FORMAT = pattern(rf"(?P<form>{_QUOTED})\s*\.\s*format\(\s*(?P<given>\[?)")
_COMMENT = pattern(rf"{_QUOTED}|(?P<sign>//)(?P<rest>[^\n]*)$")
_GAP = pattern(r"\{\w*\}")
_NEGATIVE = pattern(rf"{_QUOTED}|(?<=[\w\])])(?P<index>\[\s*-\s*\d+\s*\])")


def misread(text: str) -> SyntaxProblem | None:
    """A warning for what means something else in Python and jq; None for most.

    `'{}'.format(x)`, `a // b`, `items[-1]`.
    """
    if ".format" in text:
        for found in _FORMAT.finditer(text):
            if _GAP.search(found["form"]) and not found["given"]:
                return _warning(
                    text,
                    found.start(),
                    "in CEL, format fills the gaps of '%s' with the items of a list",
                    "write 'Hello %s'.format([name]), or join the parts with +",
                )
    if "//" in text:
        for found in _COMMENT.finditer(text):
            if found["sign"] and text[: found.start()].strip():
                return _warning(
                    text,
                    found.start(),
                    "in CEL, // begins a comment: what follows is not evaluated",
                    "divide with /, give a default with .?field.orValue(x), or remove it",
                )
    if "-" in text and "[" in text:
        for found in _NEGATIVE.finditer(text):
            if found["index"]:
                return _warning(
                    text,
                    found.start(),
                    "in CEL, no item is before the first one: a negative index fails",
                    "count from the end with x[size(x) - 1]",
                )
    return None


def _warning(text: str, at: int, message: str, hint: str) -> SyntaxProblem:
    return fault_at(text, at, "EXPRESSION_MISREAD", message, hint, "warning")
