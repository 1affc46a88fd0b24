"""A server that offers resources, a template and prompts beside a tool."""

import base64
from pathlib import Path
from typing import Any

from toolweave.testing.server import Era, ScriptedServer, a_tool

CAPABILITIES: dict[str, dict[str, object]] = {
    "tools": {},
    "resources": {},
    "prompts": {},
    "completions": {},
}
PIXEL = base64.b64encode(b"\x89PNG\r\n").decode()
RESOURCES = [
    {
        "uri": "notes://today",
        "name": "today",
        "description": "Notes of today.",
        "mimeType": "text/plain",
        "contents": [{"uri": "notes://today", "mimeType": "text/plain", "text": "Buy bread."}],
    },
    {
        "uri": "notes://logo",
        "name": "logo",
        "mimeType": "image/png",
        "contents": [{"uri": "notes://logo", "mimeType": "image/png", "blob": PIXEL}],
    },
]
TEMPLATES = [{"uriTemplate": "notes://day/{date}", "name": "day", "description": "Notes of a day."}]
PROMPTS = [
    {
        "name": "summarize",
        "description": "Summarize a text.",
        "arguments": [
            {"name": "text", "required": True},
            {"name": "language", "description": "Of the summary."},
        ],
        "messages": [
            {"role": "user", "content": {"type": "text", "text": "Summarize: {text}"}},
            {"role": "assistant", "content": {"type": "text", "text": "Yes."}},
        ],
    },
    {
        "name": "compare",
        "messages": [
            {"role": "user", "content": {"type": "film", "data": "of a type nobody knows"}},
            {"role": "assistant", "content": {"type": "text", "text": "Compare this."}},
            {
                "role": "user",
                "content": {"type": "image", "data": PIXEL, "mimeType": "image/png"},
            },
        ],
    },
]


def an_offering_server(folder: Path, era: Era = "legacy", **more: Any) -> ScriptedServer:
    parts: dict[str, Any] = {
        "capabilities": CAPABILITIES,
        "resources": RESOURCES,
        "templates": TEMPLATES,
        "prompts": PROMPTS,
        "completions": {"language": ["German", "Greek", "Dutch"], "date": ["2026-11-17"]},
    }
    return ScriptedServer(folder, a_tool("echo"), era=era, **(parts | more))
