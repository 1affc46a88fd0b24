"""CEL's operators and conversions, with the limits of its numbers and none of Python's surprises.

Every function takes the run first, to pay for what it builds, and looks at the types of its
arguments: nothing is coerced.
"""

import math
import operator
import re
from collections.abc import Callable
from datetime import datetime, timedelta

from toolweave.cel.times import (
    read_duration,
    read_timestamp,
    write_duration,
    write_timestamp,
)
from toolweave.cel.values import (
    INT_MAX,
    INT_MIN,
    KINDS,
    UINT_MAX,
    BuiltList,
    Cel,
    CelType,
    Evaluation,
    Failed,
    Maybe,
    UInt,
    equal,
    is_among,
    is_list,
    is_map,
    is_number,
    key_of,
    kind_of,
    mismatch,
)
from toolweave.patterns import pattern
from toolweave.problems import did_you_mean

_SUGGESTED_FROM = 200
# What a list or map takes for each of its members.
MEMBER_SIZE = 16
_INTEGER = pattern(r"\s*[+-]?[0-9]{1,20}\s*", re.ASCII)
_DECIMAL = pattern(
    r"\s*[+-]?([0-9]+\.?[0-9]*([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?|inf|infinity|nan)\s*",
    re.ASCII | re.IGNORECASE,
)
_BOOLS = {
    **dict.fromkeys(("1", "t", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "false", "FALSE", "False"), False),
}


def ranged(kind: type, value: int) -> int:
    """A whole number that fits its kind."""
    if kind is UInt:
        if 0 <= value <= UINT_MAX:
            return UInt(value)
    elif INT_MIN <= value <= INT_MAX:
        return value
    raise Failed("the result is too large for a whole number", hint="calculate with double(x)")


def add(run: Evaluation, one: Cel, two: Cel) -> Cel:
    """`one + two` for numbers, texts, lists and times."""
    kind: type = one.__class__
    if kind is type(two):
        if kind is int or kind is UInt:
            return ranged(kind, int(one) + int(two))
        if kind is float:
            return one + two
        if kind is str or kind is bytes:
            run.grow(len(one) + len(two))
            return one + two
    return _joined(run, one, two)


def _joined(run: Evaluation, one: Cel, two: Cel) -> Cel:
    if is_list(one) and is_list(two):
        run.grow((len(one) + len(two)) * MEMBER_SIZE)
        return BuiltList([*one, *two])
    if isinstance(one, datetime | timedelta) and isinstance(two, datetime | timedelta):
        return _timely(operator.add, "+", one, two)
    raise mismatch("+", one, two)


def subtract(_run: Evaluation, one: Cel, two: Cel) -> Cel:
    """`one - two` for numbers and times."""
    if isinstance(one, datetime | timedelta) and isinstance(two, datetime | timedelta):
        return _timely(operator.sub, "-", one, two)
    return _calculated("-", operator.sub, one, two)


def multiply(_run: Evaluation, one: Cel, two: Cel) -> Cel:
    """`one * two`."""
    return _calculated("*", operator.mul, one, two)


def divide(_run: Evaluation, one: Cel, two: Cel) -> Cel:
    """`one / two`; whole numbers are cut towards zero, decimals know infinity."""
    if type(one) is float and type(two) is float:
        if two == 0:
            is_undefined = one == 0 or math.isnan(one)
            return math.nan if is_undefined else math.copysign(math.inf, one) * _sign(two)
        return one / two
    return _calculated("/", _quotient, one, two)


def remainder(_run: Evaluation, one: Cel, two: Cel) -> Cel:
    """`one % two`, with the sign of `one`; whole numbers only."""
    if type(one) is float:
        raise mismatch("%", one, two)
    if one == INT_MIN and two == -1:
        raise Failed("the result is too large for a whole number")
    return _calculated("%", _rest, one, two)


def negate(_run: Evaluation, one: Cel) -> Cel:
    """`-one`."""
    if type(one) is float:
        return -one
    if type(one) is int:
        return ranged(int, -one)
    raise mismatch("-", one)


def invert(_run: Evaluation, one: Cel) -> bool:
    """`!one`."""
    if one is True or one is False:
        return not one
    raise mismatch("!", one)


