"""The default tools in the order of `tools/list`.

The early answers use it before the SDK is loaded: data only, and nothing slow to import.
"""

from toolweave.catalog.tool_definitions import listed as knowledge
from toolweave.json_text import JsonObject
from toolweave.mcp_server.definitions import app, authoring, library, running
from toolweave.mcp_server.tool_definition import ToolDefinition

KNOWLEDGE: tuple[ToolDefinition, ...] = tuple(ToolDefinition(entry) for entry in knowledge())
# Answered by `tool_code.py`.
CONTRIBUTED: tuple[ToolDefinition, ...] = (
    *authoring.DEFINITIONS,
    *authoring.STORED,
    *authoring.DIAGNOSTICS,
    *running.DEFINITIONS,
    *library.DEFINITIONS,
)
DEFAULT: tuple[ToolDefinition, ...] = (*KNOWLEDGE, *CONTRIBUTED)
# Listed only for clients with MCP Apps: others would show them to their model.
APP_ONLY: tuple[ToolDefinition, ...] = app.DEFINITIONS


# Older names with a `/`, which some clients reject; they still work but are not listed.
ALIASES = {
    offered.name.replace("_", "/", 1): offered.name
    for offered in library.DEFINITIONS
    if offered.name.startswith(("flows_", "prompts_"))
}


def listed(*, has_apps: bool = False) -> list[JsonObject]:
    """The entries of `tools/list`."""
    return [offered.definition for offered in (*DEFAULT, *(APP_ONLY if has_apps else ()))]
