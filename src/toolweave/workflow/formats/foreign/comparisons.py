"""Comparisons that are other operations in CEL: `indexOf(x) !== -1`, `typeof x === 'string'`."""

from toolweave.workflow.formats.foreign.cel_piece import (
    RELATION,
    SIGN,
    CelPiece,
    dotted_name,
)
from toolweave.workflow.formats.foreign.methods import whole_number
from toolweave.workflow.formats.foreign.tree import Call, Constant, FieldAccess, NotReadable, Tree

_TYPES = {
    "string": ("string",),
    "boolean": ("bool",),
    "number": ("int", "double"),
    "object": ("map", "list", "null_type"),
}
_THERE = frozenset({("!=", -1), (">", -1), (">=", 0)})
_NOT_THERE = frozenset({("==", -1), ("<", 0), ("<=", -1)})


def is_match(tree: Tree) -> bool:
    """Whether a pattern is looked for, which gives what is found, or nothing."""
    match tree:
        case Call(of=FieldAccess(key="match"), arguments=(Constant(is_regex=True),)):
            return True
        case Call(arguments=(Constant(text=str()), _)):
            return dotted_name(tree.of) in {"re.search", "re.match"}
        case _:
            return False


def compared_index(one: Tree, sign: str, two: Tree) -> tuple[Tree, bool] | None:
    """The call that asks whether something is contained, and whether it should be."""
    match one, whole_number(two):
        case Call(of=FieldAccess(of=of, key="indexOf" | "find"), arguments=(_,)), int() as number:
            is_there = (sign, number) in _THERE
            if is_there or (sign, number) in _NOT_THERE:
                contains = FieldAccess(of, "contains", is_optional=False)
                return Call(contains, one.arguments), is_there
        case _:
            pass
    return None


def compared_type(of: CelPiece, sign: str, named: Tree) -> CelPiece:
    """`type(x) == string` for `typeof x === 'string'`."""
    types = _TYPES.get(named.text or "", ()) if isinstance(named, Constant) else ()
    if not types or sign not in {"==", "!="}:
        raise NotReadable
    if len(types) == 1:
        return CelPiece(f"type({of.text}) {sign} {types[0]}", RELATION, "bool")
    text = f"type({of.text}) in [{', '.join(types)}]"
    return (
        CelPiece(text, RELATION, "bool") if sign == "==" else CelPiece(f"!({text})", SIGN, "bool")
    )
