"""The ways to reach a server that really runs: stdio or HTTP, in either protocol era."""

import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TextIO, cast

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.session import MessageHandlerFnT
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from rest.process import Served, environ_of

Transport = Literal["stdio", "http"]
Mode = Literal["legacy", "auto"]

WAYS: tuple[tuple[Transport, Mode], ...] = (
    ("stdio", "legacy"),
    ("stdio", "auto"),
    ("http", "legacy"),
    ("http", "auto"),
)


# The client wants a file of text; its process only inherits the descriptor.
DEVNULL = cast("TextIO", subprocess.DEVNULL)


@dataclass(frozen=True)
class Door:
    """One way in; over stdio each client starts a process of its own."""

    transport: Transport
    mode: Mode
    home: Path
    server: Served | None = None

    @asynccontextmanager
    async def client(
        self, heard: MessageHandlerFnT | None = None, *, path: str = "/mcp", **more: Any
    ) -> AsyncGenerator[Client]:
        """A connected client; `heard` gets what the server says unasked."""
        if self.server is None:
            parameters = StdioServerParameters(
                command=sys.executable,
                args=["-m", "toolweave.cli.main", "mcp"],
                env=environ_of(self.home),
                cwd=self.home,
            )
            transport = stdio_client(parameters, errlog=DEVNULL)
            async with Client(transport, mode=self.mode, message_handler=heard, **more) as client:
                yield client
            return
        async with (
            httpx2.AsyncClient(headers=self.server.headers, timeout=30) as http,
            Client(
                streamable_http_client(self.server.url + path, http_client=http),
                mode=self.mode,
                message_handler=heard,
                **more,
            ) as client,
        ):
            yield client
