"""The numbers of a request, in digits or in words, with their units of time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolweave.assistant.extraction.english import word_list, words
from toolweave.assistant.extraction.tokens import RequestToken, name_parts
from toolweave.patterns import pattern

_ONES, _TENS = word_list("ones"), word_list("tens")
_SMALL = {word: value for value, word in enumerate(_ONES)} | {
    word: 20 + 10 * place for place, word in enumerate(_TENS)
}
_LARGE = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_DOZEN = {"dozen": 12, "couple": 2, "pair": 2}
_TIMES = {"once": 1, "twice": 2}
_NEGATIVE = frozenset({"minus", "negative"})
# Seconds of a unit, under each of its spellings.
_UNITS: dict[str, float] = {
    name: seconds
    for names, seconds in (
        ("ms millisecond milliseconds millis", 0.001),
        ("s sec secs second seconds", 1),
        ("min mins minute minutes", 60),
        ("h hr hrs hour hours hourly", 3_600),
        ("d day days daily", 86_400),
        ("week weeks weekly", 604_800),
        ("fortnight fortnights", 1_209_600),
    )
    for name in names.split()
}
_SINGULAR = frozenset({"second", "minute", "hour", "day", "week", "fortnight"})
# `for the next week` is one week.
_SINGLE = words("single")
_DIGITS = pattern(
    r"(?:#(?=\d{1,5}$))?(?P<sign>[-\u2212+]?)[$€£¥]?(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?"
    r"|\d{1,3}(?:\.\d{3})+,\d+|\d+,\d{2}|\d+(?:\.\d+)?|\.\d+)"
    r"(?:-?(?P<unit>[a-zA-Z]+|%|°[CF]?|€|\$|£))?"
)
_MONEY = words("money")
# What `min` in a name is minutes of, and not a lower bound of.
_LENGTHS = words("lengths")
CENTS = 2
_SIZE = pattern(r"(\d+)[x\u00d7](\d+)(?:px)?")
_FRACTIONS = {"half": 0.5, "quarter": 0.25}


@dataclass(frozen=True, slots=True)
class Amount:
    """A number at the words `begin` to `end` of a request."""

    value: float
    begin: int
    end: int
    unit: str | None = None
    is_word: bool = False

    def in_unit(self, seconds: float | None) -> float:
        """Return the number for a parameter in units of so many seconds."""
        own = _UNITS.get(self.unit or "")
        if own is None or seconds is None:
            return _whole(self.value)
        return _whole(round(self.value * own / seconds, 9))

    @property
    def has_time_unit(self) -> bool:
        """Whether it is a time, such as `5 minutes`."""
        return self.unit in _UNITS


def seconds_of_unit(name: str, description: str) -> float | None:
    """Return the seconds of a parameter's unit of time: 60 for `wait_min`; `None` without one."""
    parts = name_parts(name)
    for word in (*parts[-1:], *parts, *name_parts(description.lower())):
        is_clear = len(word) > 2 or word == parts[-1]
        if word == "min" and "minute" not in description.lower() and len(parts) > 1:
            is_clear = not description or {*parts} & _LENGTHS != set()
        if word in _UNITS and is_clear and not (word == "s" and len(parts) == 1):
            return _UNITS[word]
    return None


def is_unit(word: str) -> bool:
    """Whether a word after a number is its unit, also of money."""
    return word in _UNITS or word in _MONEY


def amounts_in(tokens: Sequence[RequestToken]) -> list[Amount]:
    """Return the numbers outside quotes in their order."""
    found: list[Amount] = []
    at = 0
    while at < len(tokens):
        amounts = list(_at(tokens, at))
        found += amounts
        at = amounts[-1].end if amounts else at + 1
    return found


def _at(tokens: Sequence[RequestToken], at: int) -> Iterator[Amount]:
    token = tokens[at]
    if token.is_quoted:
        return
    if size := _SIZE.fullmatch(token.text):
        for group in size.groups():
            yield Amount(int(group), at, at + 1)
        return
    if match := _DIGITS.fullmatch(token.text):
        value = _number(match["number"])
        sign = -1 if match["sign"] in {"-", "\u2212"} or _is_negated(tokens, at) else 1
        unit = match["unit"]
        yield _with_unit(tokens, sign * value, at, at + 1, unit.lower() if unit else None)
        return
    if word_amount := _in_words(tokens, at):
        yield word_amount


