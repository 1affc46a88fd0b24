"""Finds the one workflow in a text around it: code fences, a sentence, an assignment, a string.

The work is bounded, and a text with two possible values is not read.
"""

import html
import itertools
import re
from collections.abc import Callable, Iterator
from typing import TypeGuard
from urllib.parse import unquote

import orjson

from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.patterns import pattern
from toolweave.problems import Problem
from toolweave.workflow.formats import envelope
from toolweave.workflow.formats.loose_json import REPEATED_KEY, Ambiguous, Loose, read_loose

# Reading this way is slow; larger files are written by programs.
MAX_CHARACTERS = 200_000
_FENCE = pattern(r"^[ \t]*```[^\n`]*$", re.MULTILINE)
# What some models write before an answer.
_THOUGHTS = pattern(
    r"\A\s*<(think|thinking|reasoning|analysis|scratchpad)>.*?</\1>\s*", re.DOTALL | re.IGNORECASE
)
_BRACKETS = pattern(r"[{\[]")
# A member where an object should begin.
_FIRST_KEY = pattern(r"\s*\"[\w$-]{1,40}\"\s*:\s*[\"{\[]")
# Lines of YAML: what follows is a part of them.
_YAML = pattern(r"^(?:[ \t]+[\w-]+:|[\w-]+:[ \t]+\S|[ \t]*-\s)", re.MULTILINE)
# Closing signs after the end of the value.
_SPARE = pattern(r"[\]})\s]{1,8}")
_NUMBERED = pattern(r"[ \t]*(\d{1,5})(?:[:|.)\]]|\t|[ ]{2,})[ \t]?(.*)")
_COLOURS = pattern(r"\x1b\[[0-9;]*m")
_TAGGED = pattern(
    r"\A\s*<(\w[\w-]*)(?:\s[^<>]*)?>\s*(?:<!\[CDATA\[)?(.*?)(?:\]\]>)?\s*</\1>\s*\Z", re.DOTALL
)
_BARE_QUOTE = pattern(r'(?<!\\)"')
_MARKS = (">", "+", "|")
_MAX_TAGS = 4
_MAX_MEMBERS = 20
_ASSIGNMENT = pattern(r"(?:(?:export\s+)?(?:const|let|var)\s+)?[\w$.]+\s*(?::\s*\w+\s*)?=\s*$")


def read_text(data: bytes) -> tuple[Json, Problem] | None:
    """The value in a text that is not JSON, and a warning with the clean copy; None if unclear."""
    text = data.decode("utf-8", "replace")
    if len(text) > MAX_CHARACTERS or "\ufffd" in text:
        return None
    try:
        found = _read(text)
    except Ambiguous:
        return None
    if not isinstance(found.value, dict):
        return None
    return found.value, odd_text(found.value, found.oddities)


def unwrapped(document: Json) -> tuple[Json, Problem] | None:
    """The workflow in a JSON text that holds it as text or as the only item of a list."""
    if isinstance(document, list) and len(document) == 1 and _is_workflow(document[0]):
        return document[0], odd_text(document[0], ["a list around the workflow"])
    if isinstance(document, dict) and "nodes" not in document:
        texts = [*_texts_of_workflows(document)]
        if len(texts) == 1:
            return unwrapped(texts[0])
    if not isinstance(document, str) or len(document) > MAX_CHARACTERS:
        return None
    if document.lstrip()[:1] == "{":
        try:
            found = read_loose(document, document.index("{"))
        except Ambiguous:
            return None
        if _is_workflow(found.value) and not document[found.end :].strip():
            oddities = ["the workflow written as one text", *found.oddities]
            return found.value, odd_text(found.value, oddities)
    return None


def _is_text_of_workflow(value: Json) -> TypeGuard[str]:
    """Whether a member holds a workflow as text, such as `content` of a chat's answer."""
    return isinstance(value, str) and value.lstrip()[:1] == "{" and '"nodes"' in value


def _texts_of_workflows(value: Json, depth: int = 4) -> Iterator[str]:
    """The texts in an answer or a call of a tool that hold a workflow."""
    if _is_text_of_workflow(value):
        yield value
    elif depth and isinstance(value, dict | list):
        for one in list(value.values() if isinstance(value, dict) else value)[:_MAX_MEMBERS]:
            yield from _texts_of_workflows(one, depth - 1)


def odd_text(document: Json, oddities: list[str]) -> Problem:
    """The warning about a text that is not JSON; its fix is the clean copy."""
    return Problem(
        "WORKFLOW_TEXT_CORRECTED",
        "",
        f"the text is not plain JSON; it was read without {', '.join(oddities) or 'the rest'}",
        "save the corrected copy",
        "warning",
        ({"op": "replace", "path": "", "value": document},),
    )


