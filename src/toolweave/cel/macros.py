"""CEL's macros: calls whose arguments are not values, but names and what is done with them."""

from toolweave.cel.fault import Malformed
from toolweave.cel.syntax import Comprehension, Let, LoopMacro, Member, Name, Term

LOOPS: dict[str, LoopMacro] = {
    "map": "map",
    "filter": "filter",
    "all": "all",
    "exists": "exists",
    "exists_one": "exists_one",
}


def has(arguments: tuple[Term, ...], at: int) -> Member:
    """`has(x.key)`. Raises `Malformed`: it asks for anything but one member."""
    match arguments:
        case (Member(is_test=False) as asked,):
            return Member(asked.of, asked.key, True, asked.at)
        case _:
            message = "has() takes one member: has(x.key)"
            raise Malformed(at, message, "ask for any other key with 'key' in x")


def loop(macro: LoopMacro, over: Term, arguments: tuple[Term, ...], at: int) -> Comprehension:
    """Parse `over.map(x, …)`, `over.filter(x, …)` and similar macros. Raises `Malformed`."""
    match macro, arguments:
        case "map", (name, keep, body):
            return Comprehension(macro, _variable(macro, name), over, keep, body, at)
        case "filter", (name, keep):
            variable = _variable(macro, name)
            return Comprehension(macro, variable, over, keep, Name(variable, name.at), at)
        case _, (name, body):
            return Comprehension(macro, _variable(macro, name), over, None, body, at)
        case _:
            message = f"{macro}() takes a name and an expression: {macro}(x, …)"
            raise Malformed(at, message)


def let(arguments: tuple[Term, ...], at: int) -> Let:
    """Parse `cel.bind(x, value, body)`. Raises `Malformed`."""
    match arguments:
        case (name, value, body):
            return Let(_variable("cel.bind", name), value, body, at)
        case _:
            raise Malformed(
                at, "cel.bind() takes a name and two expressions: cel.bind(x, value, …)"
            )


def _variable(macro: str, term: Term) -> str:
    if isinstance(term, Name) and not term.is_outermost:
        return term.name
    raise Malformed(term.at, f"{macro}() takes a plain name first, as in {macro}(x, …)")