def _in_words(tokens: Sequence[RequestToken], at: int) -> Amount | None:
    word, following = tokens[at].word, _word(tokens, at + 1)
    if word in _TIMES:
        return Amount(_TIMES[word], at, at + 1, is_word=True)
    if word in _FRACTIONS:
        skipped = next((n for n in (1, 2, 3) if _word(tokens, at + n) in _UNITS), 0)
        if skipped:
            return _with_unit(tokens, _FRACTIONS[word], at, at + skipped, None, is_word=True)
    if word in _SINGLE and following in _SINGULAR:
        more = [_word(tokens, at + n) for n in range(2, 5)]
        if more[:2] == ["and", "a"] and more[2] in _FRACTIONS:
            return Amount(1 + _FRACTIONS[more[2]], at, at + 5, following, is_word=True)
        return _with_unit(tokens, 1, at, at + 1, None, is_word=True)
    if word in {"a", "one"} and following in _DOZEN:
        return _with_unit(tokens, _DOZEN[following], at, at + 2, None, is_word=True)
    unit_part = _compound(word)
    if unit_part is not None:
        return Amount(unit_part[0], at, at + 1, unit_part[1], is_word=True)
    value, end = _cardinal(tokens, at)
    if end == at:
        return None
    sign = -1 if _is_negated(tokens, at) else 1
    following = [_word(tokens, end + n) for n in range(3)]
    if following[:2] == ["and", "a"] and following[2] in _FRACTIONS:
        value, end = value + _FRACTIONS[_word(tokens, end + 2)], end + 3
    return _with_unit(tokens, sign * value, at, end, None, is_word=True)


def _compound(word: str) -> tuple[float, str] | None:
    """Read `three-day`."""
    number, _, unit = word.rpartition("-")
    return (_SMALL[number], unit) if number in _SMALL and unit in _UNITS else None


def _cardinal(tokens: Sequence[RequestToken], at: int) -> tuple[float, int]:
    total, group, end = 0.0, 0.0, at
    while end < len(tokens):
        parts = _word(tokens, end).split("-")
        if all(part in _SMALL for part in parts) and not (group % 10 and end > at):
            group += sum(_SMALL[part] for part in parts)
        elif parts[0] in _LARGE and end > at:
            scaled = (group or 1) * _LARGE[parts[0]]
            total, group = (total, scaled) if _LARGE[parts[0]] == 100 else (total + scaled, 0)
        elif parts[0] == "point" and end > at and _word(tokens, end + 1) in _SMALL:
            return _decimal(tokens, total + group, end + 1)
        elif not (parts[0] == "and" and group >= 100 and _word(tokens, end + 1) in _SMALL):
            break
        end += 1
        if tokens[end - 1].after:
            break
    return total + group, end


def _decimal(tokens: Sequence[RequestToken], whole: float, at: int) -> tuple[float, int]:
    digits = ""
    while _word(tokens, at) in _ONES[:10]:
        digits += str(_SMALL[_word(tokens, at)])
        at += 1
    return float(f"{int(whole)}.{digits or 0}"), at


def _with_unit(
    tokens: Sequence[RequestToken],
    value: float,
    begin: int,
    end: int,
    unit: str | None,
    *,
    is_word: bool = False,
) -> Amount:
    if unit is None and end < len(tokens) and not (end > begin and tokens[end - 1].after):
        following = _word(tokens, end)
        if following in {"a", "an", "of"}:
            following = _word(tokens, end + 1)
        if following in _UNITS and len(following) > 1:
            unit = following
    return Amount(_whole(value), begin, end, unit, is_word)


def _is_negated(tokens: Sequence[RequestToken], at: int) -> bool:
    return at > 0 and tokens[at - 1].word in _NEGATIVE


def _word(tokens: Sequence[RequestToken], at: int) -> str:
    return tokens[at].word if at < len(tokens) else ""


def _whole(value: float) -> float:
    return int(value) if float(value).is_integer() else value


def _number(digits: str) -> float:
    """Return the value of `1,249.50`, also where a comma separates the decimals: `1.249,50`."""
    whole, comma, decimals = digits.rpartition(",")
    if comma and (len(decimals) == CENTS or "." in whole):
        return float(f"{whole.replace('.', '')}.{decimals}")
    return float(digits.replace(",", ""))
