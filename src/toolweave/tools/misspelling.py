"""Names that were mistyped: the known name that a wrong one means. Pure."""

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice

from rapidfuzz.distance import OSA

from toolweave.patterns import pattern
from toolweave.tools.key_meaning import is_other_verb
from toolweave.tools.opposites import are_opposite

MAX_COMPARED = 100
MAX_NAME = 40
# Allowed edits, and the minimum name length for any.
MAX_SLIPS = 3
SHORT = 2
SHORTEST = 3  # up to here, another letter makes another name
_DIGITS = pattern(r"\d+")
_DOUBLED = pattern(r"([a-z])\1+")
_SEPARATORS = pattern(r"[\s_.-]+")


def closest(wrong: str, known: Iterable[str]) -> str | None:
    """Return the name in `known` that `wrong` most likely means."""
    if len(wrong) > MAX_NAME:
        return None
    folded = {name.casefold(): name for name in list(known)[:MAX_COMPARED] if len(name) <= MAX_NAME}
    close = get_close_matches(wrong.casefold(), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None


def misspelt(wrong: str, known: Iterable[str]) -> str | None:
    """Return the only name in `known` that `wrong` can be a typo of.

    Case, spaces and separators aside, it is a few letters away and every other name is further.
    Names with other digits are other names: `us-east-2` is not a typo of `us-east-1`.
    """
    plain = letters_of(wrong)
    bound = min(max(1, len(plain) // 4), MAX_SLIPS) if len(plain) > SHORT else 0
    near: list[tuple[int, str]] = []
    for name in dict.fromkeys(islice(known, MAX_COMPARED)):
        letters = letters_of(name)
        # `XOR` is not a typo of `OR`.
        allowed = bound if len(letters) > SHORT else 0
        if _single(plain) == _single(letters):
            allowed = max(1, allowed)  # `dee` for `de`
        distance = OSA.distance(plain, letters, score_cutoff=allowed)
        is_near = distance <= allowed and len(name) <= MAX_NAME and len(wrong) <= MAX_NAME
        if len(plain) == len(letters) <= SHORTEST and plain.isascii():
            is_near &= sorted(plain) == sorted(letters)  # `tsv` is not a typo of `csv`
        if is_near and not are_opposite(wrong, name) and not is_other_verb(wrong, name):
            near.append((distance, name))
    near.sort()
    is_clear = len(near) == 1 or (len(near) > 1 and near[0][0] < near[1][0])
    is_slip = is_clear and _DIGITS.findall(wrong) == _DIGITS.findall(near[0][1])
    return near[0][1] if is_slip else None


@lru_cache(maxsize=8_192)
def letters_of(name: str) -> str:
    """The name without spaces and separators, case ignored."""
    return _SEPARATORS.sub("", name.casefold())


@lru_cache(maxsize=8_192)
def _single(letters: str) -> str:
    """The letters, each doubled one once."""
    return _DOUBLED.sub(r"\1", letters)
