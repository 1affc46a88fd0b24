"""The tools a model may use in a conversation.

It contains only tools of enabled, approved servers, or of one server if the conversation is
bound to it. Calls go through the gate, which checks them again.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import AliasPath, Field

from toolweave.errors import Denied, NotFound
from toolweave.json_record import JsonRecord
from toolweave.json_text import JsonObject
from toolweave.nodes.model_tools import offered_name
from toolweave.problems import did_you_mean
from toolweave.tools.tool import (
    CallMethod,
    ProgressListener,
    Tool,
    ToolCall,
    ToolCaller,
    ToolResult,
)

MAX_DESCRIPTION = 400

# The approved tools of an enabled server.
ToolsOf = Callable[[str], Awaitable[Sequence[Tool]]]


@dataclass(frozen=True, slots=True)
class EnabledServer:
    """A server with usable tools."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class ContextTool:
    """One tool; `offered` is what the model calls it."""

    server: EnabledServer
    tool: Tool
    offered: str


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The tools and how to call them; calls count for the session `scope`."""

    tools: tuple[ContextTool, ...]
    enabled_servers: tuple[str, ...]
    caller: ToolCaller
    scope: str
    section_binding: str | None = None

    @property
    def skill_tools(self) -> list[str]:
        """The names of the tools that read approved skills."""
        return [one.offered for one in self.tools if one.tool.method == "skills/read"]

    async def execute(
        self,
        server: str,
        tool: str,
        arguments: JsonObject,
        *,
        method: CallMethod = "tools/call",
        on_progress: ProgressListener | None = None,
    ) -> ToolResult:
        """Make a model's call; `method` tells ours from a tool of the server with its name.

        Raises `Denied`: `TOOL_NOT_OFFERED` for a tool outside this context; `ToolweaveError`: the
        gate rejected the call, or it failed.
        """
        offered = (one.tool for one in self.tools if one.server.name == server)
        found = next((one for one in offered if (one.name, one.method) == (tool, method)), None)
        if found is None:
            raise Denied(
                "TOOL_NOT_OFFERED",
                f"tool {tool!r} of server {server!r} is not available in this conversation",
            )
        call = ToolCall(
            server,
            tool if method == "tools/call" else method,
            arguments,
            source="assistant",
            scope=self.scope,
            method=method,
        )
        return await self.caller.call(call, on_progress=on_progress)

    def find(self, offered: str) -> ContextTool:
        """Return the tool with the name used by the model. Raises `MCP_TOOL_NOT_FOUND`."""
        for one in self.tools:
            if one.offered == offered:
                return one
        names = [one.offered for one in self.tools]
        hint = did_you_mean(offered, names) or f"the tools are: {', '.join(names[:50]) or 'none'}"
        raise NotFound("MCP_TOOL_NOT_FOUND", f"there is no tool {offered!r}", hint=hint)

    def described(self) -> str:
        """Return a short list of the tools for the model's instructions."""
        lines = [
            f"- `{one.offered}` ({one.server.name}): {_first_words(one.tool.description)}"
            for one in self.tools
        ]
        return "\n".join(lines) or "(none)"


class ContextToolRecord(JsonRecord):
    """A tool of a server that a model may use."""

    server_id: str = Field(validation_alias=AliasPath("server", "id"))
    server_name: str = Field(validation_alias=AliasPath("server", "name"))
    tool_name: str = Field(validation_alias=AliasPath("tool", "name"))
    description: str = Field(validation_alias=AliasPath("tool", "description"))
    # Any: a schema.
    input_schema: dict[str, Any] = Field(validation_alias=AliasPath("tool", "input_schema"))


class ContextRecord(JsonRecord):
    """The tools a model may use, and how."""

    tools: list[ContextToolRecord]
    enabled_servers: list[str]
    section_binding: str | None


async def build_context(
    servers: Sequence[EnabledServer],
    tools_of: ToolsOf,
    caller: ToolCaller,
    *,
    scope: str,
    bound_to: str | None = None,
) -> ToolContext:
    """Return the context of a conversation; `bound_to` limits it to one server."""
    used = [one for one in servers if bound_to is None or one.name == bound_to]
    if bound_to is not None and not used:
        raise NotFound(
            "MCP_SERVER_NOT_FOUND",
            f"there is no enabled server {bound_to!r}",
            hint=did_you_mean(bound_to, [one.name for one in servers])
            or "run `toolweave servers list` to see which servers are enabled",
        )
    found: list[ContextTool] = []
    names: set[str] = set()
    for server in used:
        for tool in await tools_of(server.name):
            if tool.is_usable:
                offered = offered_name(f"{server.name}__{tool.name}", names)
                names.add(offered)
                found.append(ContextTool(server, tool, offered))
    enabled = tuple(server.name for server in used)
    return ToolContext(tuple(found), enabled, caller, scope, bound_to)


def _first_words(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_DESCRIPTION else line[:MAX_DESCRIPTION] + "…"
