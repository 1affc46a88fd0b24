"""Finds the names that an unknown key means by its words; `key_repair` asks the values too."""

from collections.abc import Iterable

from toolweave.tools import key_groups
from toolweave.tools.meaning import (
    CHANGING,
    MAX_OPTIONS,
    grouped,
    is_verb,
    plain_word,
    translated,
    words,
)
from toolweave.tools.name_words import alike, singular, words_in
from toolweave.tools.opposites import are_opposite

# The letters of a shortened word, and those that are left out, at least.
_SHORTEST = 3
# Words that add nothing to a name.
_GENERIC = frozenset(
    {"config", "name", "list", "expression", "text", "param", "setting", "option", "value"}
    | {"num", "number", "param", "parameter", "field", "the", "my", "str", "string", "array"}
)
# Words between others: `due_days` is `due_in_days`.
_FILLING = frozenset({"in", "of", "the", "for", "by", "a", "an"})
# Words by which other systems control a run.
_CONTROL = frozenset(
    {"retry", "retries", "error", "fail", "failure", "condition", "when", "if", "unless", "only"}
    | {"fallback", "catch", "then", "else", "next", "after", "before", "depends", "timeout", "skip"}
    | {"secret", "token", "password", "key", "auth", "credential", "credentials", "approval"}
)
# Words for doing something, in the name of a switch.
_SWITCHING = frozenset(
    {
        "should",
        "shall",
        "is",
        "are",
        "do",
        "does",
        "enable",
        "enabled",
        "use",
        "allow",
        "has",
        "can",
    }
    | {"with", "flag", "want", "must", "will", "be", "to", "activate", "active", "on", "need"}
    | {"needs", "require", "requires", "required", "only"}
)
# Keys for people and pictures, and names that other systems give to a result.
_DECORATION = frozenset(
    {"icon", "iconurl", "theme", "comment", "comments", "note", "notes", "remark", "remarks"}
    | {"emoji", "style", "cssclass", "classname", "layout", "author", "createdby", "owner"}
    | {"tooltip", "badge", "documentation", "doc", "docs", "displayname", "todo", "createdat"}
    | {"updatedat", "lastmodified", "outputvariable", "resultvariable", "saveas", "storeas"}
    | {"assignto", "outputkey", "resultkey", "resultpath", "outputpath", "storein", "saveto"}
    | {"outputname", "resultname", "register", "storeresultas", "saveresultas", "resultto"}
    | {"backgroundcolor", "bordercolor", "nodecolor", "width", "height", "x", "y", "zindex"}
)
# Words that many names have.
_VAGUE = words("name type mode config setting option value data text id")
_CREDENTIAL = frozenset(
    {"api", "key", "token", "access", "auth", "secret", "bearer", "credential", "credentials"}
    | {"apikey", "bot", "password", "personal", "authorization", "integration", "service"}
)


def renamed(wrong: str, free: Iterable[str]) -> list[str]:
    """The names among `free` that a key of another system means."""
    known = list(dict.fromkeys(free))[:MAX_OPTIONS]
    plain = plain_word(wrong)
    same = [name for name in known if plain_word(name) == plain]
    in_order = sorted(words_in(wrong))
    if len(in_order) > 1 and not same:
        # `seconds_duration` for `duration_seconds`
        same = [name for name in known if sorted(words_in(name)) == in_order]
    if found := same or grouped(plain, known, key_groups.GROUPS):
        return found
    english = translated(wrong)
    if english is None or english == wrong:
        return []
    return renamed(english, known) or alike(english, known) or containing(english, known)


def reordered(wrong: str, free: Iterable[str]) -> list[str]:
    """The names with the same words in another order, or without the marks of a text around."""
    given = [one for one in words_in(wrong) if one not in _FILLING]
    plain = wrong.strip("`*_'\"<>[]{}() :,\u201c\u201d\u2018\u2019")
    return [
        name
        for name in list(dict.fromkeys(free))[:MAX_OPTIONS]
        if plain == name
        or (
            len(given) > 1
            and sorted(given) == sorted(one for one in words_in(name) if one not in _FILLING)
        )
    ]


