"""Pieces of CEL: how they are joined so that each keeps its meaning."""

from dataclasses import dataclass, replace

from toolweave.cel.functions import is_method
from toolweave.cel.paths import quoted
from toolweave.cel.signatures import SIGNATURES
from toolweave.cel.syntax import NAMESPACES
from toolweave.cel.tokens import is_name
from toolweave.workflow.formats.foreign.source_language import SourceLanguage
from toolweave.workflow.formats.foreign.tree import (
    Constant,
    FieldAccess,
    ForeignName,
    NotReadable,
    Tree,
)
from toolweave.workflow.formats.foreign.vocabulary import Pattern, Sort
from toolweave.workflow.shapes import ALL, UNKNOWN, Kind, ValueShape, look_up

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


_OF_SORT: dict[Sort, frozenset[Kind]] = {
    "bool": frozenset({"boolean"}),
    "text": frozenset({"string"}),
    "number": frozenset({"integer", "fraction"}),
    "whole": frozenset({"integer"}),
    "decimal": frozenset({"fraction"}),
    "list": frozenset({"array"}),
    "map": frozenset({"object"}),
    "any": ALL,
}
_BY_KINDS: dict[frozenset[Kind], Sort] = {kinds: sort for sort, kinds in _OF_SORT.items()}


@dataclass(frozen=True, slots=True)
class CelPiece:
    """A piece of CEL, how tightly it binds, and the sort of its value if known."""

    text: str
    level: int = POSTFIX
    sort: Sort = "any"
    # What the value is by its schema.
    shape: ValueShape = UNKNOWN
    # Whether the field that it reads may be missing.
    may_miss: bool = False
    # The optional that holds the value of a field; None for other pieces.
    optional: str | None = None
    # Whether it is null only where the chain that leads to it ends early.
    is_null_by_chain: bool = False

    def inside(self, level: int) -> str:
        """The text where something binds at `level`."""
        return self.text if self.level >= level else f"({self.text})"

    @property
    def kinds(self) -> frozenset[Kind]:
        """What the value may be."""
        return _OF_SORT[self.sort] if self.sort != "any" else self.shape.kinds

    @property
    def or_null(self) -> str:
        """The value, null where the field is missing."""
        if self.optional is None or not self.may_miss:
            return self.text
        return f"{self.optional}{OR_NULL}"


def shaped(
    text: str, shape: ValueShape, *, may_miss: bool = False, optional: str | None = None
) -> CelPiece:
    """A value of a known shape."""
    sort: Sort = _BY_KINDS.get(shape.kinds, "any")
    return CelPiece(text, POSTFIX, sort, shape, may_miss, optional)


def as_text(piece: CelPiece, language: SourceLanguage) -> str:
    """The value as a text, as the language writes it."""
    if piece.sort == "text":
        return piece.text
    if language == "python" and piece.sort == "bool":
        return f"({piece.inside(OR)} ? 'True' : 'False')"
    is_computed = piece.sort == "decimal" or (piece.sort == "number" and piece.shape is UNKNOWN)
    if language == "python" and is_computed:
        raise NotReadable  # it writes `2.0`
    if piece.kinds & {"array", "object", "null"} and piece.kinds != ALL:
        raise NotReadable
    return f"string({piece.text})"


def joined_text(pieces: list[CelPiece], language: SourceLanguage = "") -> CelPiece:
    """The text that pieces make together; values of other sorts are converted."""
    texts = [
        one.inside(PRODUCT if at else SUM) if one.sort == "text" else as_text(one, language)
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


def member(of: CelPiece, step: FieldAccess) -> CelPiece:
    """`of.key`; a missing value of an optional chain is null."""
    found = look_up(of.shape, step.key)
    is_open = found.verdict in {"absent", "unsaid"}
    shape = UNKNOWN if is_open else found.shape
    may_miss = of.shape.is_unknown or is_open or step.key not in of.shape.needed
    is_there = of.shape.kinds == _OF_SORT["map"] and not of.may_miss
    # The variable that a chain begins with always exists: its `?.` matters in a longer chain only.
    is_guarded = step.is_optional and not isinstance(step.of, ForeignName) and not is_there
    base = of.inside(POSTFIX)
    chain = base.removesuffix(OR_NULL)
    if is_guarded and chain == base and of.optional is not None and of.may_miss:
        chain = of.optional
    key = f".{step.key}" if is_name(step.key) else f"[{quoted(step.key)}]"
    maybe = f".?{step.key}" if is_name(step.key) else f"[?{quoted(step.key)}]"
    if is_guarded or chain != base:
        text = f"{chain}{maybe if is_guarded or of.may_miss else key}{OR_NULL}"
        return CelPiece(
            text,
            shape=_or_null(shape),
            optional=text.removesuffix(OR_NULL),
            is_null_by_chain="null" not in shape.kinds,
        )
    return shaped(f"{base}{key}", shape, may_miss=may_miss, optional=f"{base}{maybe}")


def _or_null(shape: ValueShape) -> ValueShape:
    return shape if shape.is_unknown else replace(shape, kinds=shape.kinds | {"null"})


def sort_of(tree: Constant) -> Sort:
    """The sort of a constant."""
    if tree.text is not None:
        return "text"
    if tree.cel in {"true", "false"}:
        return "bool"
    if tree.cel == "null":
        return "any"
    return "whole" if tree.cel.isdigit() else "decimal"


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
