"""Pieces of CEL: how they are joined so that each keeps its meaning."""

from dataclasses import dataclass

from toolweave.cel.functions import is_method
from toolweave.cel.paths import quoted
from toolweave.cel.signatures import SIGNATURES
from toolweave.cel.syntax import NAMESPACES
from toolweave.cel.tokens import is_name
from toolweave.workflow.formats.foreign.tree import Constant, FieldAccess, ForeignName, Tree
from toolweave.workflow.formats.foreign.vocabulary import Pattern, Sort

# How tightly CEL binds.
CHOICE, OR, AND, RELATION, SUM, PRODUCT, SIGN, POSTFIX = range(1, 9)
LEVELS = {
    "||": OR,
    "&&": AND,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in"), RELATION),
    **dict.fromkeys("+-", SUM),
    **dict.fromkeys("*/%", PRODUCT),
}
OR_NULL = ".orValue(null)"


@dataclass(frozen=True, slots=True)
class CelPiece:
    """A piece of CEL, how tightly it binds, and the sort of its value if known."""

    text: str
    level: int = POSTFIX
    sort: Sort = "any"

    def inside(self, level: int) -> str:
        """The text where something binds at `level`."""
        return self.text if self.level >= level else f"({self.text})"


def joined_text(pieces: list[CelPiece]) -> CelPiece:
    """The text that pieces make together; values of other sorts are converted."""
    texts = [
        one.inside(PRODUCT if at else SUM) if one.sort == "text" else f"string({one.text})"
        for at, one in enumerate(pieces)
    ]
    if not texts:
        return CelPiece("''", sort="text")
    return CelPiece(" + ".join(texts), SUM if len(texts) > 1 else POSTFIX, "text")


def filled(pattern: Pattern, values: list[CelPiece]) -> CelPiece:
    """A pattern of the vocabulary with its values."""
    text, sort = pattern
    given = [
        one.text if f"({{{at}}}" in text or f"({{{at}}})" in text else one.inside(POSTFIX)
        for at, one in enumerate(values)
    ]
    signs = [level for sign, level in LEVELS.items() if f" {sign} " in text]
    level = SIGN if text[0] == "!" else min(signs, default=POSTFIX)
    return CelPiece(text.format(*given), level, sort)


def membership(first: CelPiece, sign: str, second: CelPiece) -> CelPiece:
    """Whether one piece is in another: `in`, `not in` or `contains`."""
    if sign == "contains":
        return CelPiece(f"{first.inside(POSTFIX)}.contains({second.text})", sort="bool")
    text = f"{first.inside(SUM)} in {second.inside(SUM)}"
    if second.sort == "text":
        text = f"{second.inside(POSTFIX)}.contains({first.text})"
    if sign == "in":
        return CelPiece(text, POSTFIX if second.sort == "text" else RELATION, "bool")
    return CelPiece(f"!({text})", SIGN, "bool")


def member(base: str, step: FieldAccess) -> CelPiece:
    """`base.key`; a missing value of an optional chain is null."""
    chain = base.removesuffix(OR_NULL)
    # The variable that a chain begins with always exists: its `?.` matters in a longer chain only.
    is_guarded = step.is_optional and not isinstance(step.of, ForeignName)
    if is_guarded and isinstance(step.of, FieldAccess) and _is_first_guard(step.of):
        chain = f"{chain.removesuffix(f'.{step.of.key}')}.?{step.of.key}"
    if is_name(step.key):
        key = f"{'.?' if is_guarded else '.'}{step.key}"
    else:
        key = f"[{'?' if is_guarded else ''}{quoted(step.key)}]"
    is_optional = is_guarded or chain != base
    return CelPiece(f"{chain}{key}{OR_NULL if is_optional else ''}")


def _is_first_guard(step: FieldAccess) -> bool:
    return step.is_optional and isinstance(step.of, ForeignName) and is_name(step.key)


def sort_of(tree: Constant) -> Sort:
    """The sort of a constant."""
    if tree.text is not None:
        return "text"
    if tree.cel in {"true", "false"}:
        return "bool"
    return "any" if tree.cel == "null" else "number"


def is_native_function(name: str) -> bool:
    """Whether CEL has a function of this name."""
    return name.partition(".")[0] in NAMESPACES or (name in SIGNATURES and not is_method(name))


def plain_name(name: str) -> str:
    """A name without the differences in spelling between languages."""
    return name.replace("_", "").lower()


def dotted_name(tree: Tree) -> str:
    """`name` or `name.key`; empty for anything else."""
    match tree:
        case ForeignName():
            return tree.name
        case FieldAccess(of=ForeignName(name=name)):
            return f"{name}.{tree.key}"
        case _:
            return ""
