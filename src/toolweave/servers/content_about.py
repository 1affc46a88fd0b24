"""What a content block says about itself: only what the protocol defines, and only if it is valid.

An invalid part is dropped without a problem: it is a remark, never the content.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

from toolweave import json_text
from toolweave.json_text import Json, JsonObject
from toolweave.servers.json_safety import find_unencodable

MAX_META_CHARS = 16 * 1024
MAX_ICONS = 16
MAX_ICON_CHARS = 64 * 1024
MAX_SIZE = 2**53
MAX_TIME_CHARS = 64
_ICON_SCHEMES = ("https://", "http://", "data:image/")


def about_of(block: Mapping[str, Any]) -> JsonObject:
    """Return the annotations, `_meta`, size and icons of a block, whose shape is not trusted."""
    about: JsonObject = {}
    for name, read in _READERS.items():
        if name in block and (value := read(block[name])) is not None:
            about[name] = value
    return about


def _annotations(value: Any) -> Json:
    if not isinstance(value, dict):
        return None
    given = cast("dict[str, Any]", value)
    kept: JsonObject = {}
    audience, priority, modified = (
        given.get(name) for name in ("audience", "priority", "lastModified")
    )
    if isinstance(audience, list):
        roles = [role for role in ("user", "assistant") if role in cast("list[Any]", audience)]
        kept |= {"audience": [*roles]} if roles else {}
    if isinstance(priority, int | float) and not isinstance(priority, bool) and 0 <= priority <= 1:
        kept["priority"] = priority
    if isinstance(modified, str) and len(modified) <= MAX_TIME_CHARS:
        kept |= _sound({"lastModified": modified})
    return kept or None


def _meta(value: Any) -> Json:
    if not isinstance(value, dict) or not value:
        return None
    meta = _sound(cast("JsonObject", value))
    return meta if meta and len(json_text.write(meta)) <= MAX_META_CHARS else None


def _size(value: Any) -> Json:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return value if is_whole and 0 <= value <= MAX_SIZE else None


def _icons(value: Any) -> Json:
    entries = cast("list[Any]", value)[:MAX_ICONS] if isinstance(value, list) else []
    icons = [icon for entry in entries if (icon := _icon(entry))]
    return [*icons] or None


def _icon(value: Any) -> JsonObject:
    given = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    source, sizes = given.get("src"), given.get("sizes")
    if not isinstance(source, str) or not source.startswith(_ICON_SCHEMES):
        return {}
    icon: JsonObject = {"src": source}
    if isinstance(given.get("mimeType"), str):
        icon["mimeType"] = given["mimeType"]
    if isinstance(sizes, list) and all(isinstance(one, str) for one in cast("list[Any]", sizes)):
        icon["sizes"] = cast("list[Json]", sizes)
    if given.get("theme") in ("light", "dark"):
        icon["theme"] = given["theme"]
    sound = _sound(icon)
    return sound if sound and len(json_text.write(sound)) <= MAX_ICON_CHARS else {}


def _sound(value: JsonObject) -> JsonObject:
    """Return what can be written as JSON."""
    return {} if find_unencodable(value, is_parsed=True) else value


_READERS: Mapping[str, Callable[[Any], Json]] = {
    "annotations": _annotations,
    "_meta": _meta,
    "size": _size,
    "icons": _icons,
}
