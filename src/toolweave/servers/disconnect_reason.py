"""Why a connection ended: the first fault seen by any part of it, as a typed error.

The SDK reports most transport faults as "connection closed"; the part that knows the reason
notes it here, and whoever waits gets that instead.
"""

from collections import deque
from dataclasses import replace

import anyio

from toolweave.access.mask import Masker
from toolweave.errors import Invalid, TimedOut, ToolweaveError, Unavailable

STDERR_LINES = 20
STDERR_LINE_CHARACTERS = 300


class DisconnectReason:
    """The first fault of one connection and the last lines the server wrote to stderr."""

    def __init__(self, server: str) -> None:
        self.server = server
        self.first: ToolweaveError | None = None
        self.ended = anyio.Event()  # set as soon as anybody knows that the connection is gone
        self.messages = 0  # how many came in
        self.stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self.exit_code: int | None = None  # of a process that ended by itself; below 0 a signal

    def note(self, error: ToolweaveError) -> None:
        """Keep `error` unless an earlier one is known."""
        if self.first is None:
            self.first = error
        self.ended.set()

    def protocol(self, what: str) -> None:
        """Note that the server broke the protocol."""
        self.note(broke_protocol(self.server, what))

    def hear(self, line: bytes) -> None:
        """Keep one line of the server's stderr."""
        text = harmless(line.decode(errors="replace").rstrip(), STDERR_LINE_CHARACTERS)
        if text:
            self.stderr.append(text)

    def closed(self) -> ToolweaveError:
        """The reason the connection is gone, as well as it is known."""
        self.ended.set()
        if self.first is not None:
            return self.first
        how = "" if self.exit_code is None else f" ({_ending(self.exit_code)})"
        said = f"; its last words: {' | '.join(list(self.stderr)[-3:])}" if self.stderr else ""
        return Unavailable(
            "MCP_SERVER_DISCONNECTED",
            f"server {self.server!r} closed the connection{how}{said}",
            hint=f"`toolweave servers check {self.server!r}` tries again and shows why",
        )


def _ending(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"ended by signal {-code}"


def broke_protocol(server: str, what: str) -> Unavailable:
    """The server did what no server may."""
    return Unavailable(
        "SERVER_PROTOCOL",
        f"server {server!r} broke the protocol: {what}",
        hint="this is a fault of the server; its own log may say more",
    )


def connect_timeout(server: str, deadline_s: float) -> TimedOut:
    """The server did not say hello, or what it can do, in time."""
    return TimedOut(
        "SERVER_CONNECT_TIMEOUT",
        f"server {server!r} did not answer within {deadline_s:g} s of its start",
        hint="if it only starts slowly, raise TOOLWEAVE_CONNECT_DEADLINE_S and the call's deadline",
    )


def harmless(text: str, limit: int) -> str:
    """`text` cut to `limit` characters, without those that act on a terminal or cannot be kept."""
    cut = text[:limit]
    if cut.isprintable():
        return cut
    return "".join(
        character if character.isprintable() else " " if character.isspace() else "\ufffd"
        for character in cut
    )


def masked(error: ToolweaveError, masker: Masker) -> ToolweaveError:
    """`error` anew, with every secret hidden in it.

    Always another object: one error that is raised for each of many calls would keep them all.
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
