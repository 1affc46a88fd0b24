"""What a tool answered, as the value of a node."""

from toolweave import json_text
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.tools.tool import ToolCall, ToolResult

MAX_PARSED = 4 * 1024 * 1024


def value_of(result: ToolResult, call: ToolCall) -> Json:
    """A result as a value: what is structured, else its text, parsed where it is JSON.

    Raises:
        ToolweaveError: `TOOL_FAILED` when the tool says that it did not work.
    """
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
    value["content"] = [
        {"type": block.kind, "text": block.text, "mimeType": block.mime_type, "uri": block.uri}
        for block in result.content
    ]
    return value


def _parsed(text: str) -> Json:
    if not text.lstrip().startswith(("{", "[")) or len(text) > MAX_PARSED:
        return None
    try:
        return json_text.read(text)
    except Invalid:
        return None
