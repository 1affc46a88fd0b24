"""Prompts with plain names as placeholders: `{name}` in flows, `{{name}}` in the visual editor.

Unlike `{{ CEL }}` in other values, a prompt is always text, whatever fills it.
"""

import re
from typing import Literal

from toolweave.cel.templates import FilledTemplate, Placeholder, Resolve, Template, substitute
from toolweave.json_text import Json
from toolweave.patterns import pattern

Braces = Literal["single", "double"]

# Letters and digits of every script, with the vowel signs and accents that `\w` leaves out.
_MARKS = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u0670\u06d6-\u06ed"
    r"\u0900-\u0dff\u0e31-\u0e4e\u0eb1-\u0ecd\u0f18-\u0fc6\u102b-\u103e\u17b4-\u17d3\u200c\u200d"
)
_CHARACTERS = rf"[\w{_MARKS}.-]*"
_STEP = r"""\[(?:\d+|'[^'\n]*'|"[^"\n]*")\]|(?<=\.parseJson)\(\)"""
# A name as ids have them, or a path such as `nodes['node-2'].output[0]`; `a{2}` has none.
_NAME = rf"((?!\d+\}})\w{_CHARACTERS}(?:(?:{_STEP}){_CHARACTERS})*)"
_PLACEHOLDERS: dict[Braces, re.Pattern[str]] = {
    "single": pattern(rf"\{{{_NAME}\}}"),
    "double": pattern(rf"\{{\{{[ \t]*{_NAME}[ \t]*\}}\}}"),
}
_DOUBLE = _PLACEHOLDERS["double"]


def read_prompt(text: str, braces: Braces) -> Template:
    """Find the names in a prompt."""
    matches = _PLACEHOLDERS[braces].finditer(text)
    names = (Placeholder(m[1], m.start(1), m.start(), m.end()) for m in matches)
    return Template(text, tuple(names))


def as_single(text: str) -> str:
    """Return a text whose `{{name}}` are `{name}`: both mean the same in templates and flows."""
    return _DOUBLE.sub(r"{\1}", text) if "{{" in text else text


def fill_prompt(value: Json, resolve: Resolve, braces: Braces) -> FilledTemplate:
    """Fill the names in the prompts of a value; a name that `resolve` does not know stays."""
    return substitute(value, resolve, read=lambda text: read_prompt(text, braces), keeps_type=False)
