"""pydantic-ai's MCP client against the address in the arguments; run by `test_clients.py`."""

import asyncio
import json
import sys

from pydantic_ai import BinaryContent, ModelRetry
from pydantic_ai.mcp import MCPToolset

URL, KEY = sys.argv[1:]


async def main() -> None:
    server = MCPToolset(URL, headers={"X-API-Key": KEY}, init_timeout=60, read_timeout=60)
    async with server:
        tools = [tool.name for tool in await server.list_tools()]
        text = await server.direct_call_tool("test_simple_text", {})
        image = await server.direct_call_tool("test_image_content", {})
        try:
            await server.direct_call_tool("test_error_handling", {})
            failed = False
        except ModelRetry:
            failed = True
    parts = image if isinstance(image, list) else [image]
    found = {
        "tools": tools,
        "text": text if isinstance(text, str) else json.dumps(text),
        "image": ["image" for part in parts if isinstance(part, BinaryContent) and part.is_image],
        "failed": failed,
    }
    sys.stdout.write(json.dumps(found))


asyncio.run(main())
