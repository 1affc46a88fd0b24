"""HTTP connections with deadlines, which uvicorn's own do not have.

A head that does not arrive, or a client that stops reading, ends the connection. Where there are
too many connections, those that have waited longest for a request make room for new ones.
"""

import asyncio
import time
from typing import cast

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

# How long the line and headers of a request may take, from the connection or the first byte.
HEAD_S = 20.0
# How long a client may read nothing while a response waits.
STALL_S = 60.0
MAX_CONNECTIONS = 1_000


class LimitedConnection(H11Protocol):
    """One connection."""

    # Since when it waits for a request, unless one is being answered.
    waiting_since: float | None = None
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first head."""
        super().connection_made(transport)
        self._make_room()
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Read; the deadline of a head is not extended by its parts."""
        super().data_received(data)
        if self._is_answering:
            self._end_wait()
        elif self._deadline is None:
            self._wait_for_head()

    def on_response_complete(self) -> None:
        """Wait for the next request; uvicorn closes a connection on which nothing comes."""
        self.waiting_since = time.monotonic()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Wait for the client to read."""
        super().pause_writing()
        self._set_deadline(STALL_S)

    def resume_writing(self) -> None:
        """Go on."""
        super().resume_writing()
        self._end_wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        self._end_wait()
        super().connection_lost(exc)

    @property
    def _is_answering(self) -> bool:
        # None before the first request, though it is declared otherwise.
        cycle = cast("RequestResponseCycle | None", self.cycle)
        return cycle is not None and not cycle.response_complete

    def _wait_for_head(self) -> None:
        self.waiting_since = time.monotonic()
        self._set_deadline(HEAD_S)

    def _set_deadline(self, wait_s: float) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(wait_s, self.transport.abort)

    def _end_wait(self) -> None:
        self.waiting_since = None
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _make_room(self) -> None:
        """Close the connection that has waited longest, if there are too many."""
        if len(self.connections) <= MAX_CONNECTIONS:
            return
        all_of_them = cast("set[LimitedConnection]", self.connections)
        since = {one: one.waiting_since for one in all_of_them if one.waiting_since is not None}
        if since:
            min(since, key=lambda one: since[one]).transport.abort()
