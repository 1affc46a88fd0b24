"""Finds the options that a value means, by words instead of letters."""

from collections.abc import Iterable, Sequence
from functools import cache
from unicodedata import combining, normalize

from toolweave.patterns import pattern
from toolweave.tools import foreign_words, output_groups, word_groups
from toolweave.tools.name_words import alike

MAX_LENGTH = 60
MAX_OPTIONS = 100
_SEPARATORS = pattern(r"[\s_.\-]+")
_WORD = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NOTE = pattern(r"\s*\([^()]*\)$")
_TAG = pattern(r"([a-z]{2})[-_][A-Za-z]{2,4}")
_MEDIA = pattern(r"[a-z]+/(?:[a-z.]+\+)?(?:x-)?([a-z-]+)(?:;.*)?")
_VERSION = pattern(r"([A-Za-z]{3,})v?\d+")
_STEM = pattern(r"(?:ions|ion|ing|ed|es|s|e)$")
_TAIL = pattern(r"(?:icat|at|i|y)$")
# A value with one of these says the opposite of the option it contains.
_NEGATIONS = frozenset({"not", "no", "non", "without", "never", "except", "un", "dont", "skip"})
# Words that make another setting of one: bounds, ends, units, the opposite.
CHANGING = frozenset(
    {*_NEGATIONS, "max", "min", "maximum", "minimum", "start", "end", "default", "rate", "error"}
    | {"previous", "next", "first", "last", "total", "initial", "fallback", "retry", "exclude"}
    | {"old", "parent", "other", "secondary", "on", "enable", "disable", "ms", "seconds", "from"}
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
    if found := _same(value, known):
        return found
    both = [] if _MEDIA.fullmatch(value.lower()) else mentioned(value, known)
    if found := both or _short(value, known) or _method(value, known):
        return found
    if _MEDIA.fullmatch(value.lower()):
        return []  # `multipart/form-data` is no `form`
    # A single word that is only similar may mean another option.
    is_name = len(_in_order(value)) > 1
    if found := _worded(value, known, about) or (alike(value, known, about) if is_name else []):
        return found
    if about and (rest := _after(value, about)):
        return meant(rest, known)
    english = translated(value)
    return meant(english, known, about) if english and english != value else []


def mentioned(value: str, options: Iterable[str]) -> list[str]:
    """The options that a value names beside each other, at least two: `get_or_set`, `json|csv`."""
    given = _in_order(value)
    found = [
        (at, at + len(own), option)
        for option in list(dict.fromkeys(options))[:MAX_OPTIONS]
        if (own := _in_order(option))
        for at in range(len(given) - len(own) + 1)
        if given[at : at + len(own)] == own
    ]
    # `fork_repository` names no `fork`.
    whole = [
        option
        for start, end, option in found
        if not any(a <= start and end <= b and end - start < b - a for a, b, _ in found)
    ]
    several = list(dict.fromkeys(whole))
    return several if len(several) > 1 else []


def is_another_form(value: str, options: Iterable[str]) -> bool:
    """Whether a value is a word for one of the options, whatever else its words name."""
    known = list(dict.fromkeys(options))[:MAX_OPTIONS]
    is_media = _MEDIA.fullmatch(value.lower()) is not None
    return len(_same(value, known)) == 1 or (is_media and len(_short(value, known)) == 1)


def _method(value: str, known: Sequence[str]) -> list[str]:
    """`create_release` for `repos.createRelease`: what follows the last point says what is done."""
    tail = value.rpartition(".")[2]
    if tail == value or not tail or _equal(value, known):
        return []
    return _equal(tail, known) or _one_of_vendor(_longer(tail, known))


def _equal(value: str, known: Sequence[str]) -> list[str]:
    given = words(value)
    return [option for option in known if given and words(option) == given]


def _longer(value: str, known: Sequence[str]) -> list[str]:
    given = words(value)
    if not given or given <= _open_verbs():
        return []
    return [option for option in known if given < words(option)]


def _one_of_vendor(found: list[str]) -> list[str]:
    """`update_event` of `update_event` and `google_calendar_update_event`, which are the same."""
    short = min(found, key=len, default="")
    return [short] if found and all(one.endswith(short) for one in found) else found


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
    return grouped(plain, known, word_groups.GROUPS)


def grouped(plain: str, known: Sequence[str], groups: tuple[str, ...]) -> list[str]:
    """The names in one group with a plain word."""
    numbers = _numbers(groups)
    mine = numbers.get(plain, frozenset())
    return [one for one in known if mine & numbers.get(plain_word(one), frozenset())]


def _in_order(name: str) -> list[str]:
    return [one.lower() for one in _WORD.findall(name)]


def translated(name: str) -> str | None:
    """A name with German, French, Spanish, Italian or Portuguese words in English."""
    words = _in_order(unaccented(name))
    found = [
        _english().get(one) or _english().get(_as_umlaut(one)) or _compound(one) for one in words
    ]
    if not any(found):
        return None
    return "_".join(english or word for english, word in zip(found, words, strict=True))


def _compound(word: str) -> str | None:
    """`sort_field` for `sortierfeld`: two words of one language as one."""
    for at in range(len(word) - 3, 2, -1):
        last = _english().get(word[at:])
        if last is None:
            continue
        head = word[:at]
        # The first word may have lost its ending, or have a letter that joins the two.
        forms = (head, head.removesuffix("s"), head.removesuffix("n"), f"{head}en", f"{head}n")
        first = next((_english()[one] for one in forms if one in _english()), None)
        if first is not None:
            return f"{first}_{last}"
    return None


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
    if found := same or grouped(plain, names, output_groups.GROUPS):
        return found
    # `response` is not `response_time`: what the other words say must add nothing.
    found = _worded(wrong, names, "")
    is_more = len(found) == 1 and not words(found[0]) - words(wrong) <= _OF_RESULTS
    return [] if is_more else found


def _short(value: str, known: Sequence[str]) -> list[str]:
    """`de-DE` for `de`, `text/html` for `html`, `sqlite3` for `sqlite`, `qa` for its words."""
    lowered = value.strip().lower()
    if lowered.startswith("multipart/"):
        return []  # another form than that of a web page
    for expression in (_TAG, _MEDIA, _VERSION):
        if match := expression.fullmatch(lowered):
            return _same(match.group(1), known)
    if 2 <= len(lowered) <= 4 and (found := [one for one in known if _initials(one) == lowered]):
        return found
    # `med` for `medium`, where no other option begins so.
    begun = [one for one in known if one.lower().startswith(lowered)]
    is_cut = len(lowered) > 2 and len(begun) == 1 and begun[0].isalpha() and lowered.isalpha()
    return begun if is_cut else []


def _worded(value: str, known: Sequence[str], about: str) -> list[str]:
    """Options whose words are those of the value, more or fewer."""
    given = words(value)
    if given & _NEGATIONS:
        # `does_not_equal` is `not_equals`; nothing but words without meaning may differ.
        spare = words("does do is are be was to")
        return [option for option in known if words(option) - spare == given - spare]
    if not given:
        return []
    named = {option: found for option in known if (found := words(option))}
    equal = [option for option, found in named.items() if found == given]
    longer = _one_of_vendor(_longer(value, known))
    spare = _NOISE | words(about)
    shorter = [
        option
        for option, found in named.items()
        if found < given and (len(found) > 1 or given - found <= spare | _being())
    ]
    # A sentence says more than a name.
    is_name = not any(one.isspace() for one in value)
    found = equal or longer or shorter or (_named_in(given, named) if is_name else [])
    return found or _without_kind(given, named, about) or _of_one_stem(value, given, named)


def _of_one_stem(value: str, given: frozenset[str], named: dict[str, frozenset[str]]) -> list[str]:
    """`financial_audit` for `finance`: the only option with a word of the same stem."""
    if len(given) != 1 or not value.isalpha() or given <= _open_verbs():
        return []
    (word,) = given
    return [
        option
        for option, said in named.items()
        if len(word) > 4 and any(one.startswith(word) for one in said)
    ]


def _named_in(given: frozenset[str], named: dict[str, frozenset[str]]) -> list[str]:
    """The only option that is a word of the value, such as `text` of `GUILD_TEXT`."""
    found = [option for option, said in named.items() if said <= given]
    if len(found) != 1 or len(given) > 3:
        return []
    rest = given - named[found[0]]
    others = frozenset[str]().union(*named.values())
    is_plain = not rest & (CHANGING | others) and all(len(one) > 2 for one in rest)
    return found if is_plain else []


def _without_kind(given: frozenset[str], named: dict[str, frozenset[str]], about: str) -> list[str]:
    """`treat_as_empty` for `empty_string`: words for the kind of a value say nothing."""
    kinds = words("string value text type mode option strategy policy action")
    told = given - kinds - words(about)
    if not told or told == given or told <= _open_verbs():
        return []
    return [option for option, said in named.items() if told <= said]


@cache
def _being() -> frozenset[str]:
    """Words for something being there, which a name may leave out: `file` for `file_created`."""
    return words("created exists existing arrived available ready received present found")


@cache
def _open_verbs() -> frozenset[str]:
    """Verbs that alone do not say what they are done to, and cannot be undone."""
    return words("delete remove drop clear purge")


@cache
def words(name: str) -> frozenset[str]:
    """The words of a name in their basic form: `chat.postMessage` is chat, message and send."""
    return frozenset(_basic(one.lower()) for one in _WORD.findall(name))


def is_verb(word: str) -> bool:
    """Whether a word is one of those that operations are named with."""
    return word in _verbs()


def plain_word(text: str) -> str:
    """A word without case and separators."""
    return _SEPARATORS.sub("", text.strip().casefold()) or text.strip()


def _basic(word: str) -> str:
    verbs = _verbs()
    core = _core(word)
    return verbs.get(word) or verbs.get(core) or core


def _core(word: str) -> str:
    """A word without its ending: `creation` and `created` are one, `modified` and `modify`."""
    stem = _STEM.sub("", word)
    stem = stem if len(stem) > 2 else word
    short = _TAIL.sub("", stem) if stem != word or word.endswith("y") else stem
    return short if len(short) > 2 else stem


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
    found = {word: group.split()[0] for group in word_groups.VERBS for word in group.split()}
    return {_core(word): first for word, first in found.items()} | found
