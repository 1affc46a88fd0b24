"""Expressions in which one bracket or quote is missing or is too many. Not a check.

Every place for the sign is tried. Which of the texts can be evaluated is for the caller to find
out; where two of them have different meanings, there is no answer.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import pairwise
from typing import cast

from toolweave.cel.syntax import Term
from toolweave.cel.tokens import Token, cel_tokens
from toolweave.patterns import pattern

_MAX_LENGTH = 300
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_OPENING = {closing: opening for opening, closing in _CLOSING.items()}
_WORD_END = pattern(r"[\w)\]]")
_EDGE = pattern(r"(?<=\w)(?!\w)|(?<!\w)(?=\w)")


def with_one_sign(text: str) -> list[str]:
    """The text with one bracket or quote more, or with one bracket less; empty if none is wrong."""
    if len(text) > _MAX_LENGTH:
        return []
    words = cel_tokens(text)
    if any("//" in text[one.end : other.at] for one, other in pairwise(words)):
        return []  # what other languages divide by is a comment here
    if open_quote := next((one for one in words if _is_open(one)), None):
        found = _quoted(text, open_quote)
    elif (wrong := _unmatched(words)) is not None:
        found = _bracketed(text, words, *wrong)
    else:
        return []
    return [one for one in dict.fromkeys(found) if _is_complete(cel_tokens(one))]


def meaning_of(term: Term) -> object:
    """What an expression says, without the places of its parts: equal for equal meanings."""
    return _plain(term)


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(_plain, cast("tuple[object, ...]", value)))
    if is_dataclass(value):
        named = (one.name for one in fields(value) if one.name != "at")
        return (type(value).__name__, *(_plain(getattr(value, name)) for name in named))
    return (type(value).__name__, value)


def _is_open(word: Token) -> bool:
    """Whether a text has no quote at its end."""
    quotes = word.text.lstrip("rRbB")
    return word.kind == "text" and (len(quotes) < 2 or quotes[-1] != quotes[0])


def _is_complete(words: list[Token]) -> bool:
    return not any(map(_is_open, words)) and _unmatched(words) is None


def _quoted(text: str, word: Token) -> Iterator[str]:
    """The text with one more quote at the edge of a word; none that makes an empty text."""
    quote = word.text.lstrip("rRbB")[0]
    for edge in (*(found.start() for found in _EDGE.finditer(text)), len(text)):
        if quote not in {text[edge - 1 : edge], text[edge : edge + 1]}:
            yield f"{text[:edge]}{quote}{text[edge:]}"


def _unmatched(words: list[Token]) -> tuple[Token, bool] | None:
    """The only bracket without another one, and whether it opens."""
    opened: list[Token] = []
    wrong: list[tuple[Token, bool]] = []
    for word in words:
        if word.kind == "operator" and word.text in _CLOSING:
            opened.append(word)
        elif word.kind == "operator" and word.text in _OPENING:
            opening = _OPENING[word.text]
            if opened and opened[-1].text == opening:
                opened.pop()
            elif len(opened) > 1 and opened[-2].text == opening:
                wrong.append((opened[-1], True))
                del opened[-2:]
            else:
                wrong.append((word, False))
    wrong += [(word, True) for word in opened]
    return wrong[0] if len(wrong) == 1 else None


def _bracketed(text: str, words: list[Token], wrong: Token, is_opening: bool) -> Iterator[str]:
    if is_opening:
        sign = _CLOSING[wrong.text]
        places = [one.end for one in words if one.at >= wrong.end]
        # Without its bracket, `size(x` would be another name.
        same = [one for one in words if one.text == wrong.text and one.at <= wrong.at]
        same = [one for one in same if not _WORD_END.match(text[one.at - 1 : one.at])]
    else:
        sign = _OPENING[wrong.text]
        places = [one.at for one in words if one.end <= wrong.at]
        same = [one for one in words if one.text == wrong.text and one.at >= wrong.at]
    yield from (f"{text[:at]}{sign}{text[at:]}" for at in places)
    yield from (f"{text[: one.at]}{text[one.end :]}" for one in same)
