"""Writes a corrected path into the text of an expression. Not a check."""

import re
from collections.abc import Iterable
from itertools import pairwise

from toolweave.cel.language import compile_text
from toolweave.cel.paths import Path, quoted, write_path
from toolweave.cel.tokens import Token, is_name, tokens
from toolweave.workflow.scope.resolved_path import ResolvedPath
from toolweave.workflow.shapes import Kind

# Properties of other languages for the number of items or characters.
_LENGTHS = frozenset({"length", "size", "count", "len"})
_COUNTED: frozenset[Kind] = frozenset({"array", "string"})


def rewritten(text: str, wrong: Path, right: Path) -> str | None:
    """Replace a path by another everywhere in an expression."""
    words = list(tokens(text))
    spans = list(_spans(words, wrong))
    replacement = write_path(right)
    if not spans and len(wrong) == len(right):
        spans, replacement = _single_step(words, wrong, right)
    for start, end in reversed(spans):
        text = text[:start] + replacement + text[end:]
    expression = compile_text(text)
    read = {reference.path for reference in expression.references}
    return text if spans and expression.is_usable and right in read and wrong not in read else None


def with_size(text: str, path: Path, found: ResolvedPath) -> str | None:
    """`size(rows) > 0` for `rows.length > 0`, where rows are a list or a text."""
    is_last = found.at == len(path) - 1 and found.trouble == "field"
    if not is_last or str(path[-1]).lower() not in _LENGTHS or not found.shape.kinds <= _COUNTED:
        return None
    return rewritten_by(text, path, "size({})", written=write_path(path[:-1]))


def rewritten_by(text: str, path: Path, form: str, written: str | None = None) -> str | None:
    """Put a path into a form such as `string({})` everywhere in an expression."""
    spans = _spans(list(tokens(text)), path)
    for start, end in reversed(spans):
        text = text[:start] + form.format(written or text[start:end]) + text[end:]
    return text if spans and compile_text(text).is_usable else None


def with_quoted_ids(text: str, ids: Iterable[str]) -> str | None:
    """`nodes['first-part'].output` for `first-part` everywhere in an expression."""
    found = text
    for one in sorted(ids, key=len, reverse=True):
        if not is_name(one) and one in text:
            plain = re.compile(rf"""("[^"]*"|'[^']*')|(?<![\w.'"-]){re.escape(one)}(?![\w'"-])""")
            found = re.sub(rf"\bnodes\.{re.escape(one)}(?![\w-])", f"nodes[{quoted(one)}]", found)
            id_ = f"nodes[{quoted(one)}].output"
            found = plain.sub(lambda match, id_=id_: match[1] or id_, found)
    return found if found != text and compile_text(found).is_usable else None


def place_of(text: str, path: Path, at: int) -> int | None:
    """The range of a path's step in an expression."""
    words = list(tokens(text))
    for index in range(len(words)):
        end = _matched(words, index, path[: at + 1])
        if end is not None:
            is_key = words[end - 1].text == "]"
            return words[end - 2 if is_key else end - 1].at
    named = [one for one in words if one.text == path[at]]
    return named[0].at if len(named) == 1 else None


def _spans(words: list[Token], path: Path) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for index in range(len(words)):
        end = _matched(words, index, path)
        if end is not None:
            found.append((words[index].at, words[end - 1].end))
    return found


def _matched(words: list[Token], start: int, path: Path) -> int | None:
    """Return the index of the token after the path that starts at a token."""
    is_inner = start > 0 and words[start - 1].text in {".", ".?"}
    if words[start].text != path[0] or is_inner:
        return None
    at = start + 1
    for step in path[1:]:
        following = [one.text for one in words[at : at + 3]]
        if following[:2] == [".", step]:
            at += 2
        elif len(following) == 3 and following[0] == "[" and _is_key(following[1], step):
            at += 3
        else:
            return None
    return at


def _is_key(text: str, step: object) -> bool:
    if isinstance(step, int):
        return text == str(step)
    return isinstance(step, str) and text.replace('"', "'") == quoted(step)


def _single_step(words: list[Token], wrong: Path, right: Path) -> tuple[list[tuple[int, int]], str]:
    """Find the only differing step if the path is not written out, as in a macro."""
    differing = [at for at in range(len(wrong)) if wrong[at] != right[at]]
    if len(differing) != 1:
        return [], ""
    old, new = wrong[differing[0]], right[differing[0]]
    named = [word for before, word in pairwise(words) if before.text == "." and word.text == old]
    if len(named) != 1 or not isinstance(new, str) or not is_name(new):
        return [], ""
    return [(named[0].at, named[0].end)], new
