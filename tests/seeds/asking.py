"""How these tests use REST and MCP: the whole application in this process."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from rest.house import ALL_SCOPES, BASE, House

SCOPES = (*ALL_SCOPES, "servers:admin")


# Any: documents and answers as plain JSON.
async def ask(house: House, method: str, path: str, /, **body: Any) -> Any:
    """One request with every right; the answer must be good."""
    headers = await house.key(*SCOPES)
    url = f"/api/v1/{path}"
    answer = await house.client.request(method, url, json=body or None, headers=headers)
    assert answer.is_success, answer.text
    return answer.json()


@asynccontextmanager
async def mcp_client(house: House) -> AsyncGenerator[Client]:
    """A client of the MCP endpoint."""
    transport = httpx2.ASGITransport(house.app, client=("127.0.0.1", 50_000))
    headers = await house.key(*SCOPES)
    async with (
        httpx2.AsyncClient(transport=transport, headers=headers) as http,
        Client(streamable_http_client(f"{BASE}/mcp", http_client=http), mode="auto") as client,
    ):
        yield client
