"""Asks the node catalog as an MCP client does."""

import json
import sys
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(server: StdioServerParameters) -> None:
    async with Client(stdio_client(server)) as client:
        tools = await client.list_tools()
        sys.stdout.write(f"tools: {', '.join(tool.name for tool in tools.tools)}\n")
        question = {"query": "wait until tomorrow", "limit": 1}
        answer = await client.call_tool("search_nodes", question)
        sys.stdout.write(json.dumps(answer.structured_content) + "\n")


configuration = json.loads(Path("client.json").read_text(encoding="utf-8"))
anyio.run(main, StdioServerParameters(**configuration["mcpServers"]["toolweave"]))
