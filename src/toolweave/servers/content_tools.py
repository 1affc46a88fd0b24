"""The resources and prompts of a server as tools of a model: list, then read."""

from dataclasses import replace

from toolweave.json_text import JsonObject
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import CallMethod, Tool

_TEXT: JsonObject = {"type": "string"}
_OFFERED: dict[str, tuple[tuple[CallMethod, JsonObject], ...]] = {
    "resources": (
        (
            "resources/list",
            {
                "name": "list_resources",
                "description": "List the resources of this server, and templates of addresses.",
                "inputSchema": {"type": "object", "properties": {}},
            },
        ),
        (
            "resources/read",
            {
                "name": "read_resource",
                "description": "Read a resource of this server by its URI.",
                "inputSchema": {
                    "type": "object",
                    "properties": {"uri": _TEXT},
                    "required": ["uri"],
                },
            },
        ),
    ),
    "prompts": (
        (
            "prompts/list",
            {
                "name": "list_prompts",
                "description": "List the prompts of this server with their arguments.",
                "inputSchema": {"type": "object", "properties": {}},
            },
        ),
        (
            "prompts/get",
            {
                "name": "get_prompt",
                "description": "Get a prompt of this server with its arguments filled in.",
                "inputSchema": {
                    "type": "object",
                    "properties": {
                        "name": _TEXT,
                        "arguments": {"type": "object", "additionalProperties": _TEXT},
                    },
                    "required": ["name"],
                },
            },
        ),
    ),
}


def content_tools(server: str, offers: tuple[str, ...]) -> list[Tool]:
    """Return the tools for what a server offers beside its own."""
    return [
        replace(read_tool(server, definition), method=method)
        for kind in offers
        for method, definition in _OFFERED.get(kind, ())
    ]
