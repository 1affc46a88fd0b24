"""Content of a tool in a value: media, resources and links that a workflow passes on."""

import base64
import binascii

from toolweave.json_text import Json, JsonObject
from toolweave.tools.tool import Content

# The value of a node that calls a tool without structured content.
FIELDS = frozenset({"text", "json", "content"})


def contents_of(value: Json) -> tuple[Content, ...] | None:
    """The blocks of a value, as a node or as MCP writes them; nothing if there are no media."""
    if not isinstance(value, dict) or not {"content"} <= value.keys() <= FIELDS:
        return None
    listed = value["content"]
    if not isinstance(listed, list):
        return None
    blocks = [_block(one) if isinstance(one, dict) else None for one in listed]
    found = [block for block in blocks if block is not None]
    if len(found) < len(blocks) or all(block.kind == "text" for block in found):
        return None
    return tuple(found)


def _block(block: JsonObject) -> Content | None:
    inner = block.get("resource")
    resource = inner if isinstance(inner, dict) else block
    data = _data(resource.get("data", resource.get("blob")))
    text, uri, mime_type = (_text(resource, name) for name in ("text", "uri", "mimeType"))
    match block.get("type"):
        case "text" if text is not None:
            return Content("text", text=text)
        case "image" | "audio" as kind if data is not None:
            return Content(kind, data=data, mime_type=mime_type)
        case "resource" if data is not None or text is not None:
            return Content("resource", text=text, data=data, mime_type=mime_type, uri=uri)
        case "link" | "resource_link" if uri is not None:
            name, title, about = (_text(block, key) for key in ("name", "title", "description"))
            return Content(
                "link", uri=uri, mime_type=mime_type, name=name, title=title, description=about
            )
        case _:
            return None


def _text(block: JsonObject, name: str) -> str | None:
    value = block.get(name)
    return value if isinstance(value, str) else None


def _data(value: Json) -> bytes | None:
    try:
        return base64.b64decode(value, validate=True) if isinstance(value, str) else None
    except binascii.Error:
        return None
