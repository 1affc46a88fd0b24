"""langchain-mcp-adapters against the address in the arguments; run by `test_clients.py`."""

import asyncio
import json
import sys

from langchain_core.tools import ToolException
from langchain_mcp_adapters.client import MultiServerMCPClient

URL, KEY = sys.argv[1:]


async def main() -> None:
    entry = {"transport": "streamable_http", "url": URL, "headers": {"X-API-Key": KEY}}
    client = MultiServerMCPClient({"studio": entry})
    tools = {tool.name: tool for tool in await client.get_tools()}
    text = await tools["test_simple_text"].ainvoke({})
    image = await tools["test_image_content"].ainvoke({})
    try:
        failed = "error" in str(await tools["test_error_handling"].ainvoke({})).lower()
    except ToolException:
        failed = True
    found = {
        "tools": list(tools),
        "text": text if isinstance(text, str) else text[0]["text"],
        "image": [part["type"] for part in image],
        "failed": failed,
    }
    sys.stdout.write(json.dumps(found))


asyncio.run(main())
