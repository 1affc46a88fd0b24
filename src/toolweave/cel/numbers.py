"""CEL's `math` functions and its optionals."""

import math
from collections.abc import Callable

from toolweave.cel.operators import ranged
from toolweave.cel.values import (
    Cel,
    Evaluation,
    Failed,
    Maybe,
    is_list,
    is_number,
    mismatch,
)


def _extreme(name: str, is_better: Callable[[Cel, Cel], bool]) -> Callable[..., Cel]:
    def found(run: Evaluation, *values: Cel) -> Cel:
        candidates = values[0] if len(values) == 1 and is_list(values[0]) else list(values)
        run.spend(len(candidates))
        if not candidates:
            raise Failed(f"{name} of an empty list")
        if not all(is_number(one) for one in candidates):
            raise mismatch(name, *values)
        best = candidates[0]
        for one in candidates[1:]:
            best = one if is_better(one, best) else best
        return best

    return found


def _of_double(name: str, function: Callable[[float], Cel]) -> Callable[..., Cel]:
    def applied(_run: Evaluation, value: Cel) -> Cel:
        if type(value) is not float:
            raise mismatch(name, value)
        return function(value)

    return applied


def _whole(function: Callable[[float], int]) -> Callable[[float], float]:
    """Rounding that leaves infinity and NaN alone."""
    return lambda value: (
        math.copysign(float(function(value)), value) if math.isfinite(value) else value
    )


def _half_away(value: float) -> int:
    whole = math.trunc(value)
    return whole + (1 if value > 0 else -1) if abs(value - whole) >= 0.5 else whole


def _absolute(_run: Evaluation, value: Cel) -> Cel:
    if not is_number(value):
        raise mismatch("math.abs()", value)
    kind: type = value.__class__
    return abs(value) if kind is float else ranged(kind, abs(int(value)))


def _sign(_run: Evaluation, value: Cel) -> Cel:
    if not is_number(value):
        raise mismatch("math.sign()", value)
    if value != value or value == 0:
        return value
    return type(value)(1 if value > 0 else -1)


def _root(_run: Evaluation, value: Cel) -> float:
    if not is_number(value):
        raise mismatch("math.sqrt()", value)
    return math.sqrt(value) if value >= 0 else math.nan


def _has_value(_run: Evaluation, maybe: Cel) -> bool:
    return bool(_maybe(maybe, "hasValue()").inner)


def _value(_run: Evaluation, maybe: Cel) -> Cel:
    if inner := _maybe(maybe, "value()").inner:
        return inner[0]
    raise Failed("the optional is empty", hint="write orValue(x)")


def _of(_run: Evaluation, value: Cel) -> Maybe:
    return Maybe((value,))


def _none(_run: Evaluation) -> Maybe:
    return Maybe()


def _of_non_zero(_run: Evaluation, value: Cel) -> Maybe:
    is_zero = value is None or (not isinstance(value, Maybe) and not value)
    return Maybe() if is_zero else Maybe((value,))


def _end(place: int) -> Callable[[Evaluation, Cel], Maybe]:
    def found(_run: Evaluation, values: Cel) -> Maybe:
        if not is_list(values):
            raise mismatch("first() and last()", values)
        return Maybe((values[place],)) if values else Maybe()

    return found


def _maybe(value: Cel, name: str) -> Maybe:
    if isinstance(value, Maybe):
        return value
    raise mismatch(name, value)


MATH_FUNCTIONS: dict[str, tuple[tuple[int, ...], Callable[..., Cel]]] = {
    "math.greatest": (tuple(range(1, 101)), _extreme("math.greatest()", lambda a, b: a > b)),
    "math.least": (tuple(range(1, 101)), _extreme("math.least()", lambda a, b: a < b)),
    "math.ceil": ((1,), _of_double("math.ceil()", _whole(math.ceil))),
    "math.floor": ((1,), _of_double("math.floor()", _whole(math.floor))),
    "math.round": ((1,), _of_double("math.round()", _whole(_half_away))),
    "math.trunc": ((1,), _of_double("math.trunc()", _whole(math.trunc))),
    "math.isNaN": ((1,), _of_double("math.isNaN()", math.isnan)),
    "math.isInf": ((1,), _of_double("math.isInf()", math.isinf)),
    "math.isFinite": ((1,), _of_double("math.isFinite()", math.isfinite)),
    "math.abs": ((1,), _absolute),
    "math.sign": ((1,), _sign),
    "math.sqrt": ((1,), _root),
    "optional.of": ((1,), _of),
    "optional.none": ((0,), _none),
    "optional.ofNonZeroValue": ((1,), _of_non_zero),
    "hasValue": ((1,), _has_value),
    "value": ((1,), _value),
    "first": ((1,), _end(0)),
    "last": ((1,), _end(-1)),
}
