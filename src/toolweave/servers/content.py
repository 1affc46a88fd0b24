"""A raw `tools/call` answer as a `ToolResult`; what cannot be read becomes a problem."""

import base64
import binascii
from collections.abc import Mapping
from typing import Any, cast

from toolweave.json_text import Json
from toolweave.problems import Problem, pointer
from toolweave.tools.tool import Content, ToolResult


def read_result(raw: Mapping[str, Any], server: str) -> ToolResult:
    """The result in `raw`, whose shape nobody vouches for."""
    problems: list[Problem] = []
    blocks: list[Content] = []
    content = raw.get("content")
    if not isinstance(content, list):
        problems.append(_unreadable("/content", f"server {server!r} sent no list of content"))
        content = []
    for index, block in enumerate(cast("list[Any]", content)):
        try:
            blocks.append(_block(block))
        except (KeyError, TypeError, ValueError, binascii.Error):
            problems.append(_unreadable(pointer("content", index), "a block that cannot be read"))
    meta = raw.get("_meta")
    return ToolResult(
        content=tuple(blocks),
        structured=cast("Json", raw.get("structuredContent")),
        is_error=raw.get("isError") is True,
        tokens_used=_tokens(cast("Mapping[str, Any]", meta) if isinstance(meta, dict) else {}),
        problems=tuple(problems),
    )


def _block(block: Any) -> Content:
    match block["type"]:
        case "text":
            return Content("text", text=_text(block["text"]))
        case "image" | "audio" as kind:
            data = base64.b64decode(block["data"], validate=True)
            return Content(kind, data=data, mime_type=_text(block["mimeType"]))
        case "resource_link":
            return Content("link", uri=_text(block["uri"]), mime_type=block.get("mimeType"))
        case "resource":
            return _resource(block["resource"])
        case _:
            raise ValueError


def _resource(resource: Any) -> Content:
    mime_type = resource.get("mimeType")
    uri = _text(resource["uri"])
    if "text" in resource:
        return Content("resource", text=_text(resource["text"]), mime_type=mime_type, uri=uri)
    data = base64.b64decode(resource["blob"], validate=True)
    return Content("resource", data=data, mime_type=mime_type, uri=uri)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _tokens(meta: Mapping[str, Any]) -> int | None:
    used = meta.get("tokensUsed")
    return used if isinstance(used, int) and used >= 0 else None


def _unreadable(at: str, message: str) -> Problem:
    return Problem("MCP_OUTPUT_INVALID", at, message, severity="warning")
