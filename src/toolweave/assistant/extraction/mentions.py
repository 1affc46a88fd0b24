"""What a request says about a parameter of yes or no: by its name, or by its description."""

from collections.abc import Sequence

from toolweave.assistant.extraction.english import words
from toolweave.assistant.extraction.fields import ParameterField
from toolweave.assistant.extraction.tokens import (
    STOP_WORDS,
    RequestToken,
    is_among,
    name_parts,
    stem,
)

_NEGATIONS, _VERBS = words("negations"), words("verbs")
_REMOVING = {stem(word) for word in words("removing")}


def said_yes_or_no(one: ParameterField, tokens: Sequence[RequestToken], about: str) -> bool | None:
    """Return what the request says; `None` if it does not mention the parameter."""
    at = _mention(one, tokens, about)
    if at is None:
        return None
    said = [token for token in tokens[max(0, at - 3) : at] if not token.ends_sentence]
    is_negated = any(token.word in _NEGATIONS for token in said)
    # `without sound`, for a parameter that removes the sound.
    is_named = any(is_among(part, one.name_stems) for part in name_parts(tokens[at].text))
    removes = bool(_REMOVING & one.description_stems) and not is_named
    return is_negated == removes


def _mention(one: ParameterField, tokens: Sequence[RequestToken], about: str) -> int | None:
    """Return where a parameter is named: by all words of its name."""
    parts = [part for part in name_parts(one.name) if part not in STOP_WORDS]
    # `no invite` for `send_invite`.
    nouns = [part for part in parts if part not in _VERBS]
    wanted = {stem(part) for part in nouns or parts}
    places = [
        at
        for at, token in enumerate(tokens)
        if not token.is_quoted and any(is_among(part, wanted) for part in name_parts(token.text))
    ]
    said = {stem(part) for at in places for part in name_parts(tokens[at].text)}
    if wanted and all(is_among(part, said) for part in wanted):
        return places[0]
    return _description_mention(one, tokens, about)


def _description_mention(
    one: ParameterField, tokens: Sequence[RequestToken], about: str
) -> int | None:
    """Return where a word stands that only the description of this parameter has."""
    all_stems = [stem(word) for word in about.lower().replace(".", " ").split()]
    own = {part for part in one.description_stems if all_stems.count(part) == 1}
    places = (at for at, token in enumerate(tokens) if stem(token.word) in own)
    return next((at for at in places if not tokens[at].is_quoted), None)