def _read(text: str) -> Loose:
    oddities: list[str] = []
    cleanings: tuple[tuple[Callable[[str], str | None], str], ...] = (
        (_percent_decoded, "the encoding of an address"),
        (_entities, "HTML entities"),
        (_unescaped, "backslashes before its quotes"),
        (lambda given: _COLOURS.sub("", given), "colours of a terminal"),
        (lambda given: _THOUGHTS.sub("", given), "the thoughts before it"),
        (_without_numbers, "line numbers"),
        (_without_marks, "marks before each line"),
        (_untagged, "tags around it"),
    )
    for cleaned, oddity in cleanings:
        rest = cleaned(text)
        if rest is not None and rest != text:
            text = rest
            oddities.append(oddity)
    inner = _in_fence(text)
    if inner is not None:
        text = inner
        oddities.append("the text around it")
    if _FIRST_KEY.match(text):
        text = "{" + text
        oddities.append("a missing '{' at the beginning")
    start = _BRACKETS.search(text)
    if start is None:
        raise Ambiguous("there is no object")
    before = text[: start.start()].strip("\ufeff \t\r\n+")
    if before and not _is_prose(before):
        raise Ambiguous("the value is a part of something")
    found = read_loose(text, start.start())
    after = text[found.end :].strip().strip(";").strip()
    if _SPARE.fullmatch(after):
        oddities.append("brackets that nothing opened")
        after = ""
    if _BRACKETS.search(after) or after[:1] in {",", ":", "}", "]"}:
        raise Ambiguous("there is more than one value")
    if (before or after) and inner is None:
        oddities.append("the text around it")
    found.oddities[:0] = oddities
    return found


def _untagged(text: str) -> str:
    for _ in range(_MAX_TAGS):
        text = _TAGGED.sub(r"\2", text)
    return text


def _percent_decoded(text: str) -> str | None:
    return unquote(text) if text.lstrip()[:3].lower() == "%7b" and "{" not in text else None


def _entities(text: str) -> str | None:
    return html.unescape(text) if '"' not in text and "&quot;" in text else None


def _unescaped(text: str) -> str | None:
    r"""The text without the escapes of a string that held it: `{\"id\": 1}`."""
    if '\\"' not in text or _BARE_QUOTE.search(text):
        return None
    try:
        found = orjson.loads(f'"{text.strip()}"'.replace("\n", "\\n"))
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, str) else None


def _without_marks(text: str) -> str | None:
    """The lines of a quotation or of an added file, without the mark that each of them has."""
    lines = [line for line in text.splitlines() if line.strip()]
    marks = {line.lstrip()[:1] for line in lines}
    if len(marks) != 1 or not marks <= {*_MARKS}:
        return None
    if len(lines) == 1 and lines[0].lstrip()[1:].lstrip()[:1] != "{":
        return None
    return "\n".join(line.lstrip()[1:] for line in lines)


def _without_numbers(text: str) -> str | None:
    """The text without the line numbers of an editor; None if a line has another number."""
    lines = [line for line in text.splitlines() if line.strip()]
    found = [_NUMBERED.fullmatch(line) for line in lines]
    numbers = [int(one[1]) for one in found if one is not None]
    if not lines or len(numbers) != len(lines):
        return None
    is_counted = all(one < other for one, other in itertools.pairwise(numbers))
    return "\n".join(one[2] for one in found if one) if is_counted else None


def _in_fence(text: str) -> str | None:
    """The content of the only fenced block with an object; None if there are no fences."""
    signs = list(_FENCE.finditer(text))
    if not signs:
        return None
    if len(signs) > 1 and len(signs) % 2:
        raise Ambiguous("a code block is not closed")
    ends = [*signs[1::2], None] if len(signs) == 1 else signs[1::2]
    blocks = [
        text[one.end() : other.start() if other else len(text)]
        for one, other in zip(signs[::2], ends, strict=True)
    ]
    found = [block for block in blocks if block.strip()[:1] in {"{", "/", "#"}]
    if len(found) != 1:
        raise Ambiguous("there is not exactly one code block with an object")
    return found[0]


def _is_prose(text: str) -> bool:
    is_comment = all(line.strip().startswith(("//", "#")) for line in text.splitlines())
    if is_comment or _ASSIGNMENT.fullmatch(text):
        return True
    return not _YAML.search(text) and not any(sign in text for sign in "}]<>\x1b")


def _is_workflow(value: Json) -> bool:
    inner, _ = envelope.unwrapped(value)
    return isinstance(inner.get("nodes"), list) or isinstance(inner.get("flows"), list)


def corrected(data: bytes, error: Invalid) -> tuple[Json, Problem]:
    """The value in a text that JSON and YAML refuse; raises their error if it is not clear."""
    found = _repeated(data) if _is_json(data) else read_text(data)
    if found is None:
        raise error
    return found


def _repeated(data: bytes) -> tuple[Json, Problem] | None:
    """The value of a JSON text whose only fault is keys that are there twice with one value."""
    text = data.decode("utf-8", "replace")
    if len(text) > MAX_CHARACTERS or text.lstrip()[:1] != "{":
        return None
    try:
        found = read_loose(text, text.index("{"))
    except Ambiguous:
        return None
    is_only = found.oddities == [REPEATED_KEY] and not text[found.end :].strip()
    return (found.value, odd_text(found.value, found.oddities)) if is_only else None


def _is_json(data: bytes) -> bool:
    """Whether it is refused for its content, such as a key that is there twice."""
    try:
        orjson.loads(data)
    except orjson.JSONDecodeError:
        return False
    return True
