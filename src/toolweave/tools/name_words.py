"""Compares names word by word: `reply_timeout` says the same as `response_timeout`. Pure."""

from collections.abc import Iterable
from functools import cache, lru_cache

from toolweave.patterns import pattern
from toolweave.tools.name_groups import GROUPS
from toolweave.tools.opposites import are_opposite

MAX_NAMES = 100
MAX_LENGTH = 60
_WORD = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# Words before or after a name that say nothing about it.
_NOISE = frozenset(
    {"my", "the", "a", "an", "your", "our", "this", "of", "for", "node", "input", "value", "param"}
    | {"parameter", "field", "setting", "config", "configuration", "option", "arg", "argument"}
    | {"name", "str", "string", "text", "list", "array", "object", "is", "use", "set", "to", "in"}
    | {"full", "actual", "real", "assigned", "selected", "given", "specified", "desired", "line"}
)
# Words that make another name of one: bounds, ends, kinds of the same thing.
_TELLING = frozenset(
    {"max", "min", "start", "end", "default", "id", "type", "count", "time", "error", "from", "to"}
)


def alike(wrong: str, free: Iterable[str], about: str = "") -> list[str]:
    """The names of the same meaning; `about` is what they belong to, whose words may be added."""
    given = words_in(wrong)
    if not given or len(wrong) > MAX_LENGTH:
        return []
    names = [one for one in list(dict.fromkeys(free))[:MAX_NAMES] if not are_opposite(wrong, one)]
    if found := [one for one in names if _left(given, words_in(one)) == ((), ())]:
        return found
    of_owner = [singular(one) for one in words_in(about)]
    added = {one for one in given if any(is_same_word(one, other) for other in of_owner)}
    spare = _NOISE | {*of_owner} | {singular(one) for one in added}
    exact = [one for one in names if _says_more(wrong, one, spare)]
    return exact or [one for one in names if _adds_nothing(given, words_in(one), spare)]


def with_noise(wrong: str, known: Iterable[str]) -> tuple[str, ...]:
    """The only name that `wrong` is, letter by letter, with words around it that say nothing."""
    names = list(dict.fromkeys(known))[:MAX_NAMES]
    found = [one for one in names if wrong != one and _says_more(wrong, one, _NOISE)]
    return tuple(found) if len(found) == 1 else ()


def is_same_word(one: str, other: str) -> bool:
    """Whether two words say the same in a name: forms of one word, or synonyms."""
    if one == other or singular(one) == singular(other):
        return True
    numbers = _numbers()
    mine = numbers.get(one, frozenset()) | numbers.get(singular(one), frozenset())
    theirs = numbers.get(other, frozenset()) | numbers.get(singular(other), frozenset())
    return bool(mine & theirs)


@lru_cache(maxsize=8_192)
def words_in(name: str) -> tuple[str, ...]:
    """The words of a name in order: `maxTokens` is max and tokens."""
    return tuple(one.lower() for one in _WORD.findall(name))


def _says_more(wrong: str, name: str, spare: Iterable[str]) -> bool:
    """Whether `wrong` is the name, letter by letter, with words around it that add nothing."""
    given, known = words_in(wrong), words_in(name)
    size = len(known)
    for at in range(len(given) - size + 1):
        if given[at : at + size] == known and at + size <= len(given):
            return {singular(one) for one in given[:at] + given[at + size :]} <= {*spare}
    return False


def _adds_nothing(given: tuple[str, ...], known: tuple[str, ...], spare: Iterable[str]) -> bool:
    """Whether every word of the name is said, and what is said beside them adds nothing."""
    mine, theirs = _left(given, known)
    if theirs or not mine or len(mine) == len(given):
        return False
    return {singular(one) for one in mine} <= {*spare} - _TELLING


def _left(
    given: tuple[str, ...], known: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of either that the other does not have; equal words are taken first."""
    mine, theirs = list(given), list(known)
    for compare in (str.__eq__, is_same_word):
        for word in list(mine):
            match = next((one for one in theirs if compare(word, one)), None)
            if match is not None:
                mine.remove(word)
                theirs.remove(match)
    return tuple(mine), tuple(theirs)


def singular(word: str) -> str:
    """A word without the ending of its plural."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


@cache
def _numbers() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for index, group in enumerate(GROUPS):
        for word in group.split():
            found.setdefault(word, set()).add(index)
    return {word: frozenset(numbers) for word, numbers in found.items()}
