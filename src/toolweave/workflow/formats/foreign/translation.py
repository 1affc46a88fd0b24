"""A foreign expression as CEL: what a fix writes. A run does not translate these."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from toolweave.cel.language import compile_text
from toolweave.cel.parser import MAX_CHARS
from toolweave.cel.templates import read_template
from toolweave.patterns import pattern
from toolweave.workflow.formats.foreign.characters import straightened
from toolweave.workflow.formats.foreign.parser import read_foreign
from toolweave.workflow.formats.foreign.tree import NotReadable
from toolweave.workflow.formats.foreign.words import (
    closed,
    with_points,
    without_currency,
    words_of,
)
from toolweave.workflow.formats.foreign.writer import ForeignWriter

_ASSIGNED = pattern(
    r"(?:(?:let|const|var)\s+)?(?P<to>(?:[A-Za-z_]\w*\.)*(?P<name>[A-Za-z_]\w*))\s*"
    r"(?:(?P<sign>[-+*/%]?)=(?![=<>~])\s*(?P<value>.+)|(?P<step>\+\+|--)\s*;?\s*$)",
    re.DOTALL,
)
_OPERAND = pattern(r"[\w.\[\]]+|'[^']*'|\"[^\"]*\"")


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
) -> Foreign | None:
    """The CEL for a text of another language; None where it has not exactly one.

    `parameter` is the name that a function may have for the item, `target` one that the result
    may be assigned to. `=` compares in a condition, elsewhere it may assign.
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
        writer = ForeignWriter(names, in_template=in_template)
        try:
            found = writer.whole(read_foreign(tried), parameter).text
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
    joined = {"?", "if", "and", "or", "&&", "||", "&", "|", "=>", "->", "not", "!", "case", "when"}
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
