"""Colours by their parts, as six digits: `rgb(255, 0, 0)` is `#ff0000`. Pure.

Not by their names: green is one colour in CSS and another one for most people.
"""

from toolweave.patterns import pattern
from toolweave.tools.name_words import words_in

_PARTS = pattern(r"rgb\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*\)")
_FIELDS = frozenset({"color", "colour", "background", "fill", "stroke"})


def colour_of(text: str, field: str) -> str | None:
    """`#ff0000` for `rgb(255, 0, 0)`, in a field for a colour."""
    if _FIELDS.isdisjoint(words_in(field)):
        return None
    found = _PARTS.fullmatch(text.strip().lower())
    parts = [int(one) for one in found.groups()] if found else []
    is_colour = bool(parts) and max(parts) < 256
    return "#" + "".join(f"{one:02x}" for one in parts) if is_colour else None
