"""Truncates large values for pages: their beginning, their length, the images in them.

A page that receives five megabytes to show one line freezes. The full value is available in a
separate request.
"""

import base64
import hashlib
from collections.abc import Iterator
from typing import Any

from toolweave.json_record import JsonRecord
from toolweave.json_text import Json, JsonObject, write
from toolweave.problems import pointer
from toolweave.tools.unions import kind_of

# Fields of events that hold user data of any size.
_VALUES = ("inputs", "edits", "value", "result", "memory", "question", "reply", "items", "given")
MAX_PICTURES = 8
MAX_WALKED = 20_000
# Formats every browser shows and that cannot contain scripts.
PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


class TruncatedValue(JsonRecord):
    """A value that is too large to send: its kind, its beginning, its length, its digest."""

    kind: str
    text: str
    chars: int
    digest: str
    # The images in it, as JSON pointers.
    pictures: list[str]


def cut(value: Json, most: int) -> JsonObject | None:
    """Describe a value that is longer than `most` characters; return None for a shorter one."""
    if _is_short(value, most):
        return None
    text = value if isinstance(value, str) else _written(value)
    if len(text) <= most:
        return None
    return {
        "kind": kind_of(value),
        "text": text[:most],
        "chars": len(text),
        "digest": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        "pictures": [at for at, _ in pictures_in(value)],
    }


def cut_event(body: JsonObject, most: int) -> JsonObject:
    """Replace the large values of an event by descriptions in `cut`, by field name."""
    cuts: JsonObject = {}
    changed: JsonObject = {**body}
    memory = changed.get("memory")
    if isinstance(memory, dict):
        # Short values of a model's activity stay.
        changed["memory"] = {name: _shortened(value, most) for name, value in memory.items()}
    for name in _VALUES:
        if name in changed and (short := cut(changed[name], most)) is not None:
            cuts[name], changed[name] = short, None
    values = changed.get("values")
    if isinstance(values, list):
        for index, value in enumerate(values):
            if (short := cut(value, most)) is not None:
                cuts[f"values/{index}"] = short
        changed["values"] = [
            None if f"values/{index}" in cuts else value for index, value in enumerate(values)
        ]
    return {**changed, "cut": cuts} if cuts else body


def _shortened(value: Json, most: int) -> Json:
    short = cut(value, most // 4)
    return value if short is None else short["text"] if isinstance(value, str) else None


def pictures_in(value: Json) -> Iterator[tuple[str, JsonObject]]:
    """Yield the first image blocks of a value, each with its pointer."""
    waiting: list[tuple[tuple[str | int, ...], Json]] = [((), value)]
    found = walked = 0
    while waiting and found < MAX_PICTURES and walked < MAX_WALKED:
        at, one = waiting.pop()
        walked += 1
        if isinstance(one, list):
            waiting.extend(((*at, index), part) for index, part in reversed([*enumerate(one)]))
        elif isinstance(one, dict):
            if one.get("mimeType") in PICTURES and isinstance(one.get("data"), str):
                found += 1
                yield pointer(*at), one
            else:
                waiting.extend(((*at, name), part) for name, part in reversed([*one.items()]))


def picture_at(value: Json, at: str) -> tuple[bytes, str] | None:
    """Return the image at a pointer and its media type, or None."""
    block = next((block for place, block in pictures_in(value) if place == at), None)
    if block is None:
        return None
    try:
        return base64.b64decode(str(block["data"]), validate=True), str(block["mimeType"])
    except ValueError:
        return None


def _is_short(value: Any, most: int) -> bool:
    """Decide quickly for most values."""
    if isinstance(value, str):
        return len(value) <= most
    return not isinstance(value, dict | list) or not value


def _written(value: Json) -> str:
    try:
        return write(value, pretty=True)
    except TypeError:
        return str(value)  # it contains an integer of more than 64 bits
