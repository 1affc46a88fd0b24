"""Finds the page of a published tool and runs the tool as the page does."""

import json
import os
import sys
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.extension import advertise
from mcp.client.stdio import stdio_client

APPS = advertise("io.modelcontextprotocol/ui", {"mimeTypes": ["text/html;profile=mcp-app"]})


async def main(server: StdioServerParameters) -> None:
    async with Client(stdio_client(server), extensions=[APPS]) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        meta = tools["plan_trip"].meta or {}
        sys.stdout.write(f"page: {meta['ui']['resourceUri']}\n")
        inputs = {"tool": "plan_trip", "arguments": {"city": "Oslo"}}
        run = (await client.call_tool("app_start", inputs)).structured_content
        while run["status"] == "running":
            await anyio.sleep(0.2)
            run = (await client.call_tool("app_run", {"run_id": run["run_id"]})).structured_content
        for step in run["steps"]:
            sys.stdout.write(f"{step['title']}: {step['status']}\n")


configuration = json.loads(Path("client.json").read_text(encoding="utf-8"))
server = configuration["mcpServers"]["toolweave"]
anyio.run(main, StdioServerParameters(**server, env=dict(os.environ)))
