"""Words of expressions in any language: names, numbers, texts and signs."""

import re
from typing import NamedTuple

from toolweave.patterns import pattern
from toolweave.workflow.formats.foreign.tree import NotReadable

_WORD = pattern(
    r"""
    (?P<space>\s+|/\*.*?\*/)
    |(?P<text>[fFrRbBuU]{0,2}(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))
    |(?P<template>`(?:\\.|[^`\\])*`)
    |(?P<name>\$?[A-Za-z_][A-Za-z0-9_$]*|\$)
    |(?P<number>0[xX][0-9a-fA-F]+|(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[uU]?)
    |(?P<comment>\#(?!\{)[^\n]*|//[^\n]*)
    |(?P<sign>===|!==|=/=|<>|=<|=>|\?\.\[|\?\.|\.\?|\?\[|\?\?|\*\*|[<>=!]=|&&|\|\||->
        |[-+*/%<>!?:.,()\[\]{}=&|;@])
    """,
    re.VERBOSE | re.DOTALL,
)
_OPEN = {"(": ")", "[": "]", "{": "}"}
_QUOTED = pattern(r"""'(?:\\.|[^'\\])*'?|"(?:\\.|[^"\\])*"?|[()\[\]{}]""")


_COMMAS = pattern(
    r"""'(?:\\.|[^'\\])*'?|"(?:\\.|[^"\\])*"?|[()\[\]{}]"""
    r"""|(?<![\w.,])(?P<whole>\d+),(?P<part>\d+)(?![\w.,])"""
)
_THOUSAND = 3


class Word(NamedTuple):
    """One word."""

    kind: str
    text: str


def words_of(text: str) -> list[Word]:
    """All words without spaces and comments, and an empty one at the end."""
    found: list[Word] = []
    at = 0
    while at < len(text):
        match = _WORD.match(text, at)
        if match is None:
            raise NotReadable
        at = match.end()
        kind = match.lastgroup or ""
        if kind not in {"space", "comment"}:
            found.append(Word(kind, match[0]))
    return [*found, Word("end", "")]


def closed(text: str) -> str | None:
    """The text with the quote or brackets that it does not close, where their place is clear."""
    needed: list[str] = []
    for found in _QUOTED.finditer(text):
        word = found[0]
        if word in _OPEN:
            needed.append(_OPEN[word])
        elif word in {")", "]", "}"}:
            if not needed or needed.pop() != word:
                return None
        elif len(word) < 2 or word[-1] != word[0]:
            return _with_quote(text, word[0], "".join(reversed(needed)))
    return text.rstrip() + "".join(reversed(needed)) if needed else None


def with_points(text: str) -> str | None:
    """The text with decimal points in place of commas, where no list or call has one."""
    depth = 0
    pieces: list[str] = []
    end = 0
    for found in _COMMAS.finditer(text):
        word = found[0]
        depth += (word in _OPEN) - (word in _OPEN.values())
        if found["whole"] is None:
            continue
        # `1,000` may be a thousand.
        if depth or len(found["part"]) == _THOUSAND:
            return None
        pieces += (text[end : found.start()], f"{found['whole']}.{found['part']}")
        end = found.end()
    return "".join((*pieces, text[end:])) if pieces else None


def _with_quote(text: str, quote: str, closers: str) -> str | None:
    whole = text.rstrip()
    if not closers:
        return whole + quote
    return whole.removesuffix(closers) + quote + closers if whole.endswith(closers) else None
