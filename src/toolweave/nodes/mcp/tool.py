"""`mcp`: call a tool of a server, with the parameters that stand in the node."""

from toolweave import json_text
from toolweave.catalog.node import NodeContext, Outcome
from toolweave.errors import Invalid, ToolweaveError, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.tools.tool import ToolCall, ToolResult

MAX_PARSED = 4 * 1024 * 1024


class McpTool:
    """Goes through the one gate; what the tool says about failing is a failure."""

    types = ("mcp",)
    effect = "once"

    async def run(self, context: NodeContext) -> Outcome:
        """What the tool answered.

        Raises:
            Unavailable: `MODEL_NEEDED` in the language modes without a model.
        """
        data = context.given
        if data.config.get("mode", "detailed") != "detailed":
            raise Unavailable(
                "MODEL_NEEDED",
                "this node is configured in plain words, which only a model can carry out",
                hint="configure a model, or switch the node to the detailed mode",
            )
        call = ToolCall(
            data.text("serverId"),
            data.text("toolName"),
            data.record("parameterValues"),
            source="workflow",
            scope=f"run:{context.run.id}",
            location=context.key,
        )
        return Outcome(value_of(await context.tools.call(call, on_progress=context.progress), call))


def value_of(result: ToolResult, call: ToolCall) -> Json:
    """A result as a value: what is structured, else its text, parsed where it is JSON.

    Raises:
        ToolweaveError: `TOOL_FAILED` when the tool says that it did not work.
    """
    if result.is_error:
        message = f"tool {call.tool!r} of server {call.server!r} says: {result.text[:500]}"
        raise ToolweaveError("TOOL_FAILED", message)
    if result.structured is not None:
        return result.structured
    value: JsonObject = {"text": result.text}
    parsed = _parsed(result.text)
    if parsed is not None:
        value["json"] = parsed
    value["content"] = [
        {"type": block.kind, "text": block.text, "mimeType": block.mime_type, "uri": block.uri}
        for block in result.content
    ]
    return value


def _parsed(text: str) -> Json:
    if not text.lstrip().startswith(("{", "[")) or len(text) > MAX_PARSED:
        return None
    try:
        return json_text.read(text)
    except Invalid:
        return None


plain = McpTool()
