"""Answers that come as a server-sent event to clients that limit the size of one.

httpx2, the HTTP library of the Python SDK, takes events of up to 1 MiB. An answer without earlier
events, such as progress, is sent as JSON, which has no limit. Of a larger one with earlier events,
the largest parts become links to the same bytes, stored beside the run.
"""

import base64
import binascii

from toolweave.engine.run_media import RunMedia
from toolweave.json_text import Json, JsonObject, write
from toolweave.mcp_server.content_blocks import as_link
from toolweave.mcp_server.tool_call import ToolRequest

# Below 1 MiB, with room for the envelope.
MAX_EVENT_BYTES = 1_000_000
LIMITED = "python-httpx2/"
_TEXT = "text/plain"


def limits_events(asked: ToolRequest, *, has_asked: bool) -> bool:
    """Whether an answer may follow other events, and the client limits their size."""
    request = asked.caller.context.request
    has_events = has_asked or (asked.params.meta or {}).get("progress_token") is not None
    if request is None or not has_events:
        return False
    return request.headers.get("user-agent", "").startswith(LIMITED)


async def fitted(result: JsonObject, run: str, media: RunMedia) -> JsonObject:
    """Return the result of a run with links in place of its largest parts, if it is too large.

    Raises `Limited`: `MEDIA_LIMIT`.
    """
    listed = result.get("content")
    if not isinstance(listed, list):
        return result
    left = _size(result) - MAX_EVENT_BYTES
    blocks = [*listed]
    for place in sorted(range(len(blocks)), key=lambda one: -_size(blocks[one])):
        block = blocks[place]
        if left <= 0 or not isinstance(block, dict):
            break
        if (held := _bytes_of(block)) is None:
            continue
        data, mime_type = held
        stored = await media.keep(run, data, mime_type)
        name = str(_inner(block).get("uri") or mime_type)
        about: JsonObject = {**block, "mimeType": mime_type}
        blocks[place] = as_link(about, name, len(data), str(stored["stored"]))
        left -= _size(block) - _size(blocks[place])
    return {**result, "content": blocks}


def _size(block: Json) -> int:
    return len(write(block).encode())


def _inner(block: JsonObject) -> JsonObject:
    resource = block.get("resource")
    return resource if isinstance(resource, dict) else block


def _bytes_of(block: JsonObject) -> tuple[bytes, str] | None:
    """The bytes of a block and their type; nothing of a link."""
    inner = _inner(block)
    mime_type = inner.get("mimeType")
    encoded = inner.get("data", inner.get("blob"))
    kind = mime_type if isinstance(mime_type, str) else None
    if isinstance(text := inner.get("text"), str):
        return text.encode("utf-8", "replace"), kind or _TEXT
    try:
        data = base64.b64decode(encoded, validate=True) if isinstance(encoded, str) else None
    except binascii.Error:
        return None
    return None if data is None else (data, kind or "application/octet-stream")
