"""Every function and macro with its call syntax, for completion lists."""

from dataclasses import dataclass

from toolweave.cel.functions import is_method
from toolweave.cel.macros import LOOPS
from toolweave.cel.signatures import GROUP_NAMES, SIGNATURES, FunctionSignature


@dataclass(frozen=True, slots=True)
class FunctionEntry:
    """A function: whether it is called after a dot, what it takes, what it gives."""

    name: str
    is_method: bool
    call: str
    gives: str


def listed_functions() -> tuple[FunctionEntry, ...]:
    """All of them, by name."""
    return tuple(sorted((*map(_macro, LOOPS), _HAS, *_functions()), key=lambda one: one.name))


_HAS = FunctionEntry("has", False, "has(x.key)", "bool")
_GIVES = {"map": "list", "filter": "list"}


def _macro(name: str) -> FunctionEntry:
    body = "x.field" if name == "map" else "x > 0"
    return FunctionEntry(name, True, f".{name}(x, {body})", _GIVES.get(name, "bool"))


def _functions() -> list[FunctionEntry]:
    return [
        FunctionEntry(name, is_method(name), _call(name, signatures[0]), signatures[0].gives)
        for name, signatures in SIGNATURES.items()
        if name[0].isalpha()
    ]


def _call(name: str, signature: FunctionSignature) -> str:
    takes = [_kind(one) for one in signature.takes]
    if not is_method(name):
        return f"{name}({', '.join(takes)})"
    return f".{name}({', '.join(takes[1:])})"


def _kind(kinds: frozenset[str] | None) -> str:
    if kinds is None:
        return "any"
    return GROUP_NAMES.get(kinds) or " or ".join(sorted(kinds))
