"""Tools of connected servers as a model's tools: what is offered, and the call through the gate."""

from collections.abc import Iterable

from toolweave import json_text
from toolweave.catalog.node import NodeContext, Wait
from toolweave.catalog.resources.model import ModelTool
from toolweave.json_text import JsonObject
from toolweave.nodes.agent import AgentTool, ToolOutcome
from toolweave.nodes.mcp._step_call import call_tool
from toolweave.patterns import pattern
from toolweave.tools.content_value import says_beside
from toolweave.tools.tool import Tool, ToolCall, ToolResult

# What every provider takes as the name of a tool.
_ODD = pattern(r"[^A-Za-z0-9_-]")
MAX_NAME = 64
MAX_DESCRIPTION = 4_000


def skills_of(tools: Iterable[Tool], taken: Iterable[str] = ()) -> tuple[AgentTool, ...]:
    """Tools that a model may ask for, under names that no two of them share."""
    names = set(taken)
    found: list[AgentTool] = []
    for tool in tools:
        name = offered_name(tool.name, names)
        names.add(name)
        found.append(_skill(tool, name))
    return tuple(found)


def offered_name(name: str, taken: Iterable[str] = ()) -> str:
    """A name that providers take, and that is not taken."""
    wanted = _ODD.sub("_", name)[:MAX_NAME] or "tool"
    others = set(taken)
    found, number = wanted, 2
    while found in others:
        ending = f"_{number}"
        found = wanted[: MAX_NAME - len(ending)] + ending
        number += 1
    return found


def _skill(tool: Tool, name: str) -> AgentTool:
    is_tool = tool.method == "tools/call"

    async def do(context: NodeContext, arguments: JsonObject) -> ToolOutcome | Wait:
        call = ToolCall(
            tool.server,
            tool.name if is_tool else tool.method,
            arguments,
            method=tool.method,
            effect="once" if is_tool else "keyed",
            # A model's calls count against the limit of a session; a workflow's own do not.
            source="assistant",
            scope=f"run:{context.run.id}",
            location=context.key,
        )
        result = await call_tool(context, call, polls=False)
        return result if isinstance(result, Wait) else told(result)

    offer = ModelTool(
        name=name, description=tool.description[:MAX_DESCRIPTION], parameters=tool.input_schema
    )
    return AgentTool(
        offer,
        do,
        effect="once" if is_tool else "keyed",
        gives_instructions=tool.method == "skills/read",
    )


def told(result: ToolResult) -> ToolOutcome:
    """What a tool answered, in words for a model."""
    text = result.text
    if result.structured is not None and (not text or says_beside(result)):
        text = f"{text}\n{json_text.write(result.structured)}".strip()
    others = [block.kind for block in result.content if block.text is None]
    if others:
        text = f"{text}\n({len(others)} parts that are no text: {', '.join(others)})".strip()
    return ToolOutcome(text or "(nothing)", result.is_error)
