"""A scripted external service, over real HTTP on this machine."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias
from urllib.parse import parse_qsl, urlsplit

import anyio
from anyio.abc import SocketAttribute, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from toolweave import json_text
from toolweave.json_text import Json
from toolweave.tasks import background

MAX_HEAD_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Told:
    """A response: status, JSON (or bytes) and headers."""

    value: "Json | bytes" = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


# By "METHOD /path": one response for all requests, or a list used in order.
Script: TypeAlias = Mapping[str, Told | list[Told]]


@dataclass(frozen=True, slots=True)
class ServiceRequestRecord:
    """A received request; header names are in lower case."""

    method: str
    path: str
    query: list[tuple[str, str]]
    headers: Mapping[str, str]
    body: bytes

    @property
    def line(self) -> str:
        """`METHOD /path?query`, decoded."""
        query = "&".join(f"{name}={value}" for name, value in self.query)
        return f"{self.method} {self.path}" + (f"?{query}" if query else "")

    @property
    def json(self) -> Json:
        """The body as JSON; `None` if empty."""
        return json_text.read(self.body) if self.body else None

    @property
    def form(self) -> dict[str, str]:
        """The body as form fields."""
        return dict(parse_qsl(self.body.decode(), keep_blank_values=True))


@dataclass
class FakeService:
    """A running service: its address, script and received requests."""

    address: str
    script: Script
    usual: Told
    heard: list[ServiceRequestRecord] = field(default_factory=list[ServiceRequestRecord])

    def answer(self, request: ServiceRequestRecord) -> Told:
        """Return the scripted response, or the default."""
        self.heard.append(request)
        told = self.script.get(f"{request.method} {request.path}", self.usual)
        if isinstance(told, list):
            return told.pop(0) if len(told) > 1 else told[0]
        return told


@asynccontextmanager
async def fake_service(
    script: Script | None = None,
    *,
    usual: Told | None = None,
    kind: Callable[..., FakeService] = FakeService,
) -> AsyncGenerator[FakeService]:
    """Listen on a free port; another `kind` overrides the responses."""
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    address = f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}"
    service = kind(address, script or {}, usual or Told({"ok": True}))

    async def talk(stream: SocketStream) -> None:
        async with stream:
            try:
                told = service.answer(await _read(stream))
                await stream.send(_written(told, address))
            except (anyio.IncompleteRead, anyio.BrokenResourceError, anyio.EndOfStream):
                return

    async with listener, background() as tasks:
        tasks.start_soon(listener.serve, talk)
        yield service


async def _read(stream: SocketStream) -> ServiceRequestRecord:
    buffered = BufferedByteReceiveStream(stream)
    head = (await buffered.receive_until(b"\r\n\r\n", MAX_HEAD_BYTES)).decode("latin-1")
    first, *lines = head.split("\r\n")
    method, target, _ = first.split(" ")
    named = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in named}
    body = await buffered.receive_exactly(int(headers.get("content-length", "0")))
    parts = urlsplit(target)
    query = parse_qsl(parts.query, keep_blank_values=True)
    return ServiceRequestRecord(method, parts.path, query, headers, body)


def _written(told: Told, address: str) -> bytes:
    """Encode a response; `{here}` is replaced with the service's address."""
    is_raw = isinstance(told.value, bytes)
    body = told.value if isinstance(told.value, bytes) else json_text.write(told.value).encode()
    if told.value is None:
        body = b""
    body = body.replace(b"{here}", address.encode())
    headers = {
        "content-length": str(len(body)),
        "connection": "close",
        **({} if is_raw or not body else {"content-type": "application/json"}),
        **told.headers,
    }
    lines = [f"HTTP/1.1 {told.status} Said", *(f"{name}: {one}" for name, one in headers.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
