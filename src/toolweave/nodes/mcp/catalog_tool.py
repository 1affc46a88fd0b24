"""`TOOL.MCP:SERVER/TOOL`: a tool of a connected server by its name in the catalog."""

from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.nodes.mcp._answers import said_beside, value_of
from toolweave.nodes.mcp._step_call import call_tool
from toolweave.tools.tool import ToolCall


class CatalogTool:
    """Calls the tool with its `inputParams`, through the one gate."""

    types = ("TOOL.MCP",)
    effect = "once"

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """What the tool answered, or a wait for the answer to its question."""
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
        result = await call_tool(context, call)
        if isinstance(result, Wait):
            return result
        value = await value_of(context, result, call)
        return Outcome(value, content=await said_beside(context, result))


plain = CatalogTool()
