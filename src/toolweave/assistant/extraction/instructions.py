"""Which words of a request begin an instruction: `Greet`, `Please draw`."""

from collections.abc import Collection, Sequence
from itertools import pairwise

from toolweave.assistant.extraction.english import words
from toolweave.assistant.extraction.prepositions import ROLES
from toolweave.assistant.extraction.shapes import is_code
from toolweave.assistant.extraction.tokens import STOP_WORDS, RequestToken, is_among, stem

_POLITE, _VERBS = words("polite"), words("verbs")
_DETERMINERS = words("determiners")
_NEXT = frozenset({"and", "then"})
GOING_ON = frozenset({"and", "with", "under", "as"})


def instructions(
    tokens: Sequence[RequestToken], tool_stems: Collection[str]
) -> tuple[set[int], set[int]]:
    """Return the places of such words, and those that follow a place: `On east run …`."""
    found: set[int] = set()
    late: set[int] = set()
    is_open, is_late = True, False
    for at, token in enumerate(tokens):
        is_open = is_open or token.starts_sentence
        if is_open and token.word not in _POLITE:
            is_open = False
            is_late = token.word in ROLES
            is_plain = not token.is_quoted and token.word not in STOP_WORDS
            if is_plain and _is_verb(tokens, at, tool_stems):
                found.add(at)
        elif is_late and _is_late_verb(tokens, at):
            is_late = False
            found.add(at)
            late.add(at)
    return found, late


def _is_late_verb(tokens: Sequence[RequestToken], at: int) -> bool:
    token, before = tokens[at], tokens[at - 1]
    is_noun = before.word in _DETERMINERS or before.word in ROLES
    return token.word in _VERBS and not token.is_capitalized and not is_noun


def _is_verb(tokens: Sequence[RequestToken], at: int, tool_stems: Collection[str]) -> bool:
    token = tokens[at]
    if token.word in _VERBS or is_among(token.word, tool_stems):
        return True
    following = tokens[at + 1] if at + 1 < len(tokens) else token
    is_before_object = following.word in _DETERMINERS or is_code(following.text)
    if is_before_object and not token.after and token.text.isalpha():
        return True
    # `Tokyo weather`, `San Francisco`: an unknown capitalized word is rather a name.
    return not token.is_capitalized and not is_code(token.text)


def has_instruction(tokens: Sequence[RequestToken]) -> bool:
    """Whether another instruction begins inside, as in `Lunch and say`."""
    return any(
        word.word in _NEXT and following.word in _VERBS and not following.is_capitalized
        for word, following in pairwise(tokens)
    )


def goes_on_to_other(tokens: Sequence[RequestToken], other_stems: Collection[str]) -> bool:
    """Whether words go on to another parameter: `Lunch and the tags food`."""
    for at, token in enumerate(tokens):
        if token.word in GOING_ON:
            rest = (one for one in tokens[at + 1 :] if one.word not in _DETERMINERS)
            named = next(rest, None)
            if named is not None and stem(named.word) in other_stems:
                return True
    return False
