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
from toolweave.tools.text import as_seen
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
    # The first of several that look the same is one in ASCII, if there is one.
    by_look = dict[str, str]()
    for name in sorted(count, key=lambda name: not name.isascii()):
        by_look.setdefault(as_seen(name), name)
    judged: list[Tool] = []
    for tool in read:
        judged.append(_judged(tool, count[tool.name] > 1, is_modern))
        other = by_look.get(as_seen(tool.name), tool.name)
        if other.casefold() != tool.name.casefold():
            problems = (*judged[-1].problems, _similar(tool.name, other))
            judged[-1] = replace(judged[-1], problems=problems)
        await anyio.lowlevel.checkpoint()
    return tuple(judged)


def _similar(name: str, other: str) -> Problem:
    return Problem(
        "TOOL_TEXT_SUSPICIOUS",
        "/name",
        f"the name {name!a} looks like that of another tool, {other!a}",
        hint="review both tools before you approve them",
        severity="warning",
    )


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
