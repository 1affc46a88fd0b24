"""The work of `toolweave call`: one call through the gate, in this process or in the studio."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import anyio

from toolweave.app.studio import Studio, open_studio
from toolweave.cli.session import current_home, run
from toolweave.cli.studio_protocol import CallToolCommand
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import JsonObject
from toolweave.problems import how_many
from toolweave.tools.check import check_arguments
from toolweave.tools.coerce import coerce_arguments
from toolweave.tools.content_value import block_json
from toolweave.tools.elicitation import Asker, ElicitationAnswer, ElicitationQuestion
from toolweave.tools.tool import ToolCall, ToolProgress, ToolResult

# How long to wait for an interrupted call to be cancelled.
GRACE_S = 1.0

ShowProgress = Callable[[float, float | None, str | None], None]
Ask = Callable[[ElicitationQuestion], Awaitable[ElicitationAnswer]]


def call_here(command: CallToolCommand, show_progress: ShowProgress, ask: Ask) -> dict[str, Any]:
    """Call the tool from this process."""

    async def hear(progress: ToolProgress) -> None:
        show_progress(progress.done, progress.total, progress.message)

    async def work() -> dict[str, Any]:
        async with current_home() as home, open_studio(home) as studio:
            asker = ask if command.can_ask else None
            return await call_tool(studio, command, "cli", on_progress=hear, asker=asker)

    return run(work)


async def call_tool(
    studio: Studio,
    command: CallToolCommand,
    scope: str,
    *,
    on_progress: Callable[[ToolProgress], Awaitable[None]],
    asker: Asker | None,
) -> dict[str, Any]:
    """Call the tool and return the result as `--json` shows it."""
    arguments = await _arguments(studio, command)
    request = ToolCall(
        server=command.server,
        tool=command.tool,
        arguments=arguments,
        scope=scope,
        deadline_s=command.timeout_s,
    )
    try:
        result = await studio.gate.call(request, on_progress=on_progress, asker=asker)
    except anyio.get_cancelled_exc_class():
        await _confirm_cancellation(studio, command.server)
        raise
    return as_dict(result)


async def _arguments(studio: Studio, command: CallToolCommand) -> JsonObject:
    if not command.pairs:
        return command.arguments
    deadline_s = command.timeout_s or studio.home.settings.limits.call_deadline_s
    listed = await studio.gate.tools(command.server, deadline_s=deadline_s)
    tool = {tool.name: tool for tool in listed}.get(command.tool)
    if tool is None:
        return command.arguments  # the gate reports it
    coerced, problems = coerce_arguments(tool, command.pairs)
    arguments = {**command.arguments, **coerced}
    if problems:
        reported = {problem.pointer for problem in problems}
        problems += [
            problem
            for problem in check_arguments(tool, arguments)
            if problem.pointer not in reported
        ]
        message = f"the arguments of {tool.name!r} have {how_many(problems)}"
        raise Invalid("MCP_ARGUMENTS_INVALID", message, problems=problems)
    return arguments


async def _confirm_cancellation(studio: Studio, server: str) -> None:
    """Wait for a ping sent after the cancellation; its answer shows that the server got both."""
    with (
        anyio.CancelScope(shield=True),
        anyio.move_on_after(GRACE_S),
        suppress(ToolweaveError),
    ):
        live = await studio.connections.use(await studio.home.registry.get(server))
        await live.connection.ping()


def as_dict(result: ToolResult) -> dict[str, Any]:
    """The result for `--json`."""
    return {
        "isError": result.is_error,
        "contentType": result.content_type,
        "displayFormat": result.display,
        "executionDuration": round(result.took_ms, 3),
        "tokensUsed": result.tokens_used,
        "content": [{"data": None, **block_json(block)} for block in result.content],
        "structuredContent": result.structured,
        "problems": [problem.as_json() for problem in result.problems],
    }
