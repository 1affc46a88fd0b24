"""A foreign expression as CEL: what a fix writes. A run does not translate these."""

from collections.abc import Collection
from dataclasses import dataclass

from toolweave.cel.language import compile_text
from toolweave.cel.parser import MAX_CHARS
from toolweave.cel.templates import read_template
from toolweave.patterns import pattern
from toolweave.workflow.formats.foreign.characters import straightened
from toolweave.workflow.formats.foreign.parser import read_foreign
from toolweave.workflow.formats.foreign.tree import NotReadable
from toolweave.workflow.formats.foreign.words import closed, with_points
from toolweave.workflow.formats.foreign.writer import ForeignWriter

_ASSIGNED = pattern(r"(?:(?:let|const|var)\s+)?([A-Za-z_]\w*)\s*=(?![=<>])\s*")


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
) -> Foreign | None:
    """The CEL for a text of another language; None where it has not exactly one.

    `parameter` is the name that a function may have for the item, `target` one that the result
    may be assigned to.
    """
    if len(text) > MAX_CHARS:
        return None
    plain = straightened(text).strip()
    if plain.startswith("=") and not plain.startswith("=="):
        plain = plain[1:].lstrip()
    assigned = _ASSIGNED.match(plain)
    if assigned and assigned[1] == target:
        plain = plain[assigned.end() :]
    if not in_template and "{{" in plain:
        plain = _without_braces(plain) or plain
    for tried in (plain, closed(plain), with_points(plain)):
        if tried is None:
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
