"""Finds the options that a value means, by words instead of letters."""

from collections.abc import Iterable, Sequence
from functools import cache
from unicodedata import combining, normalize

from toolweave.patterns import pattern
from toolweave.tools import foreign_words, key_groups, output_groups, word_groups
from toolweave.tools.name_words import alike, singular

MAX_LENGTH = 60
MAX_OPTIONS = 100
# The letters of a shortened word, and those that are left out, at least.
_SHORTEST = 3
_SEPARATORS = pattern(r"[\s_.\-]+")
_WORD = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NOTE = pattern(r"\s*\([^()]*\)$")
_TAG = pattern(r"([a-z]{2})[-_][A-Za-z]{2,4}")
_MEDIA = pattern(r"[a-z]+/(?:[a-z.]+\+)?(?:x-)?([a-z-]+)(?:;.*)?")
_VERSION = pattern(r"([A-Za-z]{3,})v?\d+")
_STEM = pattern(r"(?:ation|ing|ed|es|s|e|ion)$")
# A value with one of these says the opposite of the option it contains.
_NEGATIONS = frozenset({"not", "no", "non", "without", "never", "except", "un", "dont", "skip"})
# Words that make another setting of one: bounds, ends, units, the opposite.
_CHANGING = frozenset(
    {*_NEGATIONS, "max", "min", "maximum", "minimum", "start", "end", "default", "rate", "error"}
    | {"previous", "next", "first", "last", "total", "initial", "fallback", "retry", "exclude"}
    | {"old", "parent", "other", "secondary", "on", "enable", "disable", "ms", "seconds", "from"}
)
# Words that add nothing to a name.
_GENERIC = frozenset(
    {"config", "name", "list", "expression", "text", "param", "setting", "option", "value"}
    | {"num", "number", "param", "parameter", "field", "the", "my", "str", "string", "array"}
)
# Words by which other systems control a run.
_CONTROL = frozenset(
    {"retry", "retries", "error", "fail", "failure", "condition", "when", "if", "unless", "only"}
    | {"fallback", "catch", "then", "else", "next", "after", "before", "depends", "timeout", "skip"}
    | {"secret", "token", "password", "key", "auth", "credential", "credentials", "approval"}
)
_CREDENTIAL = frozenset(
    {"api", "key", "token", "access", "auth", "secret", "bearer", "credential", "credentials"}
    | {"apikey", "bot", "password", "personal", "authorization", "integration", "service"}
)
# Words that add nothing to the name of a result.
_OF_RESULTS = frozenset({"data", "result", "text", "content", "output", "list", "final"})
_NOISE = frozenset({"api", "chat", "type", "mode", "the", "a", "an", "by", "to", "of", "new"})


def meant(given: str, options: Iterable[str], about: str = "") -> list[str]:
    """The options that `given` may mean; one is certain, several are a choice.

    `about` is the name of the field; its words may be repeated in a value.
    """
    known = list(dict.fromkeys(options))[:MAX_OPTIONS]
    value = _NOTE.sub("", given.strip())
    if not value or len(value) > MAX_LENGTH or _is_qualified(value, known):
        return []  # `pull_request.opened` means less than `pull_request`
    for similar in (_same, _short):
        if found := similar(value, known):
            return found
    # A single word that is only similar may mean another option.
    is_name = len(_in_order(value)) > 1
    if found := _worded(value, known, about) or (alike(value, known, about) if is_name else []):
        return found
    if about and (rest := _after(value, about)):
        return meant(rest, known)
    english = translated(value)
    return meant(english, known, about) if english and english != value else []


def _after(value: str, about: str) -> str | None:
    """`none` of `body_type.none`, where the field is `body_type`."""
    head, rest = value[: len(about)], value[len(about) :].lstrip("._:-/ =")
    is_before = plain_word(head) == plain_word(about) and len(rest) < len(value) - len(about)
    return rest if is_before and rest else None


def _is_qualified(value: str, known: Sequence[str]) -> bool:
    head, point, _ = value.partition(".")
    return bool(point) and head in known


