"""Connections over a real socket: slow heads, idle ones, readers that stop, and too many."""

import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.lowlevel
import pytest
import uvicorn
from anyio.abc import SocketStream
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.types import Receive, Scope, Send
from tests.security.controls import Control

from toolweave.serve import connections
from toolweave.serve.connections import LimitedConnection

pytestmark = pytest.mark.anyio

HEAD = b"GET /%s HTTP/1.1\r\nHost: x\r\n"
# Longer than a socket's buffers hold.
CHUNK = b"x" * 1_000_000


async def endless() -> AsyncGenerator[bytes]:
    while True:
        await anyio.lowlevel.checkpoint()
        yield CHUNK


class Service:
    """Answers `/`, and `/endless` for as long as somebody reads."""

    def __init__(self) -> None:
        self.ended = anyio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] != "/endless":
            await PlainTextResponse("good")(scope, receive, send)
            return
        try:
            await StreamingResponse(endless())(scope, receive, send)
        finally:
            self.ended.set()


@asynccontextmanager
async def service(**config: Any) -> AsyncGenerator[tuple[Service, int]]:
    """A server on a free port of this process."""
    app = Service()
    listener = socket.create_server(("127.0.0.1", 0))
    settings = uvicorn.Config(
        app, http=LimitedConnection, log_config=None, lifespan="off", timeout_keep_alive=1, **config
    )
    server = uvicorn.Server(settings)
    with listener:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listener])
            with anyio.fail_after(60):
                yield app, listener.getsockname()[1]
            server.should_exit = server.force_exit = True


async def connected(port: int) -> SocketStream:
    return await anyio.connect_tcp("127.0.0.1", port)


async def until_closed(stream: SocketStream) -> bytes:
    """Everything the server says until it closes the connection."""
    said = b""
    try:
        while True:
            said += await stream.receive()
    except (anyio.EndOfStream, anyio.BrokenResourceError):
        return said


async def answered(stream: SocketStream, *parts: bytes) -> bool:
    """Whether a request in several parts gets its answer."""
    for part in parts:
        await stream.send(part)
        await anyio.lowlevel.checkpoint()
    said = b""
    while b"good" not in said:
        said += await stream.receive()
    return said.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET / HTT", HEAD % b"" + b"X-Slow: 1\r\n"],
    ids=["nothing", "half a line", "half a head"],
)
async def test_a_head_that_does_not_arrive_ends_the_connection(
    sent: bytes, control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with service() as (_, port), await connected(port) as good:
        control("a head in parts is read", await answered(good, HEAD % b"", b"\r\n"))
        monkeypatch.setattr(connections, "HEAD_S", 0.05)
        async with await connected(port) as slow:
            if sent:
                await slow.send(sent)
            assert await until_closed(slow) == b""


async def test_a_second_head_that_drips_ends_the_connection(
    control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with service() as (_, port), await connected(port) as slow:
        control("the first request is answered", await answered(slow, HEAD % b"", b"\r\n"))
        control("so is the next", await answered(slow, HEAD % b"", b"\r\n"))
        monkeypatch.setattr(connections, "HEAD_S", 0.05)

        async def drip() -> None:
            for byte in HEAD % b"" + b"X: " + b"y" * 10_000:
                await slow.send(bytes([byte]))
                await anyio.sleep(0.01)

        with pytest.raises(anyio.BrokenResourceError):
            await drip()


async def test_a_connection_without_requests_is_closed(control: Control) -> None:
    async with service() as (_, port), await connected(port) as idle:
        control("a request is answered", await answered(idle, HEAD % b"", b"\r\n"))
        assert await until_closed(idle) == b""


async def test_a_client_that_stops_reading_is_cut_off(
    control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with service() as (app, port):
        async with await connected(port) as reader:
            await reader.send(HEAD % b"endless" + b"\r\n")
            read = 0
            while read < 3 * len(CHUNK):
                read += len(await reader.receive())
            control("a client that reads gets more", not app.ended.is_set())
        await app.ended.wait()
        app.ended = anyio.Event()
        monkeypatch.setattr(connections, "STALL_S", 0.05)
        async with await connected(port) as stalled:
            await stalled.send(HEAD % b"endless" + b"\r\n")
            await app.ended.wait()
        assert app.ended.is_set()


async def test_connections_that_wait_make_room_for_new_ones(
    control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 3)
    async with service() as (_, port), await connected(port) as busy:
        await busy.send(HEAD % b"endless" + b"\r\n")
        await busy.receive()
        first, second = await connected(port), await connected(port)
        async with first, second:
            await second.send(b"G")
            async with await connected(port) as late:
                control("the new one is served", await answered(late, HEAD % b"", b"\r\n"))
                assert await until_closed(first) == b""
                control("the one in use goes on", await busy.receive())
