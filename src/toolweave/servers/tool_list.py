"""Parse the raw entries of `tools/list`, with problems between entries or with this protocol."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import anyio.lowlevel
from mcp.shared.inbound import find_invalid_x_mcp_header

from toolweave.access.mask import hide_json_in_use
from toolweave.json_text import Json
from toolweave.problems import Problem
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool


async def parse_tools(server: str, entries: Sequence[Json], *, is_modern: bool) -> tuple[Tool, ...]:
    """Return every entry as a tool; one that cannot be called has an `error` problem."""
    read: list[Tool] = []
    for entry in entries:
        # A server may repeat a secret that it was given, and its tools are stored and shown.
        read.append(read_tool(server, hide_json_in_use(entry)))
        # One takes a millisecond, a large one a hundred, and there can be thousands.
        await anyio.lowlevel.checkpoint()
    count = Counter(tool.name for tool in read if tool.name)
    judged: list[Tool] = []
    for tool in read:
        judged.append(_judged(tool, count[tool.name] > 1, is_modern))
        await anyio.lowlevel.checkpoint()
    return tuple(judged)


def _judged(tool: Tool, is_double: bool, is_modern: bool) -> Tool:
    problems = list(tool.problems)
    if is_double:
        # It is unclear which one a call would reach, or which one was approved.
        problems.append(
            Problem(
                "MCP_TOOL_SCHEMA_INVALID", "/name", f"several tools have the name {tool.name!r}"
            )
        )
    if is_modern and (reason := find_invalid_x_mcp_header(tool.input_schema)) is not None:
        # 2026-07-28: a client must not use a tool whose header annotations are invalid.
        problems.append(
            Problem(
                "MCP_TOOL_SCHEMA_INVALID",
                "/inputSchema",
                f"its header annotations are invalid: {reason}",
            )
        )
    return replace(tool, problems=tuple(problems)) if problems else tool
