"""The SDK's own client against a program of the catalogue.

Run by `test_instruments.py` with the program's name as its argument, and watched from outside.
"""

import sys
from contextlib import ExitStack

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from hostile.catalogue import TRIGGER, http_server, named


async def main() -> None:
    """Call the tool that misbehaves."""
    vice = named(sys.argv[1])
    command, *args = vice.argv()
    with ExitStack() as stack:
        target = (
            stack.enter_context(http_server(vice))
            if vice.transport == "http"
            else stdio_client(StdioServerParameters(command=command, args=args))
        )
        async with Client(target) as client:
            await client.call_tool("echo", {"text": "hi"})
            sys.stdout.write("called\n")
            sys.stdout.flush()
            await client.call_tool(TRIGGER, {})


if __name__ == "__main__":
    anyio.run(main)
