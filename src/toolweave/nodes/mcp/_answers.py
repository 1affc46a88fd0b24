"""What a tool answered, as the value of a node."""

from dataclasses import replace

from toolweave import json_text
from toolweave.catalog.node import NodeContext
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.tools.content_value import block_json
from toolweave.tools.tool import Content, ToolCall, ToolResult

MAX_PARSED = 4 * 1024 * 1024
# Of one picture, sound or file in a value; a larger one is stored beside the run.
MAX_DATA = 4 * 1024 * 1024


async def value_of(context: NodeContext, result: ToolResult, call: ToolCall) -> Json:
    """A result as a value: what is structured, else its text, parsed where it is JSON.

    Raises `ToolweaveError`: `TOOL_FAILED`; `Limited`: `MEDIA_LIMIT`.
    """
    if result.is_error:
        message = f"tool {call.tool!r} of server {call.server!r} says: {result.text[:500]}"
        raise ToolweaveError("TOOL_FAILED", message)
    return await parsed_of(context, result)


async def parsed_of(context: NodeContext, result: ToolResult) -> Json:
    """What is structured, else the text, parsed where it is JSON; media in `content`."""
    structured = result.structured
    if structured is not None and not _says_more(result):
        return structured
    content: list[Json] = [await _block(context, block) for block in result.content]
    if isinstance(structured, dict) and "content" not in structured:
        return {**structured, "content": content}
    value: JsonObject = {"text": result.text}
    parsed = _parsed(result.text) if structured is None else structured
    if parsed is not None:
        value["json"] = parsed
    return {**value, "content": content}


def said_beside(result: ToolResult) -> list[Json] | None:
    """The texts beside structured content, unless they repeat it or the value has them."""
    structured = result.structured
    if structured is None or _says_more(result) or len(result.text) > MAX_PARSED:
        return None
    texts = [block.text for block in result.content if block.text]
    if not texts or _repeats(structured, texts):
        return None
    return [block_json(block) for block in result.content]


def _repeats(structured: Json, texts: list[str]) -> bool:
    """Whether texts are structured content written as JSON, its only member, or the items of it."""
    members = list(structured.values()) if isinstance(structured, dict) else []
    same: list[Json] = [structured, *(members if len(members) == 1 else [])]
    if len(texts) == 1 and texts[0] in (one for one in same if isinstance(one, str)):
        return True
    try:
        parsed: list[Json] = [json_text.read(text) for text in texts]
    except Invalid:
        return texts in same
    return parsed in same or (len(parsed) == 1 and parsed[0] in same)


def _says_more(result: ToolResult) -> bool:
    """Whether the content has media or links, which structured content cannot hold."""
    return any(block.kind != "text" for block in result.content)


async def _block(context: NodeContext, block: Content) -> JsonObject:
    """A block of an answer; a large one refers to its bytes, which are stored beside the run."""
    if block.data is None or len(block.data) <= MAX_DATA:
        return block_json(block)
    if (media := context.resources.media) is None:
        return block_json(block)
    stored = await media.keep(context.run.id, block.data, block.mime_type)
    return {**block_json(replace(block, data=None)), "bytes": len(block.data), **stored}


def _parsed(text: str) -> Json:
    if not text.lstrip().startswith(("{", "[")) or len(text) > MAX_PARSED:
        return None
    try:
        return json_text.read(text)
    except Invalid:
        return None
