"""`mcp`: call a tool of a server, with the parameters that stand in the node."""

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.errors import Unavailable
from toolweave.nodes.mcp._answers import value_of
from toolweave.tools.tool import ToolCall


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


plain = McpTool()