def _same(value: str, known: Sequence[str]) -> list[str]:
    """Options with the same letters, or in a group with the value."""
    plain = plain_word(value)
    same = [option for option in known if plain_word(option) == plain]
    if same:
        return same
    return _grouped(plain, known, word_groups.GROUPS)


def _grouped(plain: str, known: Sequence[str], groups: tuple[str, ...]) -> list[str]:
    numbers = _numbers(groups)
    mine = numbers.get(plain, frozenset())
    return [one for one in known if mine & numbers.get(plain_word(one), frozenset())]


def renamed(wrong: str, free: Iterable[str]) -> list[str]:
    """The names among `free` that a key of another system means."""
    known = list(dict.fromkeys(free))[:MAX_OPTIONS]
    plain = plain_word(wrong)
    same = [name for name in known if plain_word(name) == plain]
    in_order = sorted(_in_order(wrong))
    if len(in_order) > 1 and not same:
        # `seconds_duration` for `duration_seconds`
        same = [name for name in known if sorted(_in_order(name)) == in_order]
    if found := same or _grouped(plain, known, key_groups.GROUPS):
        return found
    english = translated(wrong)
    if english is None or english == wrong:
        return []
    return renamed(english, known) or alike(english, known) or containing(english, known)


def reordered(wrong: str, free: Iterable[str]) -> list[str]:
    """The names with the same words in another order, or without the marks of a text around."""
    given = _in_order(wrong)
    plain = wrong.strip("`*_'\"<>[]{}() :,\u201c\u201d\u2018\u2019")
    return [
        name
        for name in list(dict.fromkeys(free))[:MAX_OPTIONS]
        if plain == name or (len(given) > 1 and sorted(given) == sorted(_in_order(name)))
    ]


def containing(wrong: str, free: Iterable[str]) -> list[str]:
    """The names that say more than `wrong` (`host`: `smtp_host`), or less by words without meaning.

    Not where the other words change the meaning, such as a unit, a bound or the other end.
    """
    given = [singular(one) for one in _in_order(wrong)]
    found: list[str] = []
    for name in list(dict.fromkeys(free))[:MAX_OPTIONS]:
        known = [singular(one) for one in _in_order(name)]
        if not given or not known or given == known:
            continue
        if len(known) > len(given):
            is_tail = known[-len(given) :] == given and not _CHANGING & {*known[: -len(given)]}
            is_head = known[: len(given)] == given and {*known[len(given) :]} <= _GENERIC
            found += [name] if is_tail or is_head else []
        elif len(given) > len(known):
            rest = [one for one in given if one not in known]
            is_same = [one for one in given if one in known] == known
            found += [name] if is_same and {*rest} <= _GENERIC else []
    return found


def shortened(wrong: str, free: Iterable[str]) -> list[str]:
    """The names of which `wrong` has the beginnings of the words, or the other way round.

    `delim` is `delimiter`, and `repository_name` is `repo_name`.
    """
    given = _in_order(wrong)
    return [
        name
        for name in list(dict.fromkeys(free))[:MAX_OPTIONS]
        if len(known := _in_order(name)) == len(given)
        and known != given
        and all(_begins(one, other) for one, other in zip(given, known, strict=True))
    ]


