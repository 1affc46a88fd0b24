"""Content of MCP tools in the result of a run: media, resources and links stay what they are.

A tool without structured content gives `{"text", "json", "content"}`; a workflow may also build
`{"content": [...]}` with blocks as MCP writes them.
"""

import mcp_types as types
from pydantic import ConfigDict, TypeAdapter, ValidationError

from toolweave.json_text import Json, JsonObject

_FIELDS = {"text", "json", "content"}
_CONTENT: TypeAdapter[list[types.ContentBlock]] = TypeAdapter(
    list[types.ContentBlock], config=ConfigDict(defer_build=True)
)


def content_blocks(value: Json) -> list[Json] | None:
    """The blocks of a value, if it is content; not of a tool's plain text, which stays data."""
    if not isinstance(value, dict) or not {"content"} <= value.keys() <= _FIELDS:
        return None
    listed = value["content"]
    if not isinstance(listed, list) or (len(value) > 1 and not any(map(_is_media, listed))):
        return None
    blocks = [_as_mcp(block) if isinstance(block, dict) else block for block in listed]
    try:
        found = _CONTENT.validate_python(blocks)
    except ValidationError:
        return None
    return [one.model_dump(by_alias=True, mode="json", exclude_none=True) for one in found]


def _is_media(block: Json) -> bool:
    return isinstance(block, dict) and block.get("type") != "text"


def _as_mcp(block: JsonObject) -> JsonObject:
    """A block as MCP writes it; one whose bytes were too large to keep is described."""
    kept: JsonObject = {key: part for key, part in block.items() if part is not None}
    match kept:
        case {"type": kind, "bytes": int(size)}:
            about = kept.get("mimeType", kind)
            return {"type": "text", "text": f"({about}, {size:,} bytes: too large to return)"}
        case {"type": "link", "uri": str(uri), **more}:
            name = uri.rstrip("/").rpartition("/")[2] or uri
            return {"name": name, **more, "type": "resource_link", "uri": uri}
        case {"type": "resource", "uri": _, **more} if "resource" not in more:
            resource: JsonObject = {key: kept[key] for key in kept if key != "type"}
            if "data" in resource:
                resource["blob"] = resource.pop("data")
            return {"type": "resource", "resource": resource}
        case _:
            return kept