def containing(wrong: str, free: Iterable[str]) -> list[str]:
    """The names that say more than `wrong` (`host`: `smtp_host`), or less by words without meaning.

    Not where the other words change the meaning, such as a unit, a bound or the other end.
    """
    given = [singular(one) for one in words_in(wrong)]
    found: list[str] = []
    for name in list(dict.fromkeys(free))[:MAX_OPTIONS]:
        known = [singular(one) for one in words_in(name)]
        if not given or not known or given == known:
            continue
        if len(known) > len(given):
            is_tail = known[-len(given) :] == given and not CHANGING & {*known[: -len(given)]}
            is_head = known[: len(given)] == given and {*known[len(given) :]} <= _GENERIC
            found += [name] if is_tail or is_head else []
        elif len(given) > len(known):
            rest = [one for one in given if one not in known]
            is_same = [one for one in given if one in known] == known
            found += [name] if is_same and {*rest} <= _GENERIC else []
    return found


def longer_or_shorter(wrong: str, free: Iterable[str]) -> list[str]:
    """The names that have all words of `wrong` or are all in it, where none changes the meaning.

    Only for names of a few, such as the members of one object.
    """
    given = {singular(one) for one in words_in(wrong)}
    found: list[str] = []
    for name in list(dict.fromkeys(free))[:MAX_OPTIONS]:
        known = {singular(one) for one in words_in(name)}
        is_part = bool(given and known) and (given < known or known < given)
        if is_part and not (given ^ known) & CHANGING and max(map(len, given & known)) > 3:
            found.append(name)
    return found


def shortened(wrong: str, free: Iterable[str]) -> list[str]:
    """The names of which `wrong` has the beginnings of the words, or the other way round.

    `delim` is `delimiter`, and `repository_name` is `repo_name`.
    """
    given = words_in(wrong)
    return [
        name
        for name in list(dict.fromkeys(free))[:MAX_OPTIONS]
        if len(known := words_in(name)) == len(given)
        and known != given
        and all(_begins(one, other) for one, other in zip(given, known, strict=True))
    ]


def _begins(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    # `counter` is no long form of `count`.
    is_cut = len(short) >= _SHORTEST and len(long) - len(short) >= _SHORTEST
    return one == other or (is_cut and long.startswith(short))


def switches_meant(wrong: str, switches: Iterable[str]) -> list[str]:
    """The switches that say the same: `should_follow_redirects` and `follow_redirects`."""
    given = [one for one in words_in(wrong) if one not in _SWITCHING]
    return [
        name
        for name in list(dict.fromkeys(switches))[:MAX_OPTIONS]
        if given
        and given == [one for one in words_in(name) if one not in _SWITCHING]
        and not are_opposite(wrong, name)
    ]


def distinctive(wrong: str, known: Iterable[str]) -> list[str]:
    """The only one of all names of an object that has all words of `wrong`: `consensus_required`.

    Not where its other words change the meaning, such as a bound or the other end.
    """
    given = {singular(one) for one in words_in(wrong)}
    if not given or max(map(len, given)) < _SHORTEST + 1:
        return []
    found = {
        name: own
        for name in list(dict.fromkeys(known))[:MAX_OPTIONS]
        if given < (own := {singular(one) for one in words_in(name)})
    }
    if len(found) != 1:
        return []
    ((name, own),) = found.items()
    return [] if (own - given) & CHANGING or are_opposite(wrong, name) else [name]


def shares_word(wrong: str, name: str) -> bool:
    """Whether two names have a word in common that says something."""
    common = words(wrong) & words(name)
    return any(len(one) > 2 and one not in _VAGUE for one in common)


def is_other_verb(one: str, other: str) -> bool:
    """Whether two names differ in a verb only: `set_event` is no misspelt `get_event`."""
    mine, theirs = words_in(one), words_in(other)
    if len(mine) != len(theirs) or len(mine) < 2:
        return False
    differing = [(a, b) for a, b in zip(mine, theirs, strict=True) if a != b]
    return len(differing) == 1 and all(map(is_verb, differing[0]))


def is_decoration(name: str) -> bool:
    """Whether a key only describes a node or names its result, which a run does not look at."""
    return plain_word(name.lstrip("_$/#@")) in _DECORATION


def is_credential(name: str) -> bool:
    """Whether a name says nothing but that it is a token, a key or a secret."""
    return bool(found := words_in(name)) and {*found} <= _CREDENTIAL


def says_when(name: str) -> bool:
    """Whether a key asks for something to happen or not, rather than being a detail of it."""
    return bool(_CONTROL & {*words_in(name)})


def is_related(wrong: str, known: Iterable[str]) -> bool:
    """Whether a name shares a word with another, so that it may mean it."""
    given = words(wrong)
    return any(given & words(name) for name in list(known)[:MAX_OPTIONS])
