"""Finds the running studio of this home and gives it a command.

Imports next to nothing: with a studio, a command costs little more than the interpreter. Whatever
is unexpected means that there is no studio, and the command works alone.
"""

import os
import socket
import stat
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

import toolweave
from toolweave.cli.studio_protocol import (
    KEY_FILE,
    LENGTH,
    LOCK,
    Message,
    decode,
    encode,
    environment_digest,
    length_of,
    peer_of,
)
from toolweave.errors import Invalid, ToolweaveError, Unavailable
from toolweave.problems import Problem
from toolweave.settings import Settings, from_environment, lockfile_path
from toolweave.storage.lock import LockOwner, owner_of

# How long a studio that runs may take to answer `hello`.
HELLO_S = 1.0
# How long it may be silent afterwards until the person is told.
SILENT_S = 10.0
# States of a process that answers nothing: stopped, traced, dead.
_UNABLE = frozenset("TtZX")


class StudioGone(Exception):
    """The studio ended, or closed the connection."""


class StudioConnection:
    """An open connection; both sides agree that the studio does the work."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._buffer = bytearray()
        self._is_silent = False

    def send(self, name: str, *values: object) -> None:
        """Send a message. Raises `StudioGone`."""
        try:
            self._socket.sendall(encode(name, *values))
        except OSError:
            raise StudioGone from None

    def receive(self, at_most_s: float | None = None) -> Message:
        """Wait for the next message, or at most so long. Raises `StudioGone`, or its error."""
        self._socket.settimeout(at_most_s or SILENT_S)
        while True:
            head = self._take(LENGTH.size, is_limited=at_most_s is not None)
            message = decode(self._take(length_of(head), is_limited=at_most_s is not None))
            if message[0] == "error":
                raise _error(message[1])
            if message[0] != "alive":
                return message

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _take(self, length: int, *, is_limited: bool) -> bytes:
        while len(self._buffer) < length:
            try:
                received = self._socket.recv(1 << 16)
            except TimeoutError:
                if is_limited:
                    raise StudioGone from None
                self._tell_silence()
                continue
            except OSError:
                raise StudioGone from None
            if not received:
                raise StudioGone
            self._buffer += received
        taken = bytes(self._buffer[:length])
        del self._buffer[:length]
        return taken

    def _tell_silence(self) -> None:
        if not self._is_silent:
            self._is_silent = True
            click.echo("The studio does not respond; waiting for it.", err=True)


@contextmanager
def connected_studio() -> Generator[StudioConnection | None]:
    """A connection to the running studio of this home, if there is one to be used."""
    connection = _connect(from_environment())
    if connection is None:
        yield None
        return
    try:
        yield connection
    finally:
        connection.close()


def stopped(what: str, hint: str) -> Unavailable:
    """The error for a studio that ended while it worked for this command."""
    return Unavailable("STUDIO_STOPPED", f"the studio stopped: {what}", hint=hint)


def _connect(settings: Settings) -> StudioConnection | None:
    owner = _owner(settings.home / LOCK)
    if owner is None or owner.address is None or not hasattr(socket, "AF_UNIX"):
        return None
    if owner.version != toolweave.__version__:
        click.echo(
            f"The running studio has version {owner.version}, this command {toolweave.__version__};"
            " it works without the studio.",
            err=True,
        )
        return None
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        key = _private_text(settings.home / KEY_FILE)
        link.settimeout(HELLO_S)
        link.connect(owner.address)
        peer = peer_of(link)
        if peer is not None and peer != (owner.pid, os.geteuid()):
            raise OSError("another process")
        connection = StudioConnection(link)
        connection.send("hello", key)
        _, facts = connection.receive(HELLO_S)
        if not _is_same(facts, settings):
            raise OSError("another environment")
    except (OSError, ValueError, StudioGone, ToolweaveError):
        link.close()
        return None
    return connection


def _owner(path: Path) -> LockOwner | None:
    """The owner of the lock, if it is this user's and may answer."""
    try:
        if not _is_own(path, stat.S_ISREG):
            return None
        owner = owner_of(path)
        if owner is None or owner.address is None or not owner.runs or _is_unable(owner.pid):
            return None
        return owner if _is_own(Path(owner.address), stat.S_ISSOCK) else None
    except OSError:
        return None


def _is_own(path: Path, is_kind: Callable[[int], bool]) -> bool:
    found = path.lstat()
    return is_kind(found.st_mode) and found.st_uid == os.geteuid()


def _is_unable(pid: int) -> bool:
    """Whether the process is stopped or dead; unknown counts as able."""
    if sys.platform != "linux":
        return False
    text = Path(f"/proc/{pid}/stat").read_bytes().decode("ascii", "replace")
    return text.rpartition(")")[2].split()[0] in _UNABLE


def _private_text(path: Path) -> str:
    with path.open("rb") as file:
        found = os.fstat(file.fileno())
        if found.st_uid != os.geteuid() or found.st_mode & 0o077:
            raise OSError("not private")
        return file.read().decode("ascii").strip()


def _is_same(facts: dict[str, Any], settings: Settings) -> bool:
    """Whether the studio would do the work as this process would."""
    digest = environment_digest(facts["variables"], os.environ, facts["salt"])
    lockfile = str(lockfile_path(settings, Path.cwd()))
    return facts["digest"] == digest and facts["lockfile"] == lockfile


def _error(body: dict[str, Any]) -> ToolweaveError:
    """The studio's error as one of this process."""
    problems = body.pop("problems", None)
    if problems is None:
        return ToolweaveError(**body)
    return Invalid(**body, problems=[Problem(**one) for one in problems])
