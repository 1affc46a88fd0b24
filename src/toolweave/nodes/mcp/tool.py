"""`mcp`: call a tool of a server with the parameters that stand in the node, or in a model's words.

The three modes: every parameter set, parameters described, the whole task described.
"""

from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.catalog.spec import Effect
from toolweave.json_text import JsonObject
from toolweave.nodes.mcp._answers import said_beside, value_of
from toolweave.nodes.mcp._language import fill_parameters, work_task
from toolweave.nodes.mcp._step_call import call_tool
from toolweave.tools.tool import ToolCall
from toolweave.workflow.modes import mode_of


class McpTool:
    """Goes through the one gate; what the tool says about failing is a failure."""

    types = ("mcp",)
    effect = "once"

    def effect_of(self, config: JsonObject) -> Effect:
        """A language mode begins with a question, which may be asked again; its calls may not."""
        return "once" if mode_of(config) == "detailed" else "keyed"

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """What the tool answered, or what a model made of the task."""
        match mode_of(context.given.config):
            case "naturalLanguageParam":
                return await fill_parameters(context)
            case "fullNaturalLanguage":
                return await work_task(context)
            case _:
                return await _call(context)


async def _call(context: NodeContext) -> Outcome | Wait:
    data = context.given
    call = ToolCall(
        data.text("serverId"),
        data.text("toolName"),
        data.record("parameterValues"),
        source="workflow",
        scope=f"run:{context.run.id}",
        location=context.key,
    )
    result = await call_tool(context, call)
    if isinstance(result, Wait):
        return result
    value = await value_of(context, result, call)
    return Outcome(value, content=await said_beside(context, result))


plain = McpTool()