def _calculated(name: str, calculate: Callable[[Cel, Cel], Cel], one: Cel, two: Cel) -> Cel:
    kind: type = one.__class__
    if kind is not type(two) or kind not in (int, UInt, float):
        raise mismatch(name, one, two)
    if kind is float:
        return calculate(one, two)
    return ranged(kind, calculate(int(one), int(two)))


def _quotient(one: int, two: int) -> int:
    if two == 0:
        raise Failed("a number is divided by zero", hint="ask first: x != 0")
    return -(-one // two) if (one < 0) != (two < 0) else one // two


def _rest(one: int, two: int) -> int:
    return one - two * _quotient(one, two)


def _sign(number: float) -> float:
    return math.copysign(1.0, number)


def _timely(calculate: Callable[[Cel, Cel], Cel], name: str, one: Cel, two: Cel) -> Cel:
    try:
        return calculate(one, two)
    except TypeError:
        raise mismatch(name, one, two) from None
    except OverflowError:
        raise Failed("the time is out of range") from None


def compared(
    name: str, compare: Callable[[Cel, Cel], bool]
) -> Callable[[Evaluation, Cel, Cel], bool]:
    """The comparison `name`: numbers of any type with each other, else only of one type."""

    def comparison(run: Evaluation, one: Cel, two: Cel) -> bool:
        if is_number(one) and is_number(two):
            return compare(one, two)
        kind: type = one.__class__
        if kind is not type(two) or kind not in (str, bool, bytes, datetime, timedelta):
            raise mismatch(name, one, two)
        if isinstance(one, str | bytes):
            run.spend(len(one) >> 6)
        return compare(one, two)

    return comparison


def unequal(run: Evaluation, one: Cel, two: Cel) -> bool:
    """`one != two`."""
    return not equal(run, one, two)


def is_in(run: Evaluation, one: Cel, two: Cel) -> bool:
    """`one in two`: an item of a list, a key of a map."""
    if is_list(two):
        return is_among(run, one, two)
    if is_map(two) and isinstance(one, str | int | float):
        return key_of(one) in two
    raise mismatch("in", one, two)


def size(_run: Evaluation, one: Cel) -> int:
    """`size(one)`: characters, bytes, items or keys."""
    if isinstance(one, str | bytes | list | dict):
        return len(one)  # pyright: ignore[reportUnknownArgumentType] # of anything
    raise mismatch("size()", one)


def index(_run: Evaluation, one: Cel, two: Cel) -> Cel:
    """`one[two]`; of an optional an optional."""
    if isinstance(one, Maybe):
        return Maybe((index(_run, one.inner[0], two),)) if one.inner else one
    if is_map(one):
        return member(one, two)
    if not is_list(one):
        raise Failed(f"{kind_of(one)} has no items or keys")
    place = _place(two)
    if 0 <= place < len(one):
        return one[place]
    raise Failed(f"there is no item {place}; the list has {len(one)}")


def find(_run: Evaluation, one: Cel, two: Cel) -> Maybe:
    """`one[?two]` and `one.?two`: an optional that is empty where there is nothing."""
    if isinstance(one, Maybe):
        return find(_run, one.inner[0], two) if one.inner else one
    if one is None:
        # JSON has null where something is missing, so null has nothing in it.
        return Maybe()
    if is_map(one):
        key = key_of(two)
        return Maybe((one[key],)) if key in one else Maybe()
    if is_list(one):
        place = _place(two)
        return Maybe((one[place],)) if 0 <= place < len(one) else Maybe()
    raise mismatch("?", one, two)


def member(one: dict[Cel, Cel], key: Cel) -> Cel:
    """What a map has under a key."""
    held = key_of(key)
    try:
        return one[held]
    except KeyError:
        names = [name for name in one if isinstance(name, str)]
        close = did_you_mean(key, names) if _is_short(key, names) else None
        raise Failed(
            f"there is no key {_shown(key)}", hint=close or "ask first with has(), or use .?"
        ) from None


def _is_short(key: Cel, names: list[str]) -> bool:
    return isinstance(key, str) and len(names) <= _SUGGESTED_FROM and len(key) <= _SUGGESTED_FROM


def _shown(key: Cel) -> str:
    text = repr(key)
    return text if len(text) <= 80 else text[:80] + "…"


def _place(value: Cel) -> int:
    if is_number(value) and value == value and abs(value) <= INT_MAX and int(value) == value:
        return int(value)
    raise Failed(f"an item of a list is named by a whole number, not by {kind_of(value)}")


def kind(_run: Evaluation, one: Cel) -> CelType:
    """`type(one)`."""
    return CelType(KINDS[type(one)])


def same(_run: Evaluation, one: Cel) -> Cel:
    """`dyn(one)`, which means something to the checker only."""
    return one


def to_int(run: Evaluation, one: Cel) -> int:
    """`int(one)`."""
    _read(run, one)
    match one:
        case int():
            return ranged(int, int(one))
        case float():
            if INT_MIN < one < INT_MAX:
                return int(one)
            raise Failed("the decimal is too large for a whole number")
        case str() if _INTEGER.fullmatch(one):
            return ranged(int, int(one))
        case str():
            raise Failed("the text is no whole number", hint="double(x) reads decimals")
        case datetime():
            return math.floor(one.timestamp())
        case _:
            raise mismatch("int()", one)


def to_uint(run: Evaluation, one: Cel) -> UInt:
    """`uint(one)`."""
    _read(run, one)
    if isinstance(one, float) and (one < 0 or not one < UINT_MAX):
        raise Failed("the decimal is out of range")
    if isinstance(one, datetime | bool) or (isinstance(one, str) and not _INTEGER.fullmatch(one)):
        raise mismatch("uint()", one)
    if isinstance(one, str | float):
        return UInt(ranged(UInt, int(one)))
    return UInt(ranged(UInt, one if isinstance(one, UInt) else to_int(run, one)))


def _read(run: Evaluation, one: Cel) -> None:
    """Charge for reading a number from a text of any length."""
    if isinstance(one, str):
        run.spend(len(one) >> 3)


def to_double(run: Evaluation, one: Cel) -> float:
    """`double(one)`."""
    _read(run, one)
    if is_number(one):
        return float(one)
    if isinstance(one, str):
        if _DECIMAL.fullmatch(one):
            return float(one)
        raise Failed("the text is no number")
    raise mismatch("double()", one)


def to_bool(_run: Evaluation, one: Cel) -> bool:
    """`bool(one)`."""
    if isinstance(one, bool):
        return one
    if isinstance(one, str):
        if one in _BOOLS:
            return _BOOLS[one]
        raise Failed("the text is neither true nor false")
    raise mismatch("bool()", one)


def to_string(run: Evaluation, one: Cel) -> str:
    """`string(one)`."""
    match one:
        case str():
            return one
        case bool():
            return "true" if one else "false"
        case int():
            return str(ranged(UInt if one > 0 else int, int(one)))
        case float():
            return write_double(one)
        case bytes():
            run.grow(len(one))
            try:
                return one.decode()
            except UnicodeDecodeError:
                raise Failed("the bytes are no UTF-8 text") from None
        case datetime():
            return write_timestamp(one)
        case timedelta():
            return write_duration(one)
        case _:
            raise mismatch("string()", one)


def to_bytes(run: Evaluation, one: Cel) -> bytes:
    """`bytes(one)`."""
    if isinstance(one, bytes):
        return one
    if isinstance(one, str):
        run.grow(4 * len(one))
        return one.encode("utf-8", "replace")
    raise mismatch("bytes()", one)


def to_timestamp(_run: Evaluation, one: Cel) -> datetime:
    """`timestamp(one)`, of a text or of seconds since 1970."""
    return read_timestamp(one)


def to_duration(_run: Evaluation, one: Cel) -> timedelta:
    """`duration(one)`."""
    return read_duration(one)


def write_double(number: float) -> str:
    """The shortest text, with an exponent from a million on, as CEL writes it."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    mantissa, _, exponent = f"{number:e}".partition("e")
    if -4 <= int(exponent) < 6 or number == 0:
        return repr(number).removesuffix(".0")
    digits = repr(number).replace(".", "").partition("e")[0].strip("-").strip("0")
    sign = "-" if mantissa.startswith("-") else ""
    point = f"{digits[0]}.{digits[1:]}".removesuffix(".")
    return f"{sign}{point}e{int(exponent):+03d}"
