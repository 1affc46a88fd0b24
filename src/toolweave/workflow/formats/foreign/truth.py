"""What counts as true, and defaults: JavaScript and Python take any value for a condition."""

from toolweave.workflow.formats.foreign.cel_piece import (
    CHOICE,
    OR,
    OR_NULL,
    RELATION,
    SIGN,
    SUM,
    CelPiece,
)
from toolweave.workflow.formats.foreign.source_language import SourceLanguage
from toolweave.workflow.formats.foreign.tree import NotReadable
from toolweave.workflow.formats.foreign.vocabulary import Sort
from toolweave.workflow.shapes import ALL, UNKNOWN, Kind, ValueShape

_NULL: frozenset[Kind] = frozenset({"null"})
# The values of each kind that count as false in both languages, then those of Python only.
_FALSE: dict[Kind, str] = {
    "null": "null",
    "string": "''",
    "integer": "0",
    "fraction": "0",
    "boolean": "false",
}
_FALSE_IN_PYTHON: dict[Kind, str] = {"array": "[]", "object": "{}"}
_EMPTY: dict[str, str] = {"text": "''", "whole": "0", "number": "0", "decimal": "0.0"}


def truth(piece: CelPiece, language: SourceLanguage, *, is_any: bool = False) -> CelPiece:
    """Whether a value counts as true.

    A value of unknown kind must be true or false, unless `is_any`: then it is asked for all others.
    """
    if piece.kinds == ALL and not is_any:
        return piece
    if piece.sort == "bool":
        return piece
    if piece.sort in _EMPTY:
        if "/" in piece.text and piece.sort in {"number", "decimal"}:
            raise NotReadable  # 0.0 / 0.0 is no number, which counts as false there only
        value = piece.inside(SUM)
        if piece.may_miss:
            value = f"{piece.optional}.orValue({_EMPTY[piece.sort]})"
        return CelPiece(f"{value} != {_EMPTY[piece.sort]}", RELATION, "bool")
    if piece.sort in {"list", "map"} and language == "python" and not piece.may_miss:
        return CelPiece(f"size({piece.text}) > 0", RELATION, "bool")
    false = _false_values(piece, language)
    value = piece.inside(SUM) if piece.or_null == piece.text else piece.or_null
    if len(false) == 1:
        return CelPiece(f"{value} != {false[0]}", RELATION, "bool")
    return CelPiece(f"!({value} in [{', '.join(false)}])", SIGN, "bool")


def _false_values(piece: CelPiece, language: SourceLanguage) -> list[str]:
    kinds = piece.kinds | _NULL if piece.may_miss else piece.kinds
    if not language and kinds & {"array", "object"}:
        raise NotReadable  # an empty list is true in JavaScript only
    table = {**_FALSE, **_FALSE_IN_PYTHON} if language == "python" else _FALSE
    found = list(dict.fromkeys(false for kind, false in table.items() if kind in kinds))
    if not found:
        raise NotReadable  # it is always true
    return found


def is_default(one: CelPiece, two: CelPiece) -> bool:
    """Whether `one || two` gives a value rather than true or false."""
    others = {"text", "number", "whole", "decimal", "list", "map"}
    return bool({one.sort, two.sort} & others) or ("null" in one.kinds and one.kinds != ALL)


def either(one: CelPiece, two: CelPiece, language: SourceLanguage) -> CelPiece:
    """The first value if it counts as true, else the second."""
    if not language and one.kinds == ALL:
        raise NotReadable  # it may be meant for null only
    asked = truth(one, language or "javascript", is_any=True)
    return _chosen(asked, one, two)


def both(one: CelPiece, two: CelPiece, language: SourceLanguage) -> CelPiece:
    """The second value if the first counts as true, else the first."""
    asked = truth(one, language or "javascript", is_any=True)
    return _chosen(asked, two, CelPiece(one.or_null, one.level, one.sort))


def coalesced(one: CelPiece, two: CelPiece) -> CelPiece:
    """The first value unless it is null or missing, else the second."""
    if one.text.endswith(OR_NULL):
        optional = one.text.removesuffix(OR_NULL)
        if one.is_null_by_chain:
            return CelPiece(f"{optional}.orValue({two.text})", sort=_common(one, two))
        return _chosen(CelPiece(f"{one.text} != null", RELATION, "bool"), one, two)
    can_be_null = "null" in one.kinds or one.is_null_by_chain
    if not can_be_null and one.may_miss and one.optional is not None:
        return CelPiece(f"{one.optional}.orValue({two.text})", sort=_common(one, two))
    if not can_be_null:
        return one
    return _chosen(CelPiece(f"{one.or_null} != null", RELATION, "bool"), one, two)


def _chosen(condition: CelPiece, one: CelPiece, two: CelPiece) -> CelPiece:
    text = f"{condition.inside(OR)} ? {one.inside(OR)} : {two.inside(CHOICE)}"
    kinds = one.kinds | two.kinds
    shape = UNKNOWN if kinds == ALL else ValueShape(kinds)
    return CelPiece(text, CHOICE, _common(one, two), shape)


def _common(one: CelPiece, two: CelPiece) -> Sort:
    sort = one.sort
    if sort == "any" and one.kinds - _NULL == two.kinds:
        return two.sort
    return sort if sort == two.sort else "number" if {sort, two.sort} <= _NUMBERS else "any"


_NUMBERS = {"number", "whole", "decimal"}
