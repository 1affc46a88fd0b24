"""Why a connection ended: the first failure in any part of it, as a typed error.

The SDK reports most transport failures as "connection closed"; the part that knows the reason
records it here, and waiting calls raise that instead.
"""

from collections import deque
from dataclasses import replace

import anyio

from toolweave.access.mask import Masker
from toolweave.errors import Invalid, TimedOut, ToolweaveError, Unavailable

STDERR_LINES = 20
STDERR_LINE_CHARACTERS = 300


class DisconnectReason:
    """The first failure of one connection and the server's last stderr lines."""

    def __init__(self, server: str) -> None:
        self.server = server
        self.first: ToolweaveError | None = None
        self.ended = anyio.Event()  # set as soon as the connection is known to be closed
        self.messages = 0  # number of received messages
        self.stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self.exit_code: int | None = (
            None  # of a process that exited by itself; negative for a signal
        )

        self.is_unread = False  # whether it exited without reading what it was sent

    def note(self, error: ToolweaveError) -> None:
        """Keep `error` unless an earlier one is known."""
        if self.first is None:
            self.first = error
        self.ended.set()

    def protocol(self, what: str) -> None:
        """Record that the server violated the protocol."""
        self.note(protocol_error(self.server, what))

    def hear(self, line: bytes) -> None:
        """Keep one line of the server's stderr."""
        text = printable(line.decode(errors="replace").rstrip(), STDERR_LINE_CHARACTERS)
        if text:
            self.stderr.append(text)

    def closed(self) -> ToolweaveError:
        """Return why the connection is closed, as far as it is known."""
        self.ended.set()
        if self.first is not None:
            return self.first
        how = "" if self.exit_code is None else f" ({_ending(self.exit_code)})"
        said = f"; its last output: {' | '.join(list(self.stderr)[-3:])}" if self.stderr else ""
        return Unavailable(
            "MCP_SERVER_DISCONNECTED",
            f"server {self.server!r} closed the connection{how}{said}",
            hint=f"run `toolweave servers check {self.server!r}` to try again and see why",
        )


def _ending(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"ended by signal {-code}"


def protocol_error(server: str, what: str) -> Unavailable:
    """Return the error for a server that violated the protocol."""
    return Unavailable(
        "SERVER_PROTOCOL",
        f"server {server!r} violated the protocol: {what}",
        hint="this is a bug in the server; check its log",
    )


def connect_timeout(server: str, deadline_s: float) -> TimedOut:
    """Return the error for a server that did not complete the handshake in time."""
    return TimedOut(
        "SERVER_CONNECT_TIMEOUT",
        f"server {server!r} did not answer within {deadline_s:g} s of its start",
        hint="if it starts slowly, increase TOOLWEAVE_CONNECT_DEADLINE_S and the call's deadline",
    )


def not_ready_in_time(server: str, deadline_s: float) -> TimedOut:
    """Return the error for a call whose deadline passed before anything was sent to the server."""
    return TimedOut(
        "SERVER_CONNECT_TIMEOUT",
        f"server {server!r} was not ready within the call's deadline of {deadline_s:g} s",
        hint="increase the call's deadline: a server that is not running must start within it",
    )


def printable(text: str, limit: int) -> str:
    """Return at most `limit` characters of `text`, without control characters and surrogates."""
    cut = text[:limit]
    if cut.isprintable():
        return cut
    return "".join(
        character if character.isprintable() else " " if character.isspace() else "\ufffd"
        for character in cut
    )


def mask_error(error: ToolweaveError, masker: Masker) -> ToolweaveError:
    """Return a copy of `error` with all secrets masked.

    Always a new object: raising one error for many calls would keep all their tracebacks.
    """
    hint = masker.mask_text(error.hint) if error.hint else None
    facts = {key: masker.mask_json(value) for key, value in error.facts.items()}
    message = masker.mask_text(error.message)
    if not isinstance(error, Invalid):
        return type(error)(error.code, message, hint=hint, facts=facts)
    problems = [
        replace(
            problem,
            message=masker.mask_text(problem.message),
            hint=masker.mask_text(problem.hint) if problem.hint else None,
        )
        for problem in error.problems
    ]
    return type(error)(error.code, message, hint=hint, facts=facts, problems=problems)
