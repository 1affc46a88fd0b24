"""`tools/list` and `tools/call`: the default tools and every published workflow."""

import logging
import time
from dataclasses import replace
from typing import Any, cast

import mcp_types as types
from mcp.shared.exceptions import MCPError

from toolweave.access.authorization import PUBLISHED_TOOL, UNKNOWN_TOOL, tool_rule
from toolweave.catalog.tool_service import ToolService
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import JsonObject
from toolweave.mcp_server.app_tools import AppTools
from toolweave.mcp_server.authoring import AuthoringTools
from toolweave.mcp_server.context import McpContext
from toolweave.mcp_server.definitions import app, authoring, library, running
from toolweave.mcp_server.diagnostics import DiagnosticTools
from toolweave.mcp_server.identity import NAME
from toolweave.mcp_server.library_tools import LibraryTools
from toolweave.mcp_server.published_calls import PublishedCalls
from toolweave.mcp_server.run_tools import RunTools
from toolweave.mcp_server.stored_workflows import StoredWorkflowTools
from toolweave.mcp_server.tool_call import (
    Answer,
    Context,
    McpCaller,
    ToolRequest,
    Tools,
    asker,
    refused,
)
from toolweave.mcp_server.tool_list import ALIASES, APP_ONLY, CONTRIBUTED, listed
from toolweave.problems import did_you_mean
from toolweave.publishing.service import PublishedTool
from toolweave.tools.check import check_arguments
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool

logger = logging.getLogger("toolweave.mcp")


def contributed(context: McpContext) -> dict[str, Tools]:
    """The tools by name; the studio is opened by the first call."""
    tools: dict[str, Tools] = {}
    tools |= dict.fromkeys((one.name for one in authoring.DEFINITIONS), AuthoringTools(context))
    tools |= dict.fromkeys((one.name for one in authoring.STORED), StoredWorkflowTools(context))
    tools |= dict.fromkeys((one.name for one in authoring.DIAGNOSTICS), DiagnosticTools(context))
    tools |= dict.fromkeys((one.name for one in running.DEFINITIONS), RunTools(context))
    tools |= dict.fromkeys((one.name for one in library.DEFINITIONS), LibraryTools(context))
    tools |= dict.fromkeys((one.name for one in app.DEFINITIONS), AppTools(context))
    return tools


class McpTools:
    """Authorizes and validates a call, then passes it to the code that answers."""

    def __init__(self, tool_service: ToolService, context: McpContext | None) -> None:
        self._tool_service = tool_service
        self._published = context.published if context else None
        self._calls = PublishedCalls(context) if context else None
        self._contributed = contributed(context) if context else {}
        self._offers = {offered.name: offered for offered in (*CONTRIBUTED, *APP_ONLY)}
        self._tools = {
            name: read_tool(NAME, offered.strict) for name, offered in self._offers.items()
        }

    async def list_tools(self, context: Context, _: object) -> types.ListToolsResult:
        """List every tool that the caller's key may call, on one page."""
        caller = McpCaller(context)
        entries = listed(has_apps=caller.has_apps)
        entries = [entry for entry in entries if caller.may(tool_rule(str(entry["name"])))]
        entries += [one.publication.definition for one in await self._seen(caller)]
        return types.ListToolsResult(tools=[types.Tool.model_validate(one) for one in entries])

    def input_schema(self, name: str) -> JsonObject | None:
        """The schema against which the SDK checks headers; does not block."""
        if (tool := self._tools.get(name)) is not None:
            return tool.input_schema
        one = self._published.known(name) if self._published else None
        return None if one is None else one.publication.input_schema

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Answer one call; an unknown tool is a protocol error, as the specification requires."""
        arguments = cast("JsonObject", params.arguments or {})
        name = ALIASES.get(params.name, params.name)
        asked = ToolRequest(name, arguments, McpCaller(context), params)
        answer = await self._answered(asked)
        if isinstance(answer, dict) and "taskId" not in answer:
            return types.CallToolResult.model_validate(answer)
        # `task` belongs to an extension that the SDK's types do not model but let pass.
        return cast("types.InputRequiredResult", answer)

    async def _answered(self, asked: ToolRequest) -> Answer:
        if self._tool_service.knows(asked.name):
            asked.caller.require(tool_rule(asked.name))
            return called(
                self._tool_service, asked.name, asked.arguments, asker(asked.caller.context)
            )
        started = time.perf_counter()
        try:
            answer = await self._ran(asked)
        except ToolweaveError as error:
            answer = refused(error)
        note(asked.name, answer, started, asker(asked.caller.context))
        return answer

    async def _ran(self, asked: ToolRequest) -> Answer:
        offered, tools = self._offers.get(asked.name), self._contributed.get(asked.name)
        if offered is not None and tools is not None:
            asked.caller.require(tool_rule(offered.name))
            asked = replace(asked, arguments=offered.usual(asked.arguments))
            _check(self._tools[asked.name], offered.checked(asked.arguments))
            return await tools.call(asked)
        one = await self._published.get(asked.name) if self._published else None
        if one is None or self._calls is None or not _may_see(asked.caller, one):
            asked.caller.require(UNKNOWN_TOOL)
            raise await self._no_tool(asked)
        asked.caller.require(PUBLISHED_TOOL)
        if asked.params.request_state is None:
            _check(one.tool, asked.arguments)
        return await self._calls.call(asked, one)

    async def _seen(self, caller: McpCaller) -> list[PublishedTool]:
        if self._published is None or not caller.may(PUBLISHED_TOOL):
            return []
        return [one for one in await self._published.tools() if _may_see(caller, one)]

    async def _no_tool(self, asked: ToolRequest) -> MCPError:
        names = [one.publication.tool for one in await self._seen(asked.caller)]
        own = [str(entry["name"]) for entry in listed()]
        known = [*(one for one in own if asked.caller.may(tool_rule(one))), *names[:20]]
        hint = did_you_mean(asked.name, [*known, *names]) or f"available tools: {', '.join(known)}"
        return MCPError(types.INVALID_PARAMS, f"no tool {asked.name[:100]!r}; {hint}")


def called(
    tool_service: ToolService, name: str, arguments: JsonObject, who: dict[str, Any]
) -> JsonObject:
    """Call a catalog tool."""
    started = time.perf_counter()
    answer = tool_service.call(name, arguments, once=True)
    note(name, answer, started, who)
    return answer


def note(name: str, answer: Answer, started: float, who: dict[str, Any]) -> None:
    """Log one call."""
    took_ms = round((time.perf_counter() - started) * 1000, 3)
    is_error = bool(answer.get("isError")) if isinstance(answer, dict) else False
    payload = {"tool": name, "is_error": is_error, "took_ms": took_ms}
    logger.info("tool call", extra={**who, **payload})


def _may_see(caller: McpCaller, one: PublishedTool) -> bool:
    return caller.key is None or caller.key.allows_tool(one.publication.tool)


def _check(tool: Tool, arguments: JsonObject) -> None:
    problems = check_arguments(tool, arguments)
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        message = f"invalid arguments for {tool.name!r}"
        raise Invalid("REQUEST_INVALID", message, problems=errors)
