"""Streams of the house, heard event by event."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
from starlette.types import Message

from rest.house import HOST, House

# Any: whatever an event carries.
Heard: TypeAlias = MemoryObjectReceiveStream[tuple[str, dict[str, Any]]]


@asynccontextmanager
async def listening(
    house: House, headers: Mapping[str, str], path: str = "/api/v1/events", method: str = "GET"
) -> AsyncGenerator[Heard]:
    """The events of one stream as they come; it is left at the end."""
    told, heard = anyio.create_memory_object_stream[tuple[str, dict[str, Any]]](1_000)
    sent = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", HOST.encode()), *sent],
        "client": ("127.0.0.1", 50_000),
    }

    async def receive() -> Message:
        await anyio.sleep_forever()
        raise AssertionError

    async def send(message: Message) -> None:
        for block in message.get("body", b"").decode().split("\n\n"):
            lines = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
            if "data" in lines:
                await told.send((lines["event"], json.loads(lines["data"])))

    async def follow() -> None:
        with told:
            await house.app(scope, receive, send)

    with heard, anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(follow)
            yield heard
            tasks.cancel_scope.cancel()
