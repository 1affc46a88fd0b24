"""The variables that an expression reads, with their places in its text."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from toolweave.cel.language import Expression, compile_text
from toolweave.cel.syntax import Comprehension, Let, Literal, Name, Term, parts_of
from toolweave.cel.tokens import Token, cel_tokens
from toolweave.cel.values import KIND_NAMES

# From a use to the range to replace and the new text; nothing if it stays.
Change: TypeAlias = "Callable[[VariableUse], tuple[int, int, str] | None]"


@dataclass(frozen=True, slots=True)
class MemberAccess:
    """A step into a value: `.key`, `.?key`, `['key']`; where it ends in the text."""

    key: str
    end: int
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class VariableUse:
    """One place where an expression reads a variable, and the first two steps from there."""

    name: str
    start: int
    end: int
    steps: tuple[MemberAccess, ...]
    # The range of `has()` if it asks for nothing else.
    test: tuple[int, int] | None = None


def variable_uses(expression: Expression) -> list[VariableUse]:
    """Every use of a variable that no macro binds, in the order of the text."""
    if expression.term is None:
        return []
    words = cel_tokens(expression.text)
    places = {word.at: index for index, word in enumerate(words)}
    found: dict[int, VariableUse] = {}
    for name in _free(expression.term, frozenset()):
        index = places.get(name.at)
        if index is not None:
            index += words[index].text == "."  # `.name` is never bound by a macro
            found[name.at] = _use(words, index)
    return [found[at] for at in sorted(found)]


def rewritten(expression: Expression, change: Change) -> str:
    """The text of an expression with some of its variables replaced."""
    text = expression.text
    for use in reversed(variable_uses(expression)):
        if (changed := change(use)) is not None:
            start, end, new = changed
            text = f"{text[:start]}{new}{text[end:]}"
    return text


def _free(term: Term, bound: frozenset[str]) -> Iterator[Name]:
    match term:
        case Name():
            is_free = term.is_outermost or term.name not in bound
            if is_free and (term.is_outermost or term.name not in KIND_NAMES):
                yield term
        case Comprehension():
            yield from _free(term.over, bound)
            for part in (term.keep, term.body):
                if part is not None:
                    yield from _free(part, bound | {term.variable})
        case Let():
            yield from _free(term.value, bound)
            yield from _free(term.body, bound | {term.variable})
        case _:
            for part in parts_of(term):
                yield from _free(part, bound)


def _use(words: list[Token], index: int) -> VariableUse:
    name = words[index]
    steps: list[MemberAccess] = []
    at = index + 1
    while len(steps) < 2 and (step := _step(words, at)) is not None:
        key, following = step
        is_optional = words[at + 1].text == "?"
        steps.append(MemberAccess(key, words[following - 1].end, is_optional))
        at = following
    before = [word.text for word in words[max(0, index - 2) : index]]
    is_test = before == ["has", "("] and words[at].text == ")"
    test = (words[index - 2].at, words[at].end) if is_test else None
    return VariableUse(name.text, name.at, name.end, tuple(steps), test)


def _step(words: list[Token], at: int) -> tuple[str, int] | None:
    """The key of a step and the index of the token after it."""
    opening = words[at].text
    if opening not in {".", "["}:
        return None
    inside = at + 1 + (words[at + 1].text == "?")
    key = words[inside]
    if opening == "." and key.kind in {"name", "template"}:
        # A method is no step.
        is_call = words[inside + 1].text == "("
        return None if is_call else (key.text.strip("`"), inside + 1)
    if opening == "[" and key.kind == "text" and words[inside + 1].text == "]":
        literal = compile_text(key.text).term
        if isinstance(literal, Literal) and isinstance(literal.value, str):
            return literal.value, inside + 2
    return None
