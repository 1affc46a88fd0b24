"""How TOOL nodes work: a tool of a registered server of their kind, as a step or for an agent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from toolweave.catalog.node import NodeContext, NodeInput, Outcome, Wait
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.agent import AgentTool, ToolOutcome
from toolweave.nodes.mcp._answers import parsed_of, said_beside
from toolweave.nodes.mcp._step_call import call_tool
from toolweave.nodes.model_tools import skills_of
from toolweave.problems import did_you_mean
from toolweave.tools.tool import CallId, Tool, ToolCall

Names = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class McpBinding:
    """What a kind of server is called, and how configurations become arguments."""

    server: str
    # By configuration: the arguments it stands in for where a call leaves them out.
    defaults: Names = field(default_factory=dict[str, tuple[str, ...]])
    # By configuration: the arguments it is the most of.
    caps: Names = field(default_factory=dict[str, tuple[str, ...]])
    # By output: where it is found, in the answer or in the arguments.
    found: Names = field(default_factory=dict[str, tuple[str, ...]])
    # By configuration: words in the names of tools that may be called only where it is true.
    guards: Names = field(default_factory=dict[str, tuple[str, ...]])

    def may_call(self, given: NodeInput, name: str) -> bool:
        """Whether the node's configuration allows a tool."""
        allowed = given.listing("available_tools")
        if allowed and name not in allowed:
            return False
        return all(
            given.flag(setting) or not any(word in name for word in words)
            for setting, words in self.guards.items()
        )

    def arguments(self, given: NodeInput, tool: Tool, called: JsonObject) -> JsonObject:
        """The arguments of a call, with what the node's configuration adds."""
        takes = tool.input_schema.get("properties")
        known = set(takes) if isinstance(takes, dict) else set[str]()
        filled = dict(called)
        for setting, names in {**self.defaults, **self.caps}.items():
            value = given.config.get(setting)
            name = next((name for name in names if name in known), None)
            is_there = any(one in called for one in names)
            if name is not None and not is_there and value not in (None, "", [], {}):
                filled[name] = value
        for setting, names in self.caps.items():
            most = given.config.get(setting)
            for name in names:
                filled |= _capped(filled, name, most)
        return filled


@runtime_checkable
class Offering(Protocol):
    """A TOOL node whose tools an agent can use."""

    async def skills(self, context: NodeContext, taken: Sequence[str]) -> tuple[AgentTool, ...]: ...


class BoundTool:
    """The code of every TOOL node: what differs is its `binding`."""

    binding: McpBinding

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """Call the tool, through the one gate."""
        given = context.given
        tool = _named(self.binding, given, await self._tools(context))
        arguments = self.binding.arguments(given, tool, given.record("function_args"))
        call = ToolCall(
            tool.server,
            tool.name,
            arguments,
            source="workflow",
            scope=f"run:{context.run.id}",
            location=context.key,
        )
        if given.text("call_id"):
            # In the history it is found by the id somebody gave, within its step.
            call = replace(call, id=CallId(f"{context.key}#{given.text('call_id')}"))
        result = await call_tool(context, call)
        if isinstance(result, Wait):
            return result
        answer = await parsed_of(context, result)
        return Outcome(
            {
                "result": answer,
                "success": not result.is_error,
                "error_message": result.text[:2000] if result.is_error else "",
                "execution_time": result.took_ms / 1000,
                "cached": False,
                **self._ids(arguments, answer),
            },
            content=await said_beside(context, result),
        )

    async def skills(self, context: NodeContext, taken: Sequence[str]) -> tuple[AgentTool, ...]:
        """Its tools for an agent's model; what the configuration says holds there too."""
        given = context.given
        tools = [
            tool for tool in await self._tools(context) if self.binding.may_call(given, tool.name)
        ]
        plain = skills_of(tools, taken)
        return tuple(
            AgentTool(one.offer, self._filling(given, tool, one), one.effect)
            for tool, one in zip(tools, plain, strict=True)
        )

    async def _tools(self, context: NodeContext) -> Sequence[Tool]:
        shelf = context.resources.approved_tools
        named = context.given.text("mcp_server_url") or None
        return await shelf.tools(await shelf.server_for(self.binding.server, named))

    def _filling(self, given: NodeInput, tool: Tool, skill: AgentTool) -> "_Do":
        async def do(context: NodeContext, arguments: JsonObject) -> ToolOutcome | Wait:
            return await skill.do(context, self.binding.arguments(given, tool, arguments))

        return do

    def _ids(self, arguments: JsonObject, answer: Json) -> JsonObject:
        places = [answer if isinstance(answer, dict) else {}, arguments]
        return {
            output: next(
                (place[name] for place in places for name in names if place.get(name) is not None),
                None,
            )
            for output, names in self.binding.found.items()
        }


class _Do(Protocol):
    async def __call__(
        self, context: NodeContext, arguments: JsonObject, /
    ) -> ToolOutcome | Wait: ...


def _capped(arguments: JsonObject, name: str, most: Json) -> JsonObject:
    asked = arguments.get(name)
    if isinstance(asked, int | float) and isinstance(most, int | float):
        return {name: min(asked, most)}
    return {}


def _named(binding: McpBinding, given: NodeInput, tools: Sequence[Tool]) -> Tool:
    name = given.text("tool_name")
    allowed = [tool for tool in tools if binding.may_call(given, tool.name)]
    for tool in allowed:
        if tool.name == name:
            return tool
    names = [tool.name for tool in allowed]
    is_closed = any(tool.name == name for tool in tools)
    why = (
        "may not be called as this node is configured"
        if is_closed
        else "is no approved tool of its server"
    )
    raise Invalid(
        "NODE_INPUT_INVALID",
        f"tool_name {name!r} {why}",
        hint=did_you_mean(name, names) or f"these may be called: {', '.join(names) or 'none'}",
        facts={"field": "tool_name"},
    )
