"""Content of a tool in a value: media, resources and links that a workflow passes on."""

import base64
import binascii

from toolweave import json_text
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.tools.tool import Content, ToolResult

# The value of a node that calls a tool without structured content.
FIELDS = frozenset({"text", "json", "content"})
# The value of a node that reads a resource, which has the bytes of its parts as well.
RESOURCE = frozenset({"data", "contents", "mime_type", "uri", "size"})
# What a block says of itself, as the protocol names it; the last is the `_meta` of a resource.
ABOUT = ("annotations", "_meta", "size", "icons", "resourceMeta")


def block_json(block: Content) -> JsonObject:
    """A block as a part of a value; of pictures and sounds the bytes as base64."""
    shown: JsonObject = {
        "type": block.kind,
        "text": block.text,
        "mimeType": block.mime_type,
        "uri": block.uri,
    }
    named = {"name": block.name, "title": block.title, "description": block.description}
    shown |= {name: text for name, text in named.items() if text is not None}
    if block.data is not None:
        shown["data"] = base64.b64encode(block.data).decode()
    return {**shown, **block.about}


def contents_of(value: Json) -> tuple[Content, ...] | None:
    """The blocks of a value, as a node or as MCP writes them.

    Nothing if they are only the texts of a value that has no other fields.
    """
    if not isinstance(value, dict):
        return None
    listed = value.get("content")
    if not isinstance(listed, list):
        return None
    blocks = [_block(one) if isinstance(one, dict) else None for one in listed]
    found = [block for block in blocks if block is not None]
    is_plain = value.keys() <= FIELDS and all(block.kind == "text" for block in found)
    if not found or len(found) < len(blocks) or is_plain:
        return None
    return tuple(found)


def beside_content(value: Json) -> JsonObject:
    """The structured part of a value that also has content."""
    if not isinstance(value, dict) or value.keys() <= FIELDS:
        return {}
    rest = {name: part for name, part in value.items() if name != "content"}
    if value.keys() >= RESOURCE and isinstance(parts := value["contents"], list):
        rest |= {"data": "", "contents": [_described(part) for part in parts]}
    return rest


def without_data(value: Json) -> Json:
    """A value whose pictures, sounds and files are left out: they are in the content."""
    listed = value.get("content") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(listed, list):
        return value
    content: list[Json] = [_described(block) for block in listed]
    return {**value, **beside_content(value), "content": content}


def _described(block: Json) -> Json:
    data = block.get("data") if isinstance(block, dict) else None
    if not isinstance(block, dict) or not isinstance(data, str):
        return block
    kept = {name: part for name, part in block.items() if name != "data"}
    return {**kept, "bytes": len(data) * 3 // 4 - data[-2:].count("=")}


def says_beside(result: ToolResult) -> bool:
    """Whether the texts of a result say more than its structured content."""
    texts = [block.text for block in result.content if block.text]
    structured = result.structured
    return structured is not None and not repeats(structured, texts)


def repeats(structured: Json, texts: list[str]) -> bool:
    """Whether texts say no more than structured content: its JSON, its only member or its items."""
    if not texts or texts == _texts_of_messages(structured):
        return True
    members = list(structured.values()) if isinstance(structured, dict) else []
    same: list[Json] = [structured, *(members if len(members) == 1 else [])]
    if len(texts) == 1 and texts[0] in (one for one in same if isinstance(one, str)):
        return True
    try:
        parsed: list[Json] = [json_text.read(text) for text in texts]
    except Invalid:
        return texts in same
    return parsed in same or (len(parsed) == 1 and parsed[0] in same)


def _texts_of_messages(structured: Json) -> list[Json]:
    """The texts of a prompt's messages."""
    listed = structured.get("messages") if isinstance(structured, dict) else None
    messages = listed if isinstance(listed, list) else []
    texts = [one.get("text") for one in messages if isinstance(one, dict)]
    return [text for text in texts if text]


def _block(block: JsonObject) -> Content | None:
    inner = block.get("resource")
    resource = inner if isinstance(inner, dict) else block
    data = _data(resource.get("data", resource.get("blob")))
    text, uri, mime_type = (_text(resource, name) for name in ("text", "uri", "mimeType"))
    about: JsonObject = {name: block[name] for name in ABOUT if name in block}
    match block.get("type"):
        case "text" if text is not None:
            return Content("text", text=text, about=about)
        case "image" | "audio" as kind if data is not None:
            return Content(kind, data=data, mime_type=mime_type, about=about)
        case "resource" if data is not None or text is not None:
            return Content(
                "resource", text=text, data=data, mime_type=mime_type, uri=uri, about=about
            )
        case "link" | "resource_link" if uri is not None:
            name, title, said = (_text(block, key) for key in ("name", "title", "description"))
            return Content(
                "link",
                uri=uri,
                mime_type=mime_type,
                name=name,
                title=title,
                description=said,
                about=about,
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
