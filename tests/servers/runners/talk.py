"""Speaks MCP to a launched server over the SDK's own transport."""

import os
from typing import TextIO

from anyio import fail_after
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import TextContent

from toolweave.servers.runners.runner import Launch


async def call(launch: Launch, tool: str, arguments: dict[str, str]) -> str:
    """Start the server, check that it lists the tool, call it, and stop the server."""
    parameters = StdioServerParameters(
        command=launch.argv[0], args=list(launch.argv[1:]), env=launch.env, cwd=launch.cwd
    )
    with fail_after(60), _nowhere() as errors:
        async with Client(stdio_client(parameters, errors)) as client:
            listed = await client.list_tools()
            assert tool in [found.name for found in listed.tools]
            result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="ascii")
