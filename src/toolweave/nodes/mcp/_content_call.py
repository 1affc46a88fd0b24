"""What MCP.RESOURCE and MCP.PROMPT share: the server, the values, the request as a step."""

from dataclasses import replace

from toolweave.catalog.node import NodeContext, NodeInput, Wait
from toolweave.catalog.spec import Field
from toolweave.json_text import JsonObject, write
from toolweave.nodes.mcp._answers import blocks_of
from toolweave.nodes.mcp._step_call import call_tool
from toolweave.tools.tool import ToolCall, ToolResult

CONTENT = Field(
    "content", "array", "The parts as a tool would give them, if one of them is no text."
)
SERVER = Field("server", "string", "Name of a registered and approved MCP server.", required=True)


async def as_step(context: NodeContext, call: ToolCall) -> ToolResult | Wait:
    """Send the request for this step, or wait for the answer to the server's question."""
    placed = replace(call, source="workflow", scope=f"run:{context.run.id}", location=context.key)
    return await call_tool(context, placed)


async def with_media(context: NodeContext, value: JsonObject, result: ToolResult) -> JsonObject:
    """Add the parts of an answer where one is no text, so that it is shown and passed on."""
    if all(block.data is None and block.kind != "link" for block in result.content):
        return value
    return {**value, "content": await blocks_of(context, result)}


def values_in(given: NodeInput, name: str) -> dict[str, str]:
    """Texts by name: of the configuration, and of what came in, which wins."""
    configured = given.config.get(name)
    known = configured if isinstance(configured, dict) else {}
    return {
        key: value if isinstance(value, str) else write(value)
        for key, value in {**known, **given.record(name)}.items()
        if value is not None
    }
