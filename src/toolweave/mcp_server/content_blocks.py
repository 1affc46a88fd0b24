"""Content of MCP tools in the result of a run: media, resources and links stay what they are.

A tool without structured content gives `{"text", "json", "content"}`, one with structured content
and media its fields and `content`; a workflow may also build `{"content": [...]}` with blocks as
MCP writes them.
"""

import mcp_types as types
from pydantic import ConfigDict, TypeAdapter, ValidationError

from toolweave.json_text import Json, JsonObject
from toolweave.tools.content_value import FIELDS

_CONTENT: TypeAdapter[list[types.ContentBlock]] = TypeAdapter(
    list[types.ContentBlock], config=ConfigDict(defer_build=True)
)


def content_blocks(value: Json) -> list[Json] | None:
    """The blocks of a value, if it is content; not of a tool's plain text, which stays data."""
    if not isinstance(value, dict) or "content" not in value:
        return None
    listed = value["content"]
    if not isinstance(listed, list) or not listed:
        return None
    is_plain = len(value) > 1 and value.keys() <= FIELDS
    if is_plain and not any(map(_is_media, listed)):
        return None
    blocks = [_as_mcp(block) if isinstance(block, dict) else block for block in listed]
    try:
        found = _CONTENT.validate_python(blocks)
    except ValidationError:
        return None
    return [one.model_dump(by_alias=True, mode="json", exclude_none=True) for one in found]


def as_link(block: JsonObject, name: str, size: int, stored: str) -> JsonObject:
    """A link to the bytes of a block, which are stored beside the run."""
    said = {key: block[key] for key in ("mimeType", "annotations", "_meta") if key in block}
    return {"type": "resource_link", "uri": stored, "name": name, "size": size, **said}


def _is_media(block: Json) -> bool:
    return isinstance(block, dict) and block.get("type") != "text"


def _as_mcp(block: JsonObject) -> JsonObject:
    """A block as MCP writes it; one whose bytes are stored becomes a link to read them by."""
    kept: JsonObject = {key: part for key, part in block.items() if part is not None}
    match kept:
        case {"type": kind, "bytes": int(size), "stored": str(stored)}:
            name = str(kept.get("uri") or kept.get("mimeType") or kind)
            return as_link(kept, name, size, stored)
        case {"type": "link", "uri": str(uri), **more}:
            name = uri.rstrip("/").rpartition("/")[2] or uri
            return {"name": name, **more, "type": "resource_link", "uri": uri}
        case {"type": "resource", "uri": _, **more} if "resource" not in more:
            outer = {key: more.pop(key) for key in ("annotations", "_meta") if key in more}
            renamed = {"data": "blob", "resourceMeta": "_meta"}
            resource: JsonObject = {renamed.get(key, key): more[key] for key in more}
            return {"type": "resource", "resource": {**resource, "uri": kept["uri"]}, **outer}
        case _:
            return kept
