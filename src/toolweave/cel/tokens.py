"""Tokens of CEL and of languages with similar tokens: enough to find where expressions end.

Both have the same names, numbers, operators and quotes; CEL adds prefixes and triple quotes. Every
character is read once: an unclosed quote takes the rest of its line.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

from toolweave.patterns import pattern

TokenKind = Literal["space", "text", "template", "name", "number", "operator", "other", "end"]

_TEXT = r"""
    (?P<text>
        (?:[rR][bB]?|[bB][rR])(?:
            \"\"\"(?s:(?!\"\"\").)*(?:\"\"\")?
            |'''(?s:(?!''').)*(?:''')?
            |\"[^\"\n\r]*\"?
            |'[^'\n\r]*'?
        )
        |[bB]?(?:
            \"\"\"(?s:\\.|(?!\"\"\").)*(?:\"\"\")?
            |'''(?s:\\.|(?!''').)*(?:''')?
            |\"(?:\\.|[^\"\\\n\r])*\"?
            |'(?:\\.|[^'\\\n\r])*'?
        )
    )
    """
_NUMBER = r"""
    (?P<number>0[xX][0-9a-fA-F]+[uU]?|(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[uU]?)
    """
_ANY = pattern(
    rf"""
    (?P<space>\s+|//[^\n]*)
    |{_TEXT}
    |(?P<template>`(?:\\.|[^`\\])*`?)
    |(?P<name>[A-Za-z_$][A-Za-z0-9_$]*)
    |{_NUMBER}
    |(?P<operator>===|!==|\?\.|\.\?|\[\?|\?\?|=>|\*\*|\+\+|--|[<>=!]=|&&|\|\|
        |[-+*/%<>!?:.,()\[\]{{}}=&|^~;])
    |(?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_CEL = pattern(
    rf"""
    (?P<space>[ \t\r\n\f]+|//[^\n]*)
    |{_TEXT}
    |(?P<template>`[^`\n]*`?)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |{_NUMBER}
    |(?P<operator>[<>=!]=|&&|\|\||[-+*/%<>!?:.,()\[\]{{}}])
    |(?P<other>=>|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_NAME = pattern(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
KEYWORDS = frozenset({"in", "true", "false", "null"})
# Reserved words of CEL; they can follow a dot but not name a variable. `loop` would be
# one more, but callers may use it as a variable.
RESERVED = KEYWORDS | {
    *("as", "break", "const", "continue", "else", "for", "function", "if", "import", "let"),
    *("package", "namespace", "return", "var", "void", "while"),
}


class Token(NamedTuple):
    """One word, and where it begins."""

    kind: TokenKind
    text: str
    at: int

    @property
    def end(self) -> int:
        """Where the next one may begin."""
        return self.at + len(self.text)


def tokens(text: str, start: int = 0) -> Iterator[Token]:
    """Yield the tokens of `text` from `start` without white space and comments."""
    return _words(_ANY, text, start)


def cel_tokens(text: str) -> list[Token]:
    """Return the tokens of `text` by the grammar of CEL, followed by an `end` token."""
    return [*_words(_CEL, text, 0), Token("end", "", len(text))]


def _words(pattern: re.Pattern[str], text: str, start: int) -> Iterator[Token]:
    for match in pattern.finditer(text, start):
        kind = _KINDS[match.lastgroup or "other"]
        if kind != "space":
            yield Token(kind, match[0], match.start())


_KINDS: dict[str, TokenKind] = {kind: kind for kind in get_args(TokenKind)}


def is_name(text: str) -> bool:
    """Whether CEL takes the text as a name after a dot."""
    return _NAME.fullmatch(text) is not None and text not in KEYWORDS