def _begins(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    # `counter` is no long form of `count`.
    is_cut = len(short) >= _SHORTEST and len(long) - len(short) >= _SHORTEST
    return one == other or (is_cut and long.startswith(short))


def is_credential(name: str) -> bool:
    """Whether a name says nothing but that it is a token, a key or a secret."""
    return bool(found := _in_order(name)) and {*found} <= _CREDENTIAL


def says_when(name: str) -> bool:
    """Whether a key asks for something to happen or not, rather than being a detail of it."""
    return bool(_CONTROL & {*_in_order(name)})


def _in_order(name: str) -> list[str]:
    return [one.lower() for one in _WORD.findall(name)]


def translated(name: str) -> str | None:
    """A name with German, French, Spanish, Italian or Portuguese words in English."""
    words = _in_order(unaccented(name))
    found = [_english().get(one) or _english().get(_as_umlaut(one)) for one in words]
    if not any(found):
        return None
    return "_".join(english or word for english, word in zip(found, words, strict=True))


def _as_umlaut(word: str) -> str:
    """`empfanger` for `empfaenger`: without accents, both are written so."""
    return word.replace("ae", "a").replace("oe", "o").replace("ue", "u")


def unaccented(text: str) -> str:
    """The letters without accents, and umlauts as one letter."""
    return "".join(one for one in normalize("NFKD", text) if not combining(one))


@cache
def _english() -> dict[str, str]:
    return {
        word: group.partition(":")[0]
        for group in foreign_words.GROUPS
        for word in group.partition(":")[2].split()
    }


def outputs_meant(wrong: str, known: Iterable[str]) -> list[str]:
    """The outputs that a name of another system means."""
    names = list(dict.fromkeys(known))[:MAX_OPTIONS]
    if len(wrong) > MAX_LENGTH:
        return []
    plain = plain_word(wrong)
    same = [name for name in names if plain_word(name) == plain]
    if found := same or _grouped(plain, names, output_groups.GROUPS):
        return found
    # `response` is not `response_time`: what the other words say must add nothing.
    found = _worded(wrong, names, "")
    is_more = len(found) == 1 and not words(found[0]) - words(wrong) <= _OF_RESULTS
    return [] if is_more else found


def is_related(wrong: str, known: Iterable[str]) -> bool:
    """Whether a name shares a word with another, so that it may mean it."""
    given = words(wrong)
    return any(given & words(name) for name in list(known)[:MAX_OPTIONS])


def _short(value: str, known: Sequence[str]) -> list[str]:
    """`de-DE` for `de`, `text/html` for `html`, `sqlite3` for `sqlite`, `qa` for its words."""
    lowered = value.strip().lower()
    for expression in (_TAG, _MEDIA, _VERSION):
        if match := expression.fullmatch(lowered):
            return _same(match.group(1), known)
    if 2 <= len(lowered) <= 4:
        return [one for one in known if _initials(one) == lowered]
    return []


def _worded(value: str, known: Sequence[str], about: str) -> list[str]:
    """Options whose words are those of the value, more or fewer."""
    given = words(value)
    if not given or given & _NEGATIONS:
        return []
    named = {option: found for option in known if (found := words(option))}
    equal = [option for option, found in named.items() if found == given]
    # `delete` alone says not what; a wrong guess could not be undone.
    is_open = given <= _destructive()
    longer = [] if is_open else [option for option, found in named.items() if given < found]
    spare = _NOISE | words(about)
    shorter = [
        option
        for option, found in named.items()
        if found < given and (len(found) > 1 or given - found <= spare)
    ]
    return equal or longer or shorter


@cache
def _destructive() -> frozenset[str]:
    return words("delete remove drop ban kick revoke archive clear purge cancel close")


@cache
def words(name: str) -> frozenset[str]:
    """The words of a name in their basic form: `chat.postMessage` is chat, message and send."""
    return frozenset(_basic(one.lower()) for one in _WORD.findall(name))


def plain_word(text: str) -> str:
    """A word without case and separators."""
    return _SEPARATORS.sub("", text.strip().casefold()) or text.strip()


def _basic(word: str) -> str:
    if word in _verbs():
        return _verbs()[word]
    stem = _STEM.sub("", word)
    return _verbs().get(stem, stem if len(stem) > 2 else word)


def _initials(option: str) -> str:
    found = _WORD.findall(option)
    return "".join(one[0].lower() for one in found) if len(found) > 1 else ""


@cache
def _numbers(groups: tuple[str, ...]) -> dict[str, frozenset[int]]:
    """The numbers of the groups of every word."""
    found: dict[str, set[int]] = {}
    for index, group in enumerate(groups):
        for word in group.split():
            found.setdefault(plain_word(word), set()).add(index)
    return {word: frozenset(numbers) for word, numbers in found.items()}


@cache
def _verbs() -> dict[str, str]:
    return {word: group.split()[0] for group in word_groups.VERBS for word in group.split()}
