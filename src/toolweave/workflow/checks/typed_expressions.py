"""Types in expressions, where schemas say what the values are. Not a check: `data_flow` uses it."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from toolweave.cel.checker import check as check_types
from toolweave.cel.fault import SyntaxProblem, fault_at
from toolweave.cel.language import Expression, compile_text
from toolweave.cel.paths import Path, PathReference, path_in, quoted, write_path
from toolweave.cel.syntax import FunctionCall, Literal, Term
from toolweave.cel.tokens import tokens
from toolweave.json_text import Json
from toolweave.patterns import pattern
from toolweave.tools.meaning import meant
from toolweave.tools.misspelling import misspelt
from toolweave.workflow.checks.expression_rewrites import retyped
from toolweave.workflow.checks.path_rewriting import rewritten_by
from toolweave.workflow.model import Node
from toolweave.workflow.scope.references import Language, NodeReferences
from toolweave.workflow.scope.scope import Scope
from toolweave.workflow.shapes import Kind

_CEL_KINDS: dict[frozenset[Kind], str] = {
    frozenset({"string"}): "string",
    frozenset({"integer"}): "int",
    frozenset({"boolean"}): "bool",
    frozenset({"array"}): "list",
    frozenset({"object"}): "map",
}
_DIGITS = pattern(r"-?(?:0|[1-9]\d{0,14})(?:\.\d+)?")
_EQUALITY = frozenset({"_==_", "_!=_"})
_MAX_LISTED = 10
_NUMBER: frozenset[Kind] = frozenset({"integer", "fraction"})
_SCALARS: frozenset[Kind] = frozenset({"integer", "fraction", "boolean"})


def type_faults(scope: Scope, node: Node, asked: NodeReferences) -> tuple[SyntaxProblem, ...]:
    """What cannot work with values of the known types; all references must be valid."""
    expression = asked.expression
    return () if expression is None else _faults(scope, node, expression, asked.language)


def fits(scope: Scope, node: Node, expression: Expression, language: Language) -> bool:
    """Whether an expression has no fault, with the values that a node has."""
    return not expression.faults and not _faults(scope, node, expression, language)


def _faults(
    scope: Scope, node: Node, expression: Expression, language: Language
) -> tuple[SyntaxProblem, ...]:
    if expression.term is None or expression.path or not expression.kind:
        return ()
    is_mixed = False

    def kind_of(number: str, path: Path) -> str:
        nonlocal is_mixed
        found = scope.find(node, path, language)
        if found.trouble or found.shape.is_unknown:
            return "dyn"
        if found.shape.kinds == _NUMBER:
            is_mixed = True
            return number
        # An operation that does not work on a kind does not work on null either.
        return _CEL_KINDS.get(found.shape.kinds - {"null"}, "dyn")

    text, term = expression.text, expression.term
    kinds = {one.path: kind_of("double", one.path) for one in expression.references}
    # Where all kinds are known, the same text is fine wherever they are the same.
    is_known = "dyn" not in kinds.values()
    if is_known and _is_fine(text, tuple(kinds.items())):
        return ()
    faults = check_types(text, term, lambda path: kind_of("double", path)).faults
    if faults and is_mixed:
        # A number may be whole or not: only what fails for both is certain.
        whole = check_types(text, term, lambda path: kind_of("int", path)).faults
        places = {one.column for one in whole}
        faults = tuple(one for one in faults if one.column in places)
    known = set(expression.faults)
    return tuple(one for one in faults if one not in known)


@lru_cache(maxsize=2_048)
def _is_fine(text: str, kinds: tuple[tuple[Path, str], ...]) -> bool:
    """Whether an expression has no fault when its references are of these kinds."""
    known = dict(kinds)
    term = compile_text(text).term
    return term is not None and not check_types(text, term, lambda p: known.get(p, "dyn")).faults


def never_equal(
    scope: Scope, node: Node, asked: NodeReferences
) -> Iterator[tuple[SyntaxProblem, str | None]]:
    """Comparisons with a text that is not an option of a value; with the intended option."""
    expression = asked.expression
    if expression is None or expression.term is None:
        return
    waiting: list[Term] = [expression.term]
    while waiting:
        term = waiting.pop()
        if not isinstance(term, FunctionCall):
            continue
        waiting.extend(term.arguments)
        if term.function not in _EQUALITY:
            continue
        for one, other in (term.arguments, term.arguments[::-1]):
            path = path_in(one, ())
            if path is None or not isinstance(other, Literal) or not isinstance(other.value, str):
                continue
            found = scope.find(node, path, asked.language)
            options = found.shape.options if found.trouble is None else None
            if options and other.value not in options:
                message = f"{write_path(path)} is never {other.value!r}"
                listed = ", ".join(repr(option) for option in options[:_MAX_LISTED])
                fault = fault_at(
                    expression.text,
                    other.at,
                    "EXPRESSION_TYPE",
                    message,
                    f"it is one of {listed}",
                    "warning",
                )
                yield fault, _with_option(expression.text, other, options, path)


def _with_option(text: str, literal: Literal, options: Sequence[Json], path: Path) -> str | None:
    """The expression with the only option that a text means in place of it."""
    given, about = str(literal.value), next((one for one in path[::-1] if isinstance(one, str)), "")
    texts = [one for one in options if isinstance(one, str)]
    slip = misspelt(given, texts)
    found = [slip] if slip else meant(given, texts, about)
    word = next((one for one in tokens(text) if one.at == literal.at), None)
    if len(found) != 1 or word is None:
        return None
    return f"{text[: word.at]}{quoted(found[0])}{text[word.end :]}"


def type_repair(scope: Scope, node: Node, asked: NodeReferences) -> str | None:
    """The only conversion of one operand with which the types fit; None if there are more."""
    found = [
        text
        for text in dict.fromkeys(_converted(scope, node, asked))
        if (expression := compile_text(text)).is_usable
        and not expression.faults
        and not type_faults(scope, node, asked._replace(expression=expression))
    ]
    if not found and (whole := _all_as_text(scope, node, asked)) is not None:
        expression = compile_text(whole)
        is_right = expression.is_usable and not expression.faults
        asked = asked._replace(expression=expression)
        return whole if is_right and not type_faults(scope, node, asked) else None
    return found[0] if len(found) == 1 else None


def _all_as_text(scope: Scope, node: Node, asked: NodeReferences) -> str | None:
    """The sum of texts with every value that is no text as one."""
    text = asked.expression.text if asked.expression is not None else ""
    has_text = any(word.text[:1] in "\"'" for word in tokens(text))
    if not has_text or "+" not in text or asked.is_condition:
        return None
    if (
        asked.expression is None
        or asked.expression.term is None
        or _adds_first(asked.expression.term)
    ):
        return None
    for path in dict.fromkeys(one.path for one in _references(asked)):
        found = scope.find(node, path, asked.language)
        if found.trouble is None and found.shape.kinds <= _SCALARS:
            text = rewritten_by(text, path, "string({})") or text
    return text


def _adds_first(term: Term) -> bool:
    """Whether two values are added before a text is: `n + m + 'x'` joins their sum or both."""
    if not isinstance(term, FunctionCall):
        return False
    plain = not any(
        isinstance(part, FunctionCall | Literal) and _has_text(part) for part in term.arguments
    )
    if term.function == "_+_" and plain:
        return True
    return any(_adds_first(part) for part in term.arguments)


def _has_text(term: Term) -> bool:
    if isinstance(term, Literal):
        return isinstance(term.value, str)
    return isinstance(term, FunctionCall) and any(map(_has_text, term.arguments))


def _converted(scope: Scope, node: Node, asked: NodeReferences) -> Iterator[str]:
    """The expression with one value as text, or one whole number as a fraction."""
    text = asked.expression.text if asked.expression is not None else ""
    words = list(tokens(text))
    has_text = any(word.text[:1] in "\"'" for word in words)
    # What a text is joined with in a condition may be a mistake of another kind.
    if has_text and "+" in text and asked.expression is not None and not asked.is_condition:
        for path in dict.fromkeys(one.path for one in asked.expression.references):
            if changed := rewritten_by(text, path, "string({})"):
                yield changed
    yield from _unquoted(text)
    yield from (one for one in retyped(text) if one != text)
    if not has_text:
        yield from _with_fractions(text)
    for path in dict.fromkeys(one.path for one in _references(asked)):
        # A text and a number may be joined as well as added.
        is_text = "+" in text and "string" in scope.find(node, path, asked.language).shape.kinds
        if not is_text and "." in text and (changed := rewritten_by(text, path, "double({})")):
            yield changed


def _references(asked: NodeReferences) -> Sequence[PathReference]:
    return asked.expression.references if asked.expression is not None else ()


def _unquoted(text: str) -> Iterator[str]:
    """The expression with `true` for `'true'` and `200` for `'200'`: one of them, and all."""
    quoted = [(word, plain) for word in tokens(text) if (plain := _plain_value(word.text))]
    chosen = [[one] for one in quoted] + ([quoted] if len(quoted) > 1 else [])
    for some in chosen:
        changed = text
        for word, plain in reversed(some):
            changed = changed[: word.at] + plain + changed[word.end :]
        yield changed


def _plain_value(word: str) -> str | None:
    """What is in the quotes of a boolean or a number."""
    inside = word[1:-1] if word[:1] in {"'", '"'} and word[-1:] == word[:1] else ""
    if inside.lower() in {"true", "false"}:
        return inside.lower()
    return inside if _DIGITS.fullmatch(inside) else None


def as_fraction(text: str) -> str | None:
    """The expression with one whole number as a fraction, if its types fit only then."""
    found = [one for one in _with_fractions(text) if not compile_text(one).faults]
    return found[0] if len(found) == 1 else None


def _with_fractions(text: str) -> Iterator[str]:
    before = ""
    for word in tokens(text):
        # `x[0]` is a place in a list.
        if word.text.isdecimal() and before not in {"[", "[?"}:
            yield f"{text[: word.at]}{word.text}.0{text[word.end :]}"
        before = word.text
