"""What a tool answered, as the value of a node."""

import base64

from toolweave import json_text
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.tools.tool import Content, ToolCall, ToolResult

MAX_PARSED = 4 * 1024 * 1024
# Of one picture or sound; a larger one is only described.
MAX_DATA = 4 * 1024 * 1024


def value_of(result: ToolResult, call: ToolCall) -> Json:
    """A result as a value: what is structured, else its text, parsed where it is JSON."""
    if result.is_error:
        message = f"tool {call.tool!r} of server {call.server!r} says: {result.text[:500]}"
        raise ToolweaveError("TOOL_FAILED", message)
    return parsed_of(result)


def parsed_of(result: ToolResult) -> Json:
    """What is structured, else the text, parsed where it is JSON."""
    if result.structured is not None:
        return result.structured
    value: JsonObject = {"text": result.text}
    parsed = _parsed(result.text)
    if parsed is not None:
        value["json"] = parsed
    value["content"] = [_block(block) for block in result.content]
    return value


def _block(block: Content) -> JsonObject:
    """A block of an answer; of pictures and sounds the bytes as base64, unless they are huge."""
    shown: JsonObject = {
        "type": block.kind,
        "text": block.text,
        "mimeType": block.mime_type,
        "uri": block.uri,
    }
    about = {"name": block.name, "title": block.title, "description": block.description}
    shown |= {name: text for name, text in about.items() if text is not None}
    if block.data is not None:
        if len(block.data) > MAX_DATA:
            return {**shown, "bytes": len(block.data)}
        shown["data"] = base64.b64encode(block.data).decode()
    return shown


def _parsed(text: str) -> Json:
    if not text.lstrip().startswith(("{", "[")) or len(text) > MAX_PARSED:
        return None
    try:
        return json_text.read(text)
    except Invalid:
        return None
