"""An MCP server between a client and an approved server: forwards calls, and records them.

Calls go through the gate, so only approved tools can be called and every limit applies.
"""

from dataclasses import dataclass
from typing import Any

import anyio
from mcp import MCPError, types
from mcp.server import Server, ServerRequestContext

from toolweave import __version__
from toolweave.errors import ToolweaveError
from toolweave.json_text import JsonObject
from toolweave.recording.exchange_log import MAX_PROGRESS
from toolweave.recording.traffic import TrafficRecorder
from toolweave.recording.wire import write_error, write_progress, write_result
from toolweave.servers.lockfile import Pin
from toolweave.tools.tool import ToolCall, ToolCaller, ToolProgress


@dataclass(slots=True)
class RecordingProxy:
    """Answers `tools/list` from the approved tools, and `tools/call` from the server."""

    server: str
    pins: dict[str, Pin]
    tools: ToolCaller
    recorder: TrafficRecorder

    async def list_tools(
        self, _context: ServerRequestContext[Any, Any], _params: object
    ) -> types.ListToolsResult:
        """Return the approved tools on one page."""
        definitions = [pin.definition for _, pin in sorted(self.pins.items())]
        return types.ListToolsResult(
            tools=[types.Tool.model_validate(definition) for definition in definitions]
        )

    async def call_tool(
        self, context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Forward a call, and record it with what came of it."""
        arguments: JsonObject = dict(params.arguments or {})
        body: JsonObject = {"server": self.server, "tool": params.name, "arguments": arguments}
        progress: list[JsonObject] = []
        began = self.recorder.begin()

        async def hear(reported: ToolProgress) -> None:
            if len(progress) < MAX_PROGRESS:
                progress.append(write_progress(reported, self.recorder.after_ms(began)))
            await context.session.report_progress(reported.done, reported.total, reported.message)

        def keep(**outcome: JsonObject | str) -> None:
            more: JsonObject = {"progress": [*progress]} if progress else {}
            self.recorder.end(began, {**body, **more, **outcome})

        # Each call is a session of its own: how many calls a client makes is its own affair.
        scope = f"record/{began.seq}"
        call = ToolCall(self.server, params.name, arguments, scope=scope)
        try:
            result = write_result(await self.tools.call(call, on_progress=hear))
        except ToolweaveError as error:
            keep(error=write_error(error))
            message = f"{error.code}: {error.message}"
            raise MCPError(types.INTERNAL_ERROR, message) from None
        except anyio.get_cancelled_exc_class():
            keep(ended="cancelled")
            raise
        keep(result=result)
        return types.CallToolResult.model_validate(result)


def build_proxy(proxy: RecordingProxy, instructions: str | None) -> Server[Any]:
    """Return an MCP server that forwards to one server and records."""
    return Server(
        proxy.server,
        version=__version__,
        instructions=instructions,
        on_list_tools=proxy.list_tools,
        on_call_tool=proxy.call_tool,
    )
