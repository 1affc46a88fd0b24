"""Server-sent events, numbered so that clients can resume after a lost connection."""

from collections.abc import AsyncIterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

import anyio
import orjson
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from toolweave.access.keys import ApiKey

# Proxies and clients close connections that are silent for long.
BEAT_EVERY_S = 15.0


class StreamOwner(Protocol):
    """Counts the streams of keys."""

    def counted_stream(self, key: ApiKey) -> AbstractContextManager[None]: ...


@dataclass(frozen=True, slots=True)
class SentEvent:
    """An event; clients send its `id` back as `Last-Event-ID`."""

    id: int
    kind: str
    data: object

    def encoded(self) -> bytes:
        """Return the bytes to send; JSON contains no line breaks."""
        head = f"id: {self.id}\nevent: {self.kind}\ndata: "
        return head.encode() + orjson.dumps(self.data) + b"\n\n"


class EventStream(Response):
    """Sends events until there are no more, or the client disconnects."""

    media_type = "text/event-stream"

    def __init__(
        self, events: AsyncIterable[SentEvent] | None = None, *, beat_every_s: float = BEAT_EVERY_S
    ) -> None:
        # Not `Response.__init__`, which would set a length.
        self.status_code = 200
        self.background = None
        self._events = events
        self._beat_every_s = beat_every_s
        self.init_headers({"Cache-Control": "no-store", "X-Accel-Buffering": "no"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response; it is counted for its key."""
        connection = HTTPConnection(scope)
        owner: StreamOwner | None = getattr(connection.state, "authenticator", None)
        with owner.counted_stream(connection.state.key) if owner else nullcontext():
            start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
            await send(start)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_until_gone, receive, tasks.cancel_scope)
                tasks.start_soon(self._beat, send)
                await self.write(send)
                tasks.cancel_scope.cancel()
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def write(self, send: Send) -> None:
        """Send every event; a subclass may send others."""
        if self._events is not None:
            async for event in self._events:
                await self.send_event(send, event)

    async def send_event(self, send: Send, event: SentEvent) -> None:
        """Send one event."""
        await _send(send, event.encoded())

    async def _beat(self, send: Send) -> None:
        while True:
            await anyio.sleep(self._beat_every_s)
            await _send(send, b": still here\n\n")


async def until_disconnected(receive: Receive) -> None:
    """Wait until the client disconnects; the body was read before."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _until_gone(receive: Receive, listening: anyio.CancelScope) -> None:
    await until_disconnected(receive)
    listening.cancel()


async def _send(send: Send, data: bytes) -> None:
    await send({"type": "http.response.body", "body": data, "more_body": True})
