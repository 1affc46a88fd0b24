"""The tools that every client is offered, in the order of `tools/list`.

The first answers are made of it before the SDK is loaded: data only, and nothing slow to import.
"""

from toolweave.catalog.tool_definitions import listed as knowledge
from toolweave.json_text import JsonObject
from toolweave.mcp_server.definitions import authoring, library, running
from toolweave.mcp_server.tool_definition import ToolDefinition

KNOWLEDGE: tuple[ToolDefinition, ...] = tuple(
    ToolDefinition(entry, "tools:execute") for entry in knowledge()
)
# Those that `contributions.py` has the code of.
CONTRIBUTED: tuple[ToolDefinition, ...] = (*authoring.OFFERS, *running.OFFERS, *library.OFFERS)
DEFAULT: tuple[ToolDefinition, ...] = (*KNOWLEDGE, *CONTRIBUTED)


# 003: its names have a `/`, which not every client takes; they are answered all the same.
ALIASES = {
    offered.name.replace("_", "/", 1): offered.name
    for offered in library.OFFERS
    if offered.name.startswith(("flows_", "prompts_"))
}


def listed() -> list[JsonObject]:
    """The entries of `tools/list`."""
    return [offered.definition for offered in DEFAULT]
