"""The values of CEL's literals: whole numbers, decimals, texts and bytes with their escapes."""

import re

from toolweave.cel.fault import Malformed
from toolweave.cel.values import INT_MAX, INT_MIN, UINT_MAX, UInt
from toolweave.patterns import pattern

_TEXT = pattern(
    r"(?P<prefix>[bB]?[rR]?)(?P<quote>'''|\"\"\"|'(?!'')|\"(?!\"\"))(?P<inner>.*)(?P=quote)",
    re.DOTALL,
)
_LONGEST = 40
_NEWLINE = pattern(r"\r\n?")
_ESCAPE = pattern(
    r"\\(?:(?P<plain>[abfnrtv\\?\"'`])"
    r"|(?P<octal>[0-3][0-7][0-7])"
    r"|[xX](?P<hex>[0-9a-fA-F]{2})"
    r"|(?:u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8}))"
    r"|(?P<wrong>.?))",
    re.DOTALL,
)
_PLAIN = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def read_number(word: str) -> int | UInt | float:
    """Return the value of a number literal, with its sign. Raises `Malformed`."""
    if word.endswith(("u", "U")):
        return UInt(_whole(word[:-1], 0, UINT_MAX))
    if "x" not in word.lower() and any(mark in word for mark in ".eE"):
        return float(word)
    return _whole(word, INT_MIN, INT_MAX)


def _whole(digits: str, least: int, most: int) -> int:
    try:
        value = most + 1 if len(digits) > _LONGEST else int(digits, 16 if "0x" in digits else 10)
    except ValueError:
        raise Malformed(0, f"{digits[:80]!r} is no whole number") from None
    if least <= value <= most:
        return value
    hint = "write it as a decimal, with .0 at the end"
    raise Malformed(0, f"a whole number is at most {most} and at least {least}", hint)


def read_text(word: str) -> str | bytes:
    """Return the value of a string or bytes literal. Raises `Malformed`."""
    found = _TEXT.fullmatch(word)
    if found is None:
        raise _unclosed()
    prefix, inner = found["prefix"].lower(), found["inner"]
    is_bytes, is_raw = "b" in prefix, "r" in prefix
    if "\r" in inner:
        inner = _NEWLINE.sub("\n", inner)
    if is_raw or "\\" not in inner:
        return inner.encode() if is_bytes else inner
    pieces: list[str] = []
    end = 0
    for escape in _ESCAPE.finditer(inner):
        pieces += inner[end : escape.start()], _character(escape, found.start("inner"), is_bytes)
        end = escape.end()
    pieces.append(inner[end:])
    # The bytes that escapes name were kept as lone surrogates, which no text has.
    return "".join(pieces).encode("utf-8", "surrogateescape") if is_bytes else "".join(pieces)


def _character(escape: re.Match[str], start: int, is_bytes: bool) -> str:
    if plain := escape["plain"]:
        return _PLAIN.get(plain, plain)
    if (octal := escape["octal"]) or escape["hex"]:
        code = int(octal, 8) if octal else int(escape["hex"], 16)
        is_byte = is_bytes and code > 127
        return chr(code + 0xDC00) if is_byte else chr(code)
    digits = escape["short"] or escape["long"]
    if digits and not is_bytes:
        code = int(digits, 16)
        if code < 0xD800 or 0xDFFF < code <= 0x10FFFF:
            return chr(code)
    if escape[0] == "\\":
        raise _unclosed()  # the backslash took the last quote
    message = f"{escape[0]} means nothing in {'bytes' if is_bytes else 'a text'}"
    raise Malformed(start + escape.start(), message, "write \\\\ for a backslash")


def _unclosed() -> Malformed:
    return Malformed(0, "the text is not closed", "close it with the quote it begins with")
