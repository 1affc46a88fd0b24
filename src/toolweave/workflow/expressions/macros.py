"""Which macro a fold came from, told by its shape: the parser has expanded them all."""

from dataclasses import dataclass

from toolweave.workflow.expressions.syntax import Call, Fold, Items, Literal, Name, Term


@dataclass(frozen=True, slots=True)
class Collect:
    """`map(x, element)`, `map(x, keep, element)` and `filter(x, keep)`."""

    element: Term
    keep: Term | None


@dataclass(frozen=True, slots=True)
class Quantify:
    """`all(x, predicate)`, which one false decides, and `exists`, which one true decides."""

    predicate: Term
    decisive: bool


@dataclass(frozen=True, slots=True)
class Count:
    """`exists_one(x, predicate)`."""

    predicate: Term


@dataclass(frozen=True, slots=True)
class Let:
    """`cel.bind(x, value, body)`."""

    value: Term
    body: Term


Macro = Collect | Quantify | Count | Let


def macro_of(fold: Fold) -> Macro | None:
    """The macro; nothing for one that we do not know."""
    match fold.start, fold.step:
        case Items(items=()), Call("_+_", (Name(), Items(items=(element,)))):
            return Collect(element, None)
        case Items(items=()), Call("_?_:_", (keep, Call("_+_", (_, Items(items=(element,)))), _)):
            return Collect(element, keep)
        case Literal(value=True), Call("_&&_", (Name(), predicate)):
            return Quantify(predicate, decisive=False)
        case Literal(value=False), Call("_||_", (Name(), predicate)):
            return Quantify(predicate, decisive=True)
        case Literal(value=0), Call("_?_:_", (predicate, Call("_+_"), _)):
            return Count(predicate)
        case value, Name() if isinstance(fold.over, Items) and not fold.over.items:
            return Let(value, fold.result)
        case _:
            return None
