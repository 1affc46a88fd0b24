"""Texts with expressions in them: template literals of JavaScript and f-strings of Python."""

import re

from toolweave.patterns import pattern
from toolweave.workflow.formats.foreign.tree import NotReadable

_ESCAPE = pattern(r"\\(u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_IN_TEMPLATE = pattern(r"\$\{([^{}`]*)\}")
_IN_TEXT = pattern(r"\{\{|\}\}|\{([^{}]*)\}|([{}])")
_FORMAT = pattern(r"(?:![rsa])?(?::[^'\"\[\](){}]*)?$")

_FIXED = pattern(r":\.(\d)f$")
_GAPS = pattern(r"\{\{|\}\}|%%|\{(?P<at>\d*)\}|%(?P<sort>[sdi])|(?P<other>[{}]|%)")

Parts = tuple[tuple[bool, str], ...]


def unescaped(word: str) -> str:
    """What is in the quotes of a text."""
    return _ESCAPE.sub(_character, word[1:-1])


def template_parts(word: str) -> Parts:
    """The parts of a template literal, and whether each is code."""
    found: list[tuple[bool, str]] = []
    text, end = word[1:-1], 0
    for placeholder in _IN_TEMPLATE.finditer(text):
        found += [(False, _ESCAPE.sub(_character, text[end : placeholder.start()]))]
        found += [(True, placeholder[1])]
        end = placeholder.end()
    rest = text[end:]
    if "${" in rest:
        raise NotReadable
    return (*found, (False, _ESCAPE.sub(_character, rest)))


def text_parts(word: str) -> Parts:
    """The parts of an f-string, and whether each is code; formats have no equivalent."""
    found: list[tuple[bool, str]] = []
    text, end = word[1:-1], 0
    for placeholder in _IN_TEXT.finditer(text):
        if placeholder[2]:
            raise NotReadable
        before = text[end : placeholder.start()]
        end = placeholder.end()
        if placeholder[1] is None:
            found.append((False, _ESCAPE.sub(_character, before) + placeholder[0][0]))
            continue
        code = placeholder[1]
        if (fixed := _FIXED.search(code)) is not None:
            code = f"to_fixed({code[: fixed.start()]}, {fixed[1]})"
        elif (written := _FORMAT.search(code)) and written[0]:
            raise NotReadable
        found += [(False, _ESCAPE.sub(_character, before)), (True, code)]
    return (*found, (False, _ESCAPE.sub(_character, text[end:])))


def format_parts(form: str, count: int) -> tuple[str | int, ...]:
    """The texts of a format and the arguments between them; each argument has one place.

    One that is written as a whole number is inverted: -1 for the first.
    """
    is_percent = "%" in form and "{" not in form
    found: list[str | int] = []
    end = taken = 0
    for gap in _GAPS.finditer(form):
        if is_percent != gap[0].startswith("%"):
            continue
        text = form[end : gap.start()]
        end = gap.end()
        if gap["other"]:
            raise NotReadable  # a width, a precision or a name
        if gap[0] in {"{{", "}}", "%%"}:
            found.append(text + gap[0][0])
            continue
        at = int(gap["at"]) if gap["at"] else taken
        taken += 1
        found += [text] if text else []
        found.append(~at if gap["sort"] in {"d", "i"} else at)
    found += [form[end:]] if form[end:] else []
    if {max(one, ~one) for one in found if isinstance(one, int)} != set(range(count)):
        raise NotReadable
    return tuple(found)


def _character(escape: re.Match[str]) -> str:
    code = escape[1]
    if len(code) == 1:
        return _ESCAPES.get(code, code)
    number = int(code.strip("ux{}"), 16)
    return chr(number) if number <= 0x10FFFF else "\ufffd"
