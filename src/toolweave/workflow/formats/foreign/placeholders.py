"""Placeholders of other systems in texts: `${x}`, `<%= x %>`, `[[ x ]]`, `{x}` and their like.

Whether one is meant as a placeholder depends on what it names, which the caller knows.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from toolweave.patterns import pattern

# The beginnings and ends, by the first character that all of them need.
_FORMS = (
    # `{ { x } }`, as an editor formats it.
    pattern(r"(?<!\{)\{(?:\s+\{|\{(?=[^{}]+\}\s+\}))\s*(?P<inside>[^{}]+?)\s*\}\s*\}(?!\})"),
    pattern(r"\$\{\{\s*(?P<inside>.*?)\s*\}\}", re.DOTALL),
    pattern(r"(?:\$|#|%|@)\{\s*(?P<inside>[^{}]+?)\s*\}"),
    pattern(r"\{%-?\s*(?P<inside>[A-Za-z_]\w*(?:\.\w+)+)\s*-?%\}"),
    pattern(r"\[%[=-]?\s*(?P<inside>[^%]+?)\s*-?%\]"),
    pattern(r"<%[=-]?\s*(?P<inside>[^%]+?)\s*-?%>"),
    pattern(r"(?<!\[)\[\[\s*(?P<inside>[^\[\]]+(?:\[[^\[\]]*\])*[^\[\]]*?)\s*\]\](?!\])"),
    pattern(r"(?<![{$#%@\w\\])\{\s*(?P<inside>[A-Za-z_$][\w$]*(?:\.[\w$]+|\[\w+\])+)\s*\}(?!\})"),
)
# A path with one sign before it, such as `$a.b` of a shell and `@a.b` of Razor.
_LED = pattern(r"(?<![\w.@$/{([<])[$@](?P<inside>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)")
# Any marks around a path, such as `<<a.b>>`, `%a.b%`, `$(a.b)`, `#[a.b]` and `{!a.b}`.
_MARKED = pattern(
    r"(?P<open>[$#@!=%\\]?(?:<{1,2}|\[|\(\(?|\{)[!$#@=]?|%|#|@|\||__|~)\s*"
    r"(?P<inside>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\])+?)"
    r"\s*(?P<close>[#]?(?:>{1,2}|\]|\)\)?|\})|%|#|@|\||__|~)"
)
# Marks that stand in words, too.
_IN_WORDS = frozenset({"%", "#", "@", "|", "~", "__", "["})
_MIRRORED = str.maketrans("<[({", ">])}")
_BARE = pattern(r"\$(?:\.|\[|\(['\"]|json\b|node\b|input\b|trigger\b|items\()")
_STARTS = pattern(
    r"[$#%@]\{|<%|\[%|\[\[|[<\[(%#@|~]\(?[ ]?[A-Za-z_$]|\{[!#]|__[a-z]"
    r"|(?<!\{)\{[A-Za-z_$% \n]|^\s*[=`$]|^[A-Za-z_][\w-]*[.\[]|(?<!\w)\$[A-Za-z_]\w*\.",
    re.MULTILINE,
)
# A character that all of these have.
_SIGNS = pattern(r"[$#%@<\[(|~{=`.]|__")
_MAX_SHORT = 200
# Longer texts are data: patterns would hold up every other thread while they read them.
_MAX_READ = 100_000
BLOCK = pattern(r"\{%-?\s*(?:if|for|set|endif|endfor|else|block|assign|unless)\b")


@dataclass(frozen=True, slots=True)
class ForeignPlaceholder:
    """One placeholder, the expression in it, and its range."""

    text: str
    expression: str
    start: int
    end: int
    # `${{ x }}` contains one of ours.
    contains_ours: bool = False


_OF_N8N = pattern(r"\$(?:json|node|input|item|\()")


def may_be_foreign(text: str) -> bool:
    """Whether a text may have a foreign placeholder, or one of several texts in lines."""
    if len(text) > _MAX_READ or _SIGNS.search(text) is None:
        return False
    return _starts_so(text) if len(text) <= _MAX_SHORT else _STARTS.search(text) is not None


@lru_cache(maxsize=2_048)  # several checks ask, and documents repeat their texts
def _starts_so(text: str) -> bool:
    return _STARTS.search(text) is not None


def placeholders_in(text: str) -> Iterator[ForeignPlaceholder]:
    """Yield the foreign placeholders of a text from the left, without overlaps."""
    stripped = text.strip()
    if stripped.startswith("={{") and stripped.endswith("}}"):
        at = text.index("=")
        yield ForeignPlaceholder("=", "", at, at + 1, contains_ours=True)
        return
    found = [match for form in _FORMS for match in form.finditer(text)]
    end = 0
    for match in sorted(found, key=lambda one: (one.start(), -one.end())):
        if match.start() >= end and not _is_ours(text, match):
            end = match.end()
            is_ours = match[0].startswith("${{")
            yield ForeignPlaceholder(match[0], match["inside"].strip(), match.start(), end, is_ours)


def marked_paths(text: str) -> list[ForeignPlaceholder]:
    """Paths after or between marks, from the left; only some of them are placeholders."""
    return sorted(_marked_paths(text), key=lambda one: one.start)


def _marked_paths(text: str) -> Iterator[ForeignPlaceholder]:
    for match in _MARKED.finditer(text):
        opened = match["open"]
        core = opened.lstrip("$#@!=%\\") or opened
        core = core.rstrip("!$#@=") or core
        closed = match["close"]
        is_pair = core.translate(_MIRRORED) == (closed.lstrip("#") or closed)
        around = text[max(0, match.start() - 1) : match.start()], text[match.end() :][:1]
        is_apart = opened not in _IN_WORDS or not any(one.isalnum() for one in around)
        # Single round brackets are prose.
        is_placeholder = is_pair and is_apart and opened not in {"(", "{"} and around[0] != "{"
        if is_placeholder and not _is_ours(text, match):
            yield ForeignPlaceholder(match[0], match["inside"], match.start(), match.end())
    for match in _LED.finditer(text):
        if not _is_ours(text, match):
            yield ForeignPlaceholder(match[0], match["inside"], match.start(), match.end())


def bare_expression(text: str) -> str | None:
    """The expression that a whole text is without braces: `$.x`, `$json.x`, a template literal."""
    stripped = text.strip()
    if _BARE.match(stripped) and not any(one.isspace() for one in stripped):
        return stripped
    if _BARE.match(stripped) and stripped.startswith(("$(", "$node", "$items")):
        return stripped
    is_literal = len(stripped) > 2 and stripped[0] == stripped[-1] == "`" and "${" in stripped
    return stripped if is_literal else None


def _is_ours(text: str, match: re.Match[str]) -> bool:
    """Whether it is in one of our placeholders, or a reference to a secret."""
    inside = match["inside"]
    if inside.startswith(("vault:", "env:", "input:")):
        return True
    opened = text.rfind("{{", 0, match.start())
    return opened >= 0 and text.find("}}", opened, match.start()) < 0


# The sign before a whole text of n8n; `== Title ==` is a text.
_SIGN_OF_N8N = pattern(r"=(?![=>])")


def without_sign(right: str, text: str) -> str:
    """A translated text without the sign of an expression of n8n, where the text had it."""
    is_marked = _SIGN_OF_N8N.match(text) is not None and _OF_N8N.search(text) is not None
    return right[1:] if is_marked and right[:1] == "=" else right
