"""Characters that word processors, web pages and keyboards put in place of those of code."""

import html
import re

from toolweave.patterns import pattern

_ENTITY = pattern(r"&(?:amp|lt|gt|quot|apos|nbsp|#0*39|#x27|#0*34);")
# Texts in straight quotes stay as they are; texts in other quotes get straight ones.
_PART = pattern(
    r"""(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)
    |(?P<double>[\u201c\u201d\u201e\u00ab](?P<in_double>[^\u201c\u201d\u00bb"]*)[\u201c\u201d\u00bb"])
    |(?P<single>[\u2018\u2019\u201a](?P<in_single>[^\u2018\u2019']*)[\u2018\u2019'])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_STRAIGHT = {
    **dict.fromkeys("\u00d7\u2217\u22c5\u00b7", "*"),
    **dict.fromkeys("\u00f7\u2215\u2044", "/"),
    **dict.fromkeys("\u2212\u2013\u2014\u2010\u2011", "-"),
    **dict.fromkeys("\u2024\uff0e\u3002", "."),
    **dict.fromkeys("\u00a0\u2007\u202f\u2009\u200a\u3000", " "),
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", ""),
    "\u2264": "<=",
    "\u2265": ">=",
    "\u2260": "!=",
    "\u2261": "==",
    "\u21d2": "=>",
    "\u2227": "&&",
    "\u2228": "||",
    "\u00ac": "!",
    "\u2208": " in ",
    "\u2026": "...",
}


def straightened(text: str) -> str:
    """The text with the characters of code; straight quotes and what is in them stay."""
    if text.isascii():
        return html.unescape(text) if _ENTITY.search(text) else text
    plain = html.unescape(text) if _ENTITY.search(text) else text
    return _PART.sub(_character, plain)


def _character(found: re.Match[str]) -> str:
    if (inside := found["in_double"]) is not None:
        return f'"{inside}"'
    if (inside := found["in_single"]) is not None:
        return f"'{inside}'"
    other = found["other"]
    if other is None:
        return found[0]
    if "\uff01" <= other <= "\uff5e":
        return chr(ord(other) - 0xFEE0)
    return _STRAIGHT.get(other, other)
