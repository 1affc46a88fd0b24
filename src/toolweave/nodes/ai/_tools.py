"""The tools of an agent: those of its attached TOOL nodes."""

from collections.abc import Iterable

from toolweave.catalog.node import Attached, NodeContext, Wait
from toolweave.errors import NotFound
from toolweave.json_text import JsonObject
from toolweave.nodes.agent import AgentTool, ToolOutcome
from toolweave.nodes.attached_context import ToolUse, within
from toolweave.nodes.model_tools import skills_of
from toolweave.nodes.tool._mcp_tool import Offering
from toolweave.problems import did_you_mean

LIVE = "TOOL.MCP:"
# The visual editor's own node for server tools.
DRAWN = "mcp"


async def skills_for(
    context: NodeContext, attached: Iterable[Attached], taken: Iterable[str] = ()
) -> tuple[AgentTool, ...]:
    """Return the tools of the model, under names that are not `taken`."""
    names = list(taken)
    found: list[AgentTool] = []
    for one in attached:
        more: tuple[AgentTool, ...] = ()
        if one.ref.startswith(LIVE) or one.ref == DRAWN:
            more = await _of_server(context, one, names)
        elif isinstance(one.code, Offering):
            more = await one.code.skills(within(context, one, ToolUse("tool")), names)
        found += more
        names += [skill.offer.name for skill in more]
    return tuple(found)


async def _of_server(
    context: NodeContext, attached: Attached, taken: list[str]
) -> tuple[AgentTool, ...]:
    """The tool that a node names; an `mcp` node may mean all tools of its server."""
    config = attached.config
    server, _, name = attached.ref.removeprefix(LIVE).partition("/")
    fixed = config.get("inputParams")
    if attached.ref == DRAWN:
        server, name = str(config.get("serverId")), str(config.get("toolName") or "")
        fixed = config.get("parameterValues")
    shelf = context.resources.approved_tools
    tools = {tool.name: tool for tool in await shelf.tools(server)}
    if not name:
        return skills_of([*tools.values(), *await shelf.skill_tools(server)], taken)
    if name not in tools:
        raise NotFound(
            "MCP_TOOL_NOT_FOUND",
            f"{attached.id!r} names the tool {name!r}, which server {server!r} does not have",
            hint=did_you_mean(name, tools) or f"`toolweave servers tools {server}` lists them",
        )
    (skill,) = skills_of([tools[name]], taken)

    async def do(context: NodeContext, arguments: JsonObject) -> ToolOutcome | Wait:
        # What a person wrote into the node stands, whatever the model says.
        filled = {**arguments, **fixed} if isinstance(fixed, dict) else arguments
        return await skill.do(context, filled)

    return (AgentTool(skill.offer, do, skill.effect),)
