"""`'%.2f of %s'.format([x, y])`: CEL's own small formatting language."""

import re

from toolweave.cel.operators import to_string
from toolweave.cel.values import (
    Cel,
    CelType,
    Evaluation,
    Failed,
    from_key,
    is_list,
    is_map,
    is_number,
    mismatch,
)
from toolweave.patterns import pattern

MAX_PRECISION = 100
_WORK = 5
_CLAUSE = pattern(r"%(?:\.([0-9]{1,4}))?(.?)", re.DOTALL | re.ASCII)


def format_text(run: Evaluation, text: Cel, values: Cel) -> str:
    """The text with each clause filled by the next value."""
    if not isinstance(text, str) or not is_list(values):
        raise mismatch("format()", text, values)
    run.spend(len(text))
    given = iter(values)
    pieces: list[str] = []
    end = 0
    for clause in _CLAUSE.finditer(text):
        pieces.append(text[end : clause.start()])
        end = clause.end()
        filled = "%" if clause[0] == "%%" else _filled(run, clause, next(given, _MISSING))
        pieces.append(filled)
        run.grow(len(filled))
    run.grow(len(text))
    return "".join([*pieces, text[end:]])


_MISSING = object()


def _filled(run: Evaluation, clause: re.Match[str], value: Cel) -> str:
    precision, letter = int(clause[1] or 6), clause[2]
    if precision > MAX_PRECISION:
        raise Failed(f"a format has at most {MAX_PRECISION} digits behind the point")
    if letter not in _WRITERS:
        raise Failed(f"there is no format {clause[0]!r}", hint="%s %d %f %e %b %o %x %X or %%")
    if value is _MISSING:
        raise Failed("the format asks for more values than there are")
    if letter == "s":
        return _written(run, value)
    if is_number(value) and letter in "dfe" and not -_INFINITE < value < _INFINITE:
        return to_string(run, value)
    return _number(run, letter, precision, value)


_INFINITE = float("inf")
_WRITERS = frozenset("sdfeboxX")


def _number(run: Evaluation, letter: str, precision: int, value: Cel) -> str:
    if letter in "fe" and is_number(value):
        return f"{float(value):.{precision}{letter}}"
    if letter == "d" and is_number(value):
        return f"{value:.6f}" if isinstance(value, float) else to_string(run, value)
    if letter in "xX" and isinstance(value, str | bytes):
        data = value.encode("utf-8", "replace") if isinstance(value, str) else value
        return data.hex().upper() if letter == "X" else data.hex()
    is_whole = isinstance(value, int) and (letter == "b" or not isinstance(value, bool))
    if letter in "boxX" and is_whole:
        return f"{int(value):{letter}}"
    raise mismatch(f"%{letter}", value)


def _written(run: Evaluation, value: Cel) -> str:
    run.spend(_WORK)
    if is_list(value):
        return _joined(run, "[", [_written(run, item) for item in value], "]")
    if is_map(value):
        pairs = [(_written(run, from_key(key)), _written(run, one)) for key, one in value.items()]
        return _joined(run, "{", [f"{key}: {one}" for key, one in sorted(pairs)], "}")
    if value is None:
        return "null"
    return value.name if isinstance(value, CelType) else to_string(run, value)


def _joined(run: Evaluation, before: str, pieces: list[str], after: str) -> str:
    run.grow(sum(map(len, pieces)) + 2 * len(pieces) + 2)
    return f"{before}{', '.join(pieces)}{after}"
