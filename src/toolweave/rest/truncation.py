"""Truncates large values for pages: their beginning, their length, the images in them.

A page that receives five megabytes to show one line freezes. The full value is available in a
separate request.
"""

import base64
import hashlib
from collections.abc import Iterator
from typing import Any, Literal

from toolweave.json_record import JsonRecord
from toolweave.json_text import Json, JsonObject, write
from toolweave.problems import pointer
from toolweave.tools.unions import kind_of

# Fields of events that hold user data of any size.
_VALUES = (
    *("inputs", "edits", "value", "content", "result", "memory", "question", "reply", "items"),
    "given",
)
MAX_MEDIA = 8
MAX_WALKED = 20_000
MAX_SAID_CHARS = 2_000
# Formats that browsers show or play and that cannot contain scripts.
PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
SOUNDS = frozenset({"audio/mpeg", "audio/ogg", "audio/wav", "audio/x-wav", "audio/webm"})


class MediaPart(JsonRecord):
    """A picture, sound, file or link in a value; `at` is its JSON pointer."""

    at: str
    kind: Literal["image", "audio", "file", "link"]
    mime_type: str | None = None
    bytes: int | None = None
    uri: str | None = None
    name: str | None = None


class TruncatedValue(JsonRecord):
    """A value that is too large to send: its kind, its beginning, its length, its digest."""

    kind: str
    text: str
    chars: int
    digest: str
    # The first pictures, sounds, files and links in it.
    media: list[MediaPart]


def cut(value: Json, most: int) -> JsonObject | None:
    """Describe a value that is longer than `most` characters; return None for a shorter one."""
    if _is_short(value, most):
        return None
    text = value if isinstance(value, str) else _written(value)
    if len(text) <= most:
        return None
    media: list[Json] = [_part(at, block).as_json() for at, block in media_in(value)]
    said = _tool_text(value)
    # Base64 is nothing to read.
    shown = text if said is None or not (said or media) else said
    return {
        "kind": kind_of(value),
        "text": shown[:most],
        "chars": len(text),
        "digest": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        "media": media,
    }


def _tool_text(value: Json) -> str | None:
    """Return the text of a tool's result that has other content, too; None for other values."""
    if not isinstance(value, dict) or not isinstance(value.get("content"), list):
        return None
    text = value.get("text")
    return text if isinstance(text, str) else None


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


def media_in(value: Json) -> Iterator[tuple[str, JsonObject]]:
    """Yield the first blocks of a value that are not text, each with its pointer."""
    waiting: list[tuple[tuple[str | int, ...], Json]] = [((), value)]
    found = walked = 0
    while waiting and found < MAX_MEDIA and walked < MAX_WALKED:
        at, one = waiting.pop()
        walked += 1
        if isinstance(one, list):
            waiting.extend(((*at, index), part) for index, part in reversed([*enumerate(one)]))
        elif isinstance(one, dict):
            if _is_media(one):
                found += 1
                yield pointer(*at), one
            else:
                # A resource that a node read has its parts in both.
                is_twice = isinstance(one.get("content"), list)
                waiting.extend(
                    ((*at, name), part)
                    for name, part in reversed([*one.items()])
                    if name != "contents" or not is_twice
                )


def media_at(value: Json, at: str) -> JsonObject | None:
    """Return the block at a pointer, or None."""
    return next((block for place, block in media_in(value) if place == at), None)


def data_of(block: JsonObject) -> bytes | None:
    """Return the bytes in a block; None if they are stored elsewhere, or are no base64."""
    try:
        return base64.b64decode(str(_data(block)), validate=True)
    except ValueError:
        return None


def kind_of_media(mime_type: Json) -> Literal["image", "audio", "file"]:
    """Return how a page presents a type."""
    return "image" if mime_type in PICTURES else "audio" if mime_type in SOUNDS else "file"


def _is_media(block: JsonObject) -> bool:
    is_link = block.get("type") in ("link", "resource_link") and isinstance(block.get("uri"), str)
    has_data = isinstance(_data(block), str) or isinstance(block.get("stored"), str)
    return is_link or (has_data and isinstance(block.get("mimeType"), str))


def _data(block: JsonObject) -> Json:
    return block.get("data", block.get("blob"))


def _part(at: str, block: JsonObject) -> MediaPart:
    mime_type, size, data = block.get("mimeType"), block.get("bytes"), _data(block)
    is_link = block.get("type") in ("link", "resource_link")
    if isinstance(data, str):
        size = len(data) * 3 // 4 - data[-2:].count("=")
    return MediaPart(
        at=at,
        kind="link" if is_link else kind_of_media(mime_type),
        mime_type=_said(mime_type),
        bytes=size if isinstance(size, int) else None,
        uri=_said(block.get("uri")),
        name=_said(block.get("title") or block.get("name")),
    )


def _said(value: Json) -> str | None:
    return value[:MAX_SAID_CHARS] if isinstance(value, str) else None


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
