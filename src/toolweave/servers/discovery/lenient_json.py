"""Prepare almost-valid JSON, and detect TOML that takes quadratic time, before parsing.

Every pattern runs in linear time, also over text with an unclosed string or comment.
"""

import re

from toolweave.patterns import pattern

_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?'
_COMMENTS = pattern(rf"{_STRING}|//[^\r\n]*+|/\*.*?(?:\*/|\Z)", re.DOTALL)
_TRAILING_COMMAS = pattern(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
_WITHIN_LINES = pattern(r"[^\r\n]+")

_TOML_TEXT = pattern(
    rf"\"\"\"(?:[^\\]|\\.)*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)|{_STRING}|'[^'\n]*+'?|#[^\n]*+",
    re.DOTALL,
)
_TOML_KEY = pattern(r"[\w. \t-]+")
_MOST_KEY_PARTS = 32


def strip_comments(text: str) -> str:
    """Return `text` as plain JSON: comments and trailing commas become spaces, positions stay."""
    plain = _COMMENTS.sub(lambda match: _blank(match[0]), text)
    return _TRAILING_COMMAS.sub(lambda match: _blank(match[0]), plain)


def has_excessive_key(toml: str) -> bool:
    """Whether a dotted key has so many parts that `tomllib` would need quadratic time.

    80 kB of `a.a.a…` took 25 seconds; a cloned project can contain such a file.
    """
    keys = _TOML_KEY.findall(_TOML_TEXT.sub("_", toml))
    return any(key.count(".") >= _MOST_KEY_PARTS for key in keys)


def _blank(text: str) -> str:
    if text.startswith('"'):
        return text
    return _WITHIN_LINES.sub(lambda line: " " * len(line[0]), text)
