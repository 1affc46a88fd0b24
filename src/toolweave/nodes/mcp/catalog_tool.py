"""`TOOL.MCP:SERVER/TOOL`: a tool of a connected server by its name in the catalog."""

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.nodes.mcp._answers import value_of
from toolweave.tools.tool import ToolCall


class CatalogTool:
    """Calls the tool with its `inputParams`, through the one gate."""

    types = ("TOOL.MCP",)
    effect = "once"

    async def run(self, context: NodeContext) -> Outcome:
        """What the tool answered."""
        given = context.given
        server, _, tool = given.text("subtype").removeprefix("MCP:").partition("/")
        call = ToolCall(
            server,
            tool,
            given.record("inputParams"),
            source="workflow",
            scope=f"run:{context.run.id}",
            location=context.key,
        )
        return Outcome(value_of(await context.tools.call(call, on_progress=context.progress), call))


plain = CatalogTool()
