"""What a tool answered, as the value of a node."""

from dataclasses import replace

from anyio.to_thread import run_sync

from toolweave import json_text
from toolweave.catalog.node import NodeContext
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.tools.content_value import block_json, says_beside
from toolweave.tools.tool import Content, ToolCall, ToolResult

MAX_PARSED = 4 * 1024 * 1024
# Of one picture, sound or file in a value; a larger one is stored beside the run.
MAX_DATA = 4 * 1024 * 1024
TEXT = "text/plain"


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
    if structured is not None and not has_media(result):
        return structured
    content = await blocks_of(context, result)
    if isinstance(structured, dict) and "content" not in structured:
        return {**structured, "content": content}
    value: JsonObject = {"text": result.text}
    parsed = _parsed(result.text) if structured is None else structured
    if parsed is not None:
        value["json"] = parsed
    return {**value, "content": content}


async def blocks_of(context: NodeContext, result: ToolResult) -> list[Json]:
    """The blocks of an answer; a large one refers to its bytes, which are stored beside the run.

    Raises `Limited`: `MEDIA_LIMIT`.
    """
    return [await _block(context, block) for block in result.content]


async def said_beside(context: NodeContext, result: ToolResult) -> list[Json] | None:
    """The texts beside structured content, unless they repeat it or the value has them.

    Texts that are large together are stored beside the run. Raises `Limited`: `MEDIA_LIMIT`.
    """
    if has_media(result) or not result.text:
        return None
    if len(result.text) <= MAX_PARSED:
        return [block_json(one) for one in result.content] if says_beside(result) else None
    if not await run_sync(says_beside, result):
        return None
    blocks: list[Json] = []
    room = MAX_PARSED
    for block in result.content:
        text = block.text or ""
        room -= len(text)
        if room >= 0 or (media := context.resources.media) is None:
            blocks.append(block_json(block))
            continue
        data = text.encode("utf-8", "replace")
        stored = await media.keep(context.run.id, data, TEXT)
        about = block_json(replace(block, text=None, mime_type=TEXT))
        blocks.append({**about, "bytes": len(data), **stored})
    return blocks


def has_media(result: ToolResult) -> bool:
    """Whether the content has media or links, which structured content cannot hold."""
    return any(block.kind != "text" for block in result.content)


async def _block(context: NodeContext, block: Content) -> JsonObject:
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
