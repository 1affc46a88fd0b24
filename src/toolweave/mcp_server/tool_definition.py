"""A tool that a room offers to MCP clients, as data: what `tools/list` shows, and who may call it.

Knows nothing of the SDK, so that the porch can list it. To offer tools: put their `OFFERS` in a
file of `offers`, name it in `menu.py`, and give the code that answers to `contributions.py`.
"""

from dataclasses import dataclass

from toolweave.json_text import Json, JsonObject


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """One tool, and the scope a key needs to call it."""

    definition: JsonObject
    scope: str

    @property
    def name(self) -> str:
        """What it is called by."""
        return str(self.definition["name"])


def offer(
    name: str,
    scope: str,
    description: str,
    /,
    *required: str,
    only_reads: bool = False,
    **properties: JsonObject,
) -> ToolDefinition:
    """A tool in few words: every token of the default tools is counted."""
    schema: JsonObject = {"type": "object", "additionalProperties": False}
    if properties:
        schema |= {"properties": dict[str, Json](properties)}
    if required:
        schema |= {"required": list[Json](required)}
    definition: JsonObject = {"name": name, "description": description, "inputSchema": schema}
    if only_reads:
        definition |= {"annotations": {"readOnlyHint": True}}
    return ToolDefinition(definition, scope)
