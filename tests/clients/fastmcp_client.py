"""FastMCP's client against the address in the arguments; run by `test_clients.py`."""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

URL, KEY = sys.argv[1:]


async def answer(message: str, response_type: type, params: object, context: object) -> object:
    del message, params, context
    return response_type(username="ada", email="ada@example.org")


async def main() -> None:
    transport = StreamableHttpTransport(URL, headers={"X-API-Key": KEY})
    async with Client(transport, elicitation_handler=answer) as client:
        tools = [tool.name for tool in await client.list_tools()]
        text = await client.call_tool("test_simple_text", {})
        image = await client.call_tool("test_image_content", {})
        asked = await client.call_tool("test_elicitation", {"message": "Who?"})
        failed = await client.call_tool("test_error_handling", {}, raise_on_error=False)
    found = {
        "tools": tools,
        "text": text.content[0].text,
        "image": [part.type for part in image.content],
        "failed": failed.is_error,
        "asked": "ada@example.org" in str(asked.content),
    }
    sys.stdout.write(json.dumps(found))


asyncio.run(main())
