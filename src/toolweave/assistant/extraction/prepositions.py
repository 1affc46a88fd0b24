"""What the preposition before a value says about its parameter: `to Paris`, `from main`."""

from collections.abc import Collection, Sequence

from toolweave.assistant.extraction.english import roles, words
from toolweave.assistant.extraction.fields import ParameterField
from toolweave.assistant.extraction.tokens import RequestToken, stem

ROLES = roles()
_DETERMINERS = words("determiners")
_STEMS = {word: frozenset(map(stem, names)) for word, names in ROLES.items()}
MIN_PART = 3


def preposition_at(tokens: Sequence[RequestToken], begin: int, field: ParameterField) -> int | None:
    """Return where the word before a value stands, across an article and the parameter's name."""
    at = begin - 1
    while at >= 0 and not tokens[at].after and _is_between(tokens[at].word, field):
        at -= 1
    return at if at >= 0 and not tokens[at].after else None


def _is_between(word: str, field: ParameterField) -> bool:
    return word in _DETERMINERS or (word in field.name_words and word not in ROLES)


def preposition_score(word: str, field: ParameterField) -> float:
    """Score what a preposition says about the value after it."""
    if word in field.name_words and word in ROLES:
        return 3.0
    if word in field.prepositions:
        return 2.0
    names = ROLES.get(word, frozenset[str]())
    if any(is_named(part, names) for part in field.name_words):
        return 1.5
    return 1.0 if _STEMS.get(word, frozenset()) & field.description_stems else 0.0


def is_named(word: str, names: Collection[str]) -> bool:
    """Whether a word of a name is among others, cut short (`repo`) or joined (`username`)."""
    if word in names:
        return True
    return any(
        (len(word) >= MIN_PART and name.startswith(word))
        or (len(name) > MIN_PART and (word.startswith(name) or word.endswith(name)))
        for name in names
    )
