"""A stream of server-sent events, each checked before the SDK parses it."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

import anyio
import httpx2

from toolweave.errors import Unavailable
from toolweave.network.client import request_origin
from toolweave.servers.transports.failures import HttpFailures
from toolweave.servers.transports.message_size import check_value_count

# A server may request reconnection after a break, but not in an endless or tight loop.
MIN_RETRY_MS = 1000
LARGE_CHARACTERS = 64 * 1024
PARSED_A_SECOND = 2 * 1024 * 1024
MAX_WAIT_S = 0.25


class CheckedEvents(httpx2.AsyncByteStream):
    """Reads the events of a response and re-encodes those that can be parsed safely."""

    def __init__(
        self, response: httpx2.Response, failures: HttpFailures, *, max_bytes: int
    ) -> None:
        self._response = response
        self._failures = failures
        self._max_bytes = max_bytes

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        """Yield the events as bytes."""
        source = httpx2.EventSource(self._response, max_event_size=self._max_bytes)
        events = cast("AsyncGenerator[httpx2.ServerSentEvent]", aiter(source))
        async with aclosing(events):
            async for event in events:
                try:
                    await check_value_count(event.data, request_origin(self._response.request))
                except Unavailable as error:
                    self._failures.record(error)
                    raise httpx2.SSEError(error.message) from None
                yield _written(event)
                if len(event.data) > LARGE_CHARACTERS:
                    # Parsing took a while: let other servers use the event loop.
                    await anyio.sleep(min(len(event.data) / PARSED_A_SECOND, MAX_WAIT_S))

    async def aclose(self) -> None:
        """Close the response."""
        await self._response.aclose()


def _written(event: httpx2.ServerSentEvent) -> bytes:
    fields = [("id", event.id)] if event.id else []
    if event.retry is not None:
        fields.append(("retry", str(max(event.retry, MIN_RETRY_MS))))
    fields.append(("event", event.event))
    fields += [("data", line) for line in event.data.split("\n")]
    return "".join(f"{name}: {value}\n" for name, value in fields).encode() + b"\n"
