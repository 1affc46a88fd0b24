"""A foreign expression as CEL: what a fix writes. A run does not translate these."""

import html
import re
from collections.abc import Collection
from dataclasses import dataclass

from toolweave.cel.language import compile_text
from toolweave.cel.parser import MAX_CHARS
from toolweave.cel.templates import read_template
from toolweave.patterns import pattern
from toolweave.workflow.formats.foreign.source_language import language_of
from toolweave.workflow.formats.foreign.statements import read_foreign
from toolweave.workflow.formats.foreign.tree import NotReadable
from toolweave.workflow.formats.foreign.words import (
    closed,
    with_points,
    without_currency,
    words_of,
)
from toolweave.workflow.formats.foreign.writer import ForeignWriter, ShapeOf

_ASSIGNED = pattern(
    r"(?:(?:let|const|var)\s+)?(?P<to>(?:[A-Za-z_]\w*\.)*(?P<name>[A-Za-z_]\w*))\s*"
    r"(?:(?P<sign>[-+*/%]?)=(?![=<>~])\s*(?P<value>.+)|(?P<step>\+\+|--)\s*;?\s*$)",
    re.DOTALL,
)
_OPERAND = pattern(r"[\w.\[\]]+|'[^']*'|\"[^\"]*\"")


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


@dataclass(frozen=True, slots=True)
class Foreign:
    """An expression in CEL, and whether it was a JSONPath into the input."""

    cel: str
    has_json_path: bool = False


def translate_foreign(
    text: str,
    names: Collection[str],
    *,
    in_template: bool = False,
    parameter: str | None = None,
    target: str | None = None,
    is_condition: bool = True,
    is_decided: bool = False,
    shape_of: ShapeOf | None = None,
) -> Foreign | None:
    """The CEL for a text of another language; None where it has not exactly one.

    `parameter` is the name that a function may have for the item, `target` one that the result
    may be assigned to. `=` compares in a condition, elsewhere it may assign. `is_decided`: the
    result must be true or false. `shape_of` gives what is known of the value at a path.
    """
    if len(text) > MAX_CHARS:
        return None
    plain = straightened(text).strip()
    if plain.startswith("=") and not plain.startswith("=="):
        plain = plain[1:].lstrip()
    plain = _value_of_assignment(plain, target)
    if not in_template and "{{" in plain:
        plain = _without_braces(plain) or plain
    for tried in (plain, closed(plain), with_points(plain), without_currency(plain)):
        if tried is None or (not is_condition and _may_assign(tried)):
            continue
        try:
            language = language_of(words_of(tried))
            writer = ForeignWriter(
                names, in_template=in_template, language=language, shape_of=shape_of
            )
            tree = read_foreign(tried)
            found = writer.whole(tree, parameter, is_condition=is_decided).text
        except (NotReadable, RecursionError):
            continue
        expression = compile_text(found)
        if expression.is_usable and expression.is_ours and found != text:
            return Foreign(found, writer.has_json_path)
    return None


def _value_of_assignment(text: str, target: str | None) -> str:
    """`item.n * 2` for `item.n *= 2` and `n = item.n * 2`, where the field `n` is set."""
    found = _ASSIGNED.match(text)
    if found is None or found["name"] != target:
        return text
    if found["step"]:
        return f"{found['to']} {found['step'][0]} 1"
    value = found["value"].strip().rstrip(";").rstrip()
    if not found["sign"]:
        return value
    value = value if _OPERAND.fullmatch(value) else f"({value})"
    return f"{found['to']} {found['sign']} {value}"


def _may_assign(text: str) -> bool:
    """Whether the only sign outside of brackets is `=`, which is no comparison everywhere."""
    try:
        words = words_of(text)
    except NotReadable:
        return False
    depth = 0
    outer: set[str] = set()
    for word in words:
        depth += (word.text in {"(", "[", "{"}) - (word.text in {")", "]", "}"})
        if depth == 0 and word.kind in {"sign", "name"}:
            outer.add(word.text.lower())
    joined = {"?", "if", "and", "or", "&&", "||", "&", "|", "=>", "->", "not", "!"}
    joined |= {"case", "when", "return"}
    return "=" in outer and not outer & joined


def _without_braces(text: str) -> str | None:
    """The text with the content of its placeholders in their place."""
    template = read_template(text)
    if template.faults:
        return None
    pieces: list[str] = []
    end = 0
    for one in template.placeholders:
        is_whole = (one.start, one.end) == (0, len(text))
        path = compile_text(one.content).path
        pieces += [text[end : one.start], one.content if path or is_whole else f"({one.content})"]
        end = one.end
    return "".join((*pieces, text[end:]))
