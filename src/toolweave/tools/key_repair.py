"""Which free name of an object an unknown key means, by words and by the value it has. Pure."""

from collections.abc import Iterable

from toolweave.json_text import Json, JsonObject
from toolweave.tools.key_meaning import (
    containing,
    distinctive,
    is_credential,
    renamed,
    reordered,
    shares_word,
    shortened,
    switches_meant,
)
from toolweave.tools.name_words import alike, words_in
from toolweave.tools.opposites import are_opposite
from toolweave.tools.violations import Explainer

MAX_COMPARED = 100
# Settings that every node has.
_COMMON = frozenset({"timeout"})
# Words for a time limit, and those that only say that it is one.
_LIMITS = _COMMON | {"deadline", "expiry", "expiration", "expires", "ttl"}
_PLAIN_LIMIT = _COMMON | {"time", "limit", "out", "max", "maximum", "second", "seconds", "sec", "s"}


def related_keys(
    name: str, given: JsonObject, strange: list[str], known: JsonObject, explainer: Explainer
) -> list[str]:
    """The only unknown key with a word of a missing name, where its value fits no free name else.

    Of the free names, no other one may share a word with it.
    """
    free = [one for one in known if one not in given and one != name]
    found = [
        key
        for key in strange[:MAX_COMPARED]
        if shares_word(key, name)
        and explainer.fits(known.get(name, True), given[key])
        and not are_opposite(key, name)
        and not any(shares_word(key, one) for one in free)
    ]
    return found if len(found) == 1 else []


def only_fitting(
    wrong: str, value: Json, known: JsonObject, free: list[str], explainer: Explainer
) -> str | None:
    """Return the only free name that means the same and accepts the value."""

    def fitting(names: Iterable[str]) -> list[str]:
        return [
            name
            for name in names
            if not _is_deprecated(known.get(name)) and explainer.fits(known.get(name, True), value)
        ]

    about = explainer.root.get("x-node") if isinstance(explainer.root, dict) else None
    found = (
        fitting(reordered(wrong, free))
        or fitting(switches_meant(wrong, [one for one in free if _is_switch(known.get(one))]))
        or fitting(one for one in distinctive(wrong, known) if one in free)
        or fitting(renamed(wrong, free))
        or fitting(alike(wrong, free, about if isinstance(about, str) else ""))
    )
    for similar in () if found else (containing, shortened):
        if len(others := fitting(similar(wrong, free))) == 1:
            return others[0]
    if not found and is_credential(wrong):
        found = [name for name in fitting(free) if _is_secret(known.get(name))]
    if len(found) != 1 or (found[0] in _COMMON and _has_own_limit(wrong, free)):
        return None  # the limit of the whole node, or one of its own
    return found[0]


def _has_own_limit(wrong: str, free: list[str]) -> bool:
    """Whether a node has a time limit of its own that `timeout` with another word may mean."""
    limits = _COMMON if {*words_in(wrong)} <= _PLAIN_LIMIT else _LIMITS
    return any(limits & {*words_in(name)} for name in free if name not in _COMMON)


def _is_switch(schema: Json) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "boolean"


def _is_secret(schema: Json) -> bool:
    return isinstance(schema, dict) and schema.get("writeOnly") is True


def _is_deprecated(schema: Json) -> bool:
    return isinstance(schema, dict) and schema.get("deprecated") is True
