"""A peer on the wire that says whatever a test wants, and everything this process dials."""

import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import cast

import anyio
from anyio.abc import SocketAttribute, SocketStream

Answer = Callable[[bytes], bytes | None]
Talk = Callable[[SocketStream], Awaitable[None]]


@dataclass
class Peer:
    """Where it listens, and what came in."""

    port: int
    heads: list[bytes] = field(default_factory=list[bytes])
    connections: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"


@asynccontextmanager
async def peer(answer: Answer | bytes | None, *, host: str = "127.0.0.1") -> AsyncGenerator[Peer]:
    """Answers each connection's first request with the given bytes; `None` never answers."""
    listener = await anyio.create_tcp_listener(local_host=host, local_port=0)
    known = Peer(listener.extra(SocketAttribute.local_port))

    async def talk(stream: SocketStream) -> None:
        known.connections += 1
        async with stream:
            try:
                request = await read_request(stream)
                known.heads.append(request)
                said = answer(request) if callable(answer) else answer
                await (stream.send(said) if said is not None else anyio.sleep_forever())
            except (anyio.EndOfStream, anyio.BrokenResourceError):
                return

    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, talk)
        yield known
        tasks.cancel_scope.cancel()


@asynccontextmanager
async def slow_peer(answer: Callable[[bytes], bytes | None], slow: bytes) -> AsyncGenerator[Peer]:
    """Answers like `peer`, but where `answer` has nothing with these bytes and an endless rest."""

    async def talk(stream: SocketStream) -> None:
        async with stream:
            with suppress(anyio.EndOfStream, anyio.BrokenResourceError):
                said = answer(await read_request(stream))
                await stream.send(slow if said is None else said)
                while said is None:
                    await anyio.sleep(0.02)
                    await stream.send(b" ")

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, talk)
        yield Peer(listener.extra(SocketAttribute.local_port))
        tasks.cancel_scope.cancel()


async def read_request(stream: SocketStream) -> bytes:
    """One request, head and body; a TLS greeting counts as one too."""
    got = await stream.receive()
    if not got[:1].isalpha():
        return got
    while b"\r\n\r\n" not in got:
        got += await stream.receive()
    head, _, body = got.partition(b"\r\n\r\n")
    length = 0
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            length = int(line.partition(b":")[2])
    while len(body) < length:
        body += await stream.receive()
    return head + b"\r\n\r\n" + body


def http(status: int, body: bytes = b"", **headers: str) -> bytes:
    """A response that ends its connection."""
    lines = [f"HTTP/1.1 {status} Said", f"content-length: {len(body)}", "connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def json_answer(body: bytes, status: int = 200) -> bytes:
    return http(status, body, content_type="application/json")


def event_answer(body: bytes) -> bytes:
    return http(200, body, content_type="text/event-stream")


@dataclass
class Dialled:
    """The addresses of connection attempts made while it listens."""

    addresses: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    listens: bool = False


@cache
def _audited() -> Dialled:
    # An audit hook cannot be taken away again, so there is one, and it only listens when asked.
    dialled = Dialled()

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if event == "socket.connect" and dialled.listens and isinstance(arguments[1], tuple):
            host, port, *_ = cast("tuple[str, int]", arguments[1])
            dialled.addresses.append((host, port))

    sys.addaudithook(hear)
    return dialled


@contextmanager
def dialling() -> Generator[list[tuple[str, int]]]:
    """Every address this process tries to connect to, as the interpreter itself reports it."""
    dialled = _audited()
    dialled.addresses = []
    dialled.listens = True
    try:
        yield dialled.addresses
    finally:
        dialled.listens = False
