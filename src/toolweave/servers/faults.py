"""Why a connection ended: the first fault seen by any part of it, as a typed error.

The SDK reports most transport faults as "connection closed"; the part that knows the reason
notes it here, and whoever waits gets that instead.
"""

from collections import deque

import anyio

from toolweave.errors import ToolweaveError, Unavailable

STDERR_LINES = 20
STDERR_LINE_CHARACTERS = 300


class Faults:
    """The first fault of one connection and the last lines the server wrote to stderr."""

    def __init__(self, server: str) -> None:
        self.server = server
        self.first: ToolweaveError | None = None
        self.ended = anyio.Event()  # set as soon as anybody knows that the connection is gone
        self.stderr: deque[str] = deque(maxlen=STDERR_LINES)

    def note(self, error: ToolweaveError) -> None:
        """Keep `error` unless an earlier one is known."""
        if self.first is None:
            self.first = error
        self.ended.set()

    def protocol(self, what: str) -> None:
        """Note that the server broke the protocol."""
        self.note(
            Unavailable(
                "SERVER_PROTOCOL",
                f"server {self.server!r} broke the protocol: {what}",
                hint="this is a fault of the server; its own log may say more",
            )
        )

    def hear(self, line: bytes) -> None:
        """Keep one line of the server's stderr."""
        text = line.decode(errors="replace").rstrip()
        if text:
            self.stderr.append(text[:STDERR_LINE_CHARACTERS])

    def closed(self) -> ToolweaveError:
        """The reason the connection is gone, as well as it is known."""
        self.ended.set()
        if self.first is not None:
            return self.first
        said = f"; its last words: {' | '.join(list(self.stderr)[-3:])}" if self.stderr else ""
        return Unavailable(
            "MCP_SERVER_DISCONNECTED",
            f"server {self.server!r} closed the connection{said}",
            hint=f"`toolweave servers check {self.server!r}` tries again and shows why",
        )
