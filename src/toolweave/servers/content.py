"""Parse the raw response of a call into a `ToolResult`; invalid parts become problems."""

import base64
from collections.abc import Mapping
from typing import Any, cast

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.servers.content_about import about_of
from toolweave.servers.json_safety import find_unencodable
from toolweave.tools.tool import Content, ToolResult

MAX_BLOCKS = 10_000
MAX_PROBLEMS = 20


def read_result(raw: Mapping[str, Any], server: str) -> ToolResult:
    """Return the result in `raw`, whose shape is not trusted."""
    blocks, problems = _blocks(raw.get("content"), server)
    structured = cast("Json", raw.get("structuredContent"))
    if found := find_unencodable(structured, is_parsed=True):
        place = pointer("structuredContent") + found[0].pointer
        problems.append(_unreadable(place, found[0].message))
        structured = None
    meta = raw.get("_meta")
    return ToolResult(
        content=tuple(blocks),
        structured=structured,
        is_error=raw.get("isError") is True,
        tokens_used=_tokens(cast("Mapping[str, Any]", meta) if isinstance(meta, dict) else {}),
        problems=tuple(problems),
    )


def read_contents(raw: Mapping[str, Any], server: str) -> ToolResult:
    """Return the parts of a resource in `raw`, whose shape is not trusted."""
    contents = raw.get("contents")
    entries = cast("list[Any]", contents) if isinstance(contents, list) else None
    wrapped = entries and [{"type": "resource", "resource": entry} for entry in entries]
    blocks, problems = _blocks(wrapped if entries else entries, server)
    return ToolResult(content=tuple(blocks), problems=tuple(problems))


def read_messages(raw: Mapping[str, Any], server: str) -> ToolResult:
    """Return the messages of a prompt in `raw`, whose shape is not trusted."""
    messages = raw.get("messages")
    entries = cast("list[Any]", messages) if isinstance(messages, list) else []
    readable = [
        cast("dict[str, Any]", entry)
        for entry in entries[:MAX_BLOCKS]
        if isinstance(entry, dict) and "content" in entry
    ]
    blocks: list[Content] = []
    problems: list[Problem] = []
    kept: list[Json] = []
    for entry in readable:
        # A content that cannot be read leaves its role to no other.
        read, unread = _blocks([entry["content"]], server)
        role = "assistant" if entry.get("role") == "assistant" else "user"
        blocks += read
        problems += unread[: MAX_PROBLEMS - len(problems)]
        kept.extend({"role": role, "text": block.text} for block in read)
    if not isinstance(messages, list) or len(readable) < len(entries):
        problems.append(_unreadable("/messages", "a message that cannot be read"))
    description = raw.get("description")
    about = description if isinstance(description, str) else None
    structured: Json = {"description": about, "messages": kept}
    return ToolResult(content=tuple(blocks), structured=structured, problems=tuple(problems))


def _blocks(content: object, server: str) -> tuple[list[Content], list[Problem]]:
    if not isinstance(content, list):
        return [], [
            _unreadable("/content", f"the response of server {server!r} has no content list")
        ]
    entries = cast("list[Any]", content)
    blocks: list[Content] = []
    problems: list[Problem] = []
    for index, block in enumerate(entries[:MAX_BLOCKS]):
        try:
            blocks.append(_block(block))
        except (KeyError, TypeError, ValueError):
            problems.append(
                _unreadable(pointer("content", index), "a content block that cannot be read")
            )
            if len(problems) == MAX_PROBLEMS:
                break
    if len(entries) > len(blocks) + len(problems):
        problems.append(_unreadable("/content", f"some of its {len(entries)} blocks were dropped"))
    return blocks, problems


def _block(block: Any) -> Content:
    match block["type"]:
        case "text":
            return Content("text", text=_text(block["text"]), about=about_of(block))
        case "image" | "audio" as kind:
            data, mime_type = _bytes(block["data"]), _text(block["mimeType"])
            return Content(kind, data=data, mime_type=mime_type, about=about_of(block))
        case "resource_link":
            return Content(
                "link",
                uri=_text(block["uri"]),
                mime_type=_mime_type(block),
                name=_optional(block, "name"),
                title=_optional(block, "title"),
                description=_optional(block, "description"),
                about=about_of(block),
            )
        case "resource":
            return _resource(block["resource"], about_of(block))
        case _:
            raise ValueError


def _resource(resource: Any, about: JsonObject) -> Content:
    uri = _text(resource["uri"])
    text = _text(resource["text"]) if "text" in resource else None
    data = None if text is not None else _bytes(resource["blob"])
    if (meta := about_of(resource).get("_meta")) is not None:
        about["resourceMeta"] = meta
    mime_type = _mime_type(resource)
    return Content("resource", text=text, data=data, mime_type=mime_type, uri=uri, about=about)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _bytes(value: Any) -> bytes:
    return base64.b64decode(_text(value), validate=True)


def _mime_type(block: Any) -> str | None:
    return _optional(block, "mimeType")


def _optional(block: Any, name: str) -> str | None:
    value = block.get(name)
    return value if isinstance(value, str) else None


def _tokens(meta: Mapping[str, Any]) -> int | None:
    used = meta.get("tokensUsed")
    is_count = isinstance(used, int) and not isinstance(used, bool) and used >= 0
    return used if is_count else None


def _unreadable(at: str, message: str) -> Problem:
    return Problem("MCP_OUTPUT_INVALID", at, message, severity="warning")
