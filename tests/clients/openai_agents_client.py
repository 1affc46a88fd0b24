"""openai-agents' MCP client against the address in the arguments; run by `test_clients.py`."""

import asyncio
import json
import sys

from agents.mcp import MCPServerStreamableHttp

URL, KEY = sys.argv[1:]


async def main() -> None:
    params = {"url": URL, "headers": {"X-API-Key": KEY}, "timeout": 60}
    async with MCPServerStreamableHttp(params=params, client_session_timeout_seconds=60) as server:
        tools = [tool.name for tool in await server.list_tools()]
        text = await server.call_tool("test_simple_text", {})
        image = await server.call_tool("test_image_content", {})
        failed = await server.call_tool("test_error_handling", {})
    found = {
        "tools": tools,
        "text": text.content[0].text,
        "image": [part.type for part in image.content],
        "failed": bool(getattr(failed, "isError", getattr(failed, "is_error", False))),
    }
    sys.stdout.write(json.dumps(found))


asyncio.run(main())
