"""Texts with expressions in them: template literals of JavaScript and f-strings of Python."""

import re

from toolweave.patterns import pattern
from toolweave.workflow.formats.foreign.tree import NotReadable

_ESCAPE = pattern(r"\\(u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_IN_TEMPLATE = pattern(r"\$\{([^{}`]*)\}")
_IN_TEXT = pattern(r"\{\{|\}\}|\{([^{}]*)\}|([{}])")
_FORMAT = pattern(r"(?:![rsa])?(?::[^'\"\[\](){}]*)?$")

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
        if (written := _FORMAT.search(placeholder[1])) and written[0]:
            raise NotReadable
        found += [(False, _ESCAPE.sub(_character, before)), (True, placeholder[1])]
    return (*found, (False, _ESCAPE.sub(_character, text[end:])))


def _character(escape: re.Match[str]) -> str:
    code = escape[1]
    if len(code) == 1:
        return _ESCAPES.get(code, code)
    number = int(code.strip("ux{}"), 16)
    return chr(number) if number <= 0x10FFFF else "\ufffd"
