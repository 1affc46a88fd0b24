"""Types in expressions, where schemas say what the values are. Not a check: `data_flow` uses it."""

from toolweave.cel.checker import check as check_types
from toolweave.cel.fault import SyntaxProblem
from toolweave.cel.paths import Path
from toolweave.workflow.model import Node
from toolweave.workflow.scope.references import NodeReferences
from toolweave.workflow.scope.scope import Scope
from toolweave.workflow.shapes import Kind

_CEL_KINDS: dict[frozenset[Kind], str] = {
    frozenset({"string"}): "string",
    frozenset({"integer"}): "int",
    frozenset({"boolean"}): "bool",
    frozenset({"array"}): "list",
    frozenset({"object"}): "map",
}
_NUMBER: frozenset[Kind] = frozenset({"integer", "fraction"})


def type_faults(scope: Scope, node: Node, asked: NodeReferences) -> tuple[SyntaxProblem, ...]:
    """What cannot work with values of the known types; all references must be valid."""
    expression = asked.expression
    if expression is None or expression.term is None or expression.path or not expression.kind:
        return ()
    is_mixed = False

    def kind_of(number: str, path: Path) -> str:
        nonlocal is_mixed
        found = scope.find(node, path, asked.language)
        if found.trouble or found.shape.is_unknown:
            return "dyn"
        if found.shape.kinds == _NUMBER:
            is_mixed = True
            return number
        return _CEL_KINDS.get(found.shape.kinds, "dyn")

    known = set(expression.faults)
    text, term = expression.text, expression.term
    faults = check_types(text, term, lambda path: kind_of("double", path)).faults
    if faults and is_mixed:
        # A number may be whole or not: only what fails for both is certain.
        whole = check_types(text, term, lambda path: kind_of("int", path)).faults
        places = {one.column for one in whole}
        faults = tuple(one for one in faults if one.column in places)
    return tuple(one for one in faults if one not in known)
