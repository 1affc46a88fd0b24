"""Arithmetic: other languages have one kind of number, CEL two that do not mix."""

from toolweave.workflow.formats.foreign.cel_piece import (
    LEVELS,
    PRODUCT,
    CelPiece,
    joined_text,
)
from toolweave.workflow.formats.foreign.source_language import SourceLanguage
from toolweave.workflow.formats.foreign.tree import NotReadable

_NUMBERS = frozenset({"number", "whole", "decimal"})


def decimal(piece: CelPiece) -> CelPiece:
    """A number as one with a fraction."""
    if piece.sort == "decimal":
        return piece
    digits = piece.text.removeprefix("-")
    if digits.isdigit():
        return CelPiece(f"{piece.text}.0", piece.level, "decimal")
    if piece.sort not in {"any", *_NUMBERS}:
        raise NotReadable
    return CelPiece(f"double({piece.text})", sort="decimal")


def calculated(
    one: CelPiece, sign: str, two: CelPiece, language: SourceLanguage, *, is_compared_to_zero: bool
) -> CelPiece:
    """The result of `+`, `-`, `*`, `/` or `%`."""
    sorts = {one.sort, two.sort}
    if sign == "+" and "text" in sorts:
        return _joined(one, two, language)
    if sign == "%":
        return _remainder(one, two, language, is_compared_to_zero=is_compared_to_zero)
    if sign == "+" and sorts == {"list"}:
        return _written(one, sign, two)
    if not sorts <= {"any", *_NUMBERS}:
        raise NotReadable
    # Two numbers may be one whole and one with a fraction.
    is_mixed = len(sorts & _NUMBERS) > 1 or ("number" in sorts and bool(language))
    if sign == "/" or is_mixed:
        return _written(decimal(one), sign, decimal(two))
    return _written(one, sign, two)


def floored(one: CelPiece, two: CelPiece) -> CelPiece:
    """`one // two` of Python."""
    quotient = _written(decimal(one), "/", decimal(two))
    text = f"math.floor({quotient.text})"
    if one.sort == two.sort == "whole":
        return CelPiece(f"int({text})", sort="whole")
    return CelPiece(text, sort="decimal")


def _joined(one: CelPiece, two: CelPiece, language: SourceLanguage) -> CelPiece:
    """A sum with a text, which JavaScript makes of any value, and Python of no other."""
    if language == "python" and {one.sort, two.sort} & {"any", *_NUMBERS, "bool"}:
        return _written(one, "+", two)
    return joined_text([one, two], language)


def _remainder(
    one: CelPiece, two: CelPiece, language: SourceLanguage, *, is_compared_to_zero: bool
) -> CelPiece:
    """Python's has the sign of the divisor, those of CEL and JavaScript that of the number."""
    if "decimal" in {one.sort, two.sort} or not {one.sort, two.sort} <= {"any", "whole"}:
        raise NotReadable
    found = _written(one, "%", two)
    if language != "python" or is_compared_to_zero:
        return found
    if not two.text.isdigit():
        raise NotReadable
    return CelPiece(f"({found.text} + {two.text}) % {two.text}", PRODUCT, "whole")


def _written(one: CelPiece, sign: str, two: CelPiece) -> CelPiece:
    level = LEVELS[sign]
    text = f"{one.inside(level)} {sign} {two.inside(level + 1)}"
    return CelPiece(text, level, one.sort if one.sort == two.sort else "any")
