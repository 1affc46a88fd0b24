"""Addresses with `{variables}`, as MCP servers describe families of resources (RFC 6570).

Handles what servers use: `{name}`, `{+path}`, `{/name}`, `{?query,more}` and `{&more}`.
"""

import re
from collections.abc import Mapping
from urllib.parse import quote

from toolweave.patterns import pattern

_EXPRESSION = pattern(r"\{([+#./;?&]?)([A-Za-z0-9_.,*%]+)\}")
_RESERVED = "!#$&'()*+,/:;=?@[]"


def variables_of(template: str) -> tuple[str, ...]:
    """Return the names of the variables, in order."""
    return tuple(
        dict.fromkeys(
            name.rstrip("*")
            for found in _EXPRESSION.finditer(template)
            for name in found[2].split(",")
        )
    )


def expand(template: str, values: Mapping[str, str]) -> str:
    """Return the address for these values; a variable without a value is left out."""
    return _EXPRESSION.sub(lambda found: _expanded(found, values), template)


def _expanded(found: re.Match[str], values: Mapping[str, str]) -> str:
    operator = found[1]
    names = [name.rstrip("*") for name in found[2].split(",")]
    given = [(name, values[name]) for name in names if name in values]
    if not given:
        return ""
    safe = _RESERVED if operator in ("+", "#") else ""
    if operator in ("?", "&", ";"):
        pairs = [f"{name}={quote(value, safe='')}" for name, value in given]
        return operator + (";" if operator == ";" else "&").join(pairs)
    first = "" if operator in ("", "+") else operator
    between = operator if operator in ("/", ".") else ","
    return first + between.join(quote(value, safe=safe) for _, value in given)
