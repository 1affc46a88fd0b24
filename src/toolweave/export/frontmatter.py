"""Frontmatter: YAML that every reader of it understands, whatever the user wrote."""

import json
import re
from collections.abc import Mapping

from toolweave.export.user_text import ACTING
from toolweave.json_text import Json
from toolweave.patterns import pattern

# Careful on purpose: agents read it with many parsers, some of them home-made.
_PLAIN = pattern(r"[A-Za-z](?:[A-Za-z0-9 _./(),'-]*[A-Za-z0-9_./(),'-])?")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})


def frontmatter(fields: Mapping[str, Json]) -> str:
    """The block with its two lines of dashes; fields that are None are left out."""
    lines = [f"{key}: {_value(value)}" for key, value in fields.items() if value is not None]
    return "\n".join(["---", *lines, "---", ""])


def _value(value: Json) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    # JSON is YAML, but for characters that YAML wants escaped.
    return ACTING.sub(_escaped, json.dumps(value, ensure_ascii=False))


def _escaped(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
