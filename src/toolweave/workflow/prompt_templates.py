"""Prompts with plain names as placeholders: `{name}` in flows, `{{name}}` in the visual editor.

Unlike `{{ CEL }}` in other values, a prompt is always text, whatever fills it.
"""

import re
from typing import Literal

from toolweave.cel.templates import FilledTemplate, Placeholder, Resolve, Template, substitute
from toolweave.json_text import Json

Braces = Literal["single", "double"]

# A name as ids have them, or a path such as `nodes['node-2'].output[0]`; `a{2}` has none.
_NAME = r"""((?!\d+\})\w[\w.-]*(?:\[(?:\d+|'[^'\n]*'|"[^"\n]*")\][\w.-]*)*)"""
_PLACEHOLDERS: dict[Braces, re.Pattern[str]] = {
    "single": re.compile(rf"\{{{_NAME}\}}"),
    "double": re.compile(rf"\{{\{{[ \t]*{_NAME}[ \t]*\}}\}}"),
}


def read_prompt(text: str, braces: Braces) -> Template:
    """Find the names in a prompt."""
    matches = _PLACEHOLDERS[braces].finditer(text)
    names = (Placeholder(m[1], m.start(1), m.start(), m.end()) for m in matches)
    return Template(text, tuple(names))


def fill_prompt(value: Json, resolve: Resolve, braces: Braces) -> FilledTemplate:
    """Fill the names in the prompts of a value; a name that `resolve` does not know stays."""
    return substitute(value, resolve, read=lambda text: read_prompt(text, braces), keeps_type=False)
