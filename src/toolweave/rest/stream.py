"""Server-sent events: numbered, so that whoever lost the connection goes on where it was."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import anyio
import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

# Proxies and clients give up on a connection that is silent for long.
BEAT_EVERY_S = 15.0


@dataclass(frozen=True, slots=True)
class SentEvent:
    """One event; `id` is what a client sends back as `Last-Event-ID`."""

    id: int
    kind: str
    data: object

    def encoded(self) -> bytes:
        """As it goes over the wire; JSON has no line ends of its own."""
        head = f"id: {self.id}\nevent: {self.kind}\ndata: "
        return head.encode() + orjson.dumps(self.data) + b"\n\n"


class EventStream(Response):
    """Sends events as they come until there are no more, or nobody listens."""

    media_type = "text/event-stream"

    def __init__(
        self, events: AsyncIterator[SentEvent], *, beat_every_s: float = BEAT_EVERY_S
    ) -> None:
        # Not that of `Response`, which would promise a length.
        self.status_code = 200
        self.background = None
        self._events = events
        self._beat_every_s = beat_every_s
        self.init_headers({"Cache-Control": "no-store", "X-Accel-Buffering": "no"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the whole of it."""
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_until_gone, receive, tasks.cancel_scope)
            tasks.start_soon(self._beat, send)
            await self.write(send)
            tasks.cancel_scope.cancel()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def write(self, send: Send) -> None:
        """Send every event."""
        async for event in self._events:
            await _send(send, event.encoded())

    async def send_event(self, send: Send, event: SentEvent) -> None:
        """Send one."""
        await _send(send, event.encoded())

    async def _beat(self, send: Send) -> None:
        while True:
            await anyio.sleep(self._beat_every_s)
            await _send(send, b": still here\n\n")


async def _until_gone(receive: Receive, listening: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    listening.cancel()


async def _send(send: Send, data: bytes) -> None:
    await send({"type": "http.response.body", "body": data, "more_body": True})
