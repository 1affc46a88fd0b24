"""Words of expressions in any language: names, numbers, texts and signs."""

import re

from toolweave.patterns import pattern
from toolweave.workflow.formats.foreign.tree import NotReadable
from toolweave.workflow.formats.foreign.word_signs import Word, ends_value, with_signs

_WORD = pattern(
    r"""
    (?P<space>\s+|/\*.*?\*/)
    |(?P<text>[fFrRbBuU]{0,2}(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))
    |(?P<template>`(?:\\.|[^`\\])*`)
    |(?P<name>\$?[A-Za-z_][A-Za-z0-9_$]*|\$\$?)
    |(?P<number>0[xX][0-9a-fA-F]+
        |(?:[0-9]+(?:_[0-9]+)*(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[uUnLlfFdD]?(?!\w))
    |(?P<comment>(?<![\w\])])\#(?!\{)[^\n]*|//[^\n]*)
    |(?P<sign>\.\.\.|===|!==|=/=|=~|!~|~=|<>|=<|=>|\?\.\[|\?\.|\.\?|\?\[|\?\?|\*\*|[<>=!]=|&&|\|\||->
        |[-+*/%<>!?:.,()\[\]{}=&|;@~])
    """,
    re.VERBOSE | re.DOTALL,
)
_REGEX = pattern(r"/(?![/*])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+)/([gimsuy]*)")
# `a // b` is a division in Python and a default in jq, and no comment.
_NO_COMMENT = pattern(
    r"//(?!\s*[A-Za-z][\w']*\s+[A-Za-z][^()\[\]{}|+*/=<>'\"]*$)[^\n]*", re.MULTILINE
)
_INDEX = pattern(r"\.([0-9]+)")
_OPEN = {"(": ")", "[": "]", "{": "}"}
_QUOTED = pattern(r"""'(?:\\.|[^'\\])*'?|"(?:\\.|[^"\\])*"?|[()\[\]{}]""")


_COMMAS = pattern(
    r"""'(?:\\.|[^'\\])*'?|"(?:\\.|[^"\\])*"?|[()\[\]{}]"""
    r"""|(?<![\w.,])(?P<whole>\d+),(?P<part>\d+)(?![\w.,])"""
)
_THOUSAND = 3
_MONEY = r"[$\u20ac\u00a3\u00a5]"
_CURRENCY = pattern(
    r"""'(?:\\.|[^'\\])*'?|"(?:\\.|[^"\\])*"?"""
    rf"""|(?<![\w$.]){_MONEY}[ ]?(?P<after>\d[\d_]*(?:\.\d+)?)(?![\w.])"""
    rf"""|(?<![\w$.])(?P<before>\d[\d_]*(?:\.\d+)?)[ ]?(?:{_MONEY}|(?:USD|EUR|GBP|CHF|JPY)\b)"""
)


def words_of(text: str) -> list[Word]:
    """All words without spaces and comments, and an empty one at the end."""
    found: list[Word] = []
    at = 0
    while at < len(text):
        if (special := _special(text, at, found)) is not None:
            at = special
            continue
        match = _WORD.match(text, at)
        if match is None:
            raise NotReadable
        at = match.end()
        kind = match.lastgroup or ""
        if kind not in {"space", "comment"}:
            found.append(Word(kind, match[0]))
    return [*with_signs(found), Word("end", "")]


def _special(text: str, at: int, found: list[Word]) -> int | None:
    """Read what depends on the word before it: `.0` after a value, `/x/` where a value begins."""
    is_after = bool(found) and ends_value(found[-1])
    if is_after and _NO_COMMENT.match(text, at):
        found.append(Word("sign", "//"))
        return at + 2
    if is_after and (index := _INDEX.match(text, at)):
        found += (Word("sign", "."), Word("number", index[1]))
        return index.end()
    if not is_after and (regex := _REGEX.match(text, at)) and "g" not in regex[2]:
        flags = "".join(one for one in regex[2] if one in "ims")
        found.append(Word("regex", f"(?{flags}){regex[1]}" if flags else regex[1]))
        return regex.end()
    return None


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


def without_currency(text: str) -> str | None:
    """The text with amounts as numbers: `100` for `$100` and `100 EUR`."""
    plain = _CURRENCY.sub(lambda found: found["after"] or found["before"] or found[0], text)
    return plain if plain != text else None


def _with_quote(text: str, quote: str, closers: str) -> str | None:
    whole = text.rstrip()
    if not closers:
        return whole + quote
    return whole.removesuffix(closers) + quote + closers if whole.endswith(closers) else None
