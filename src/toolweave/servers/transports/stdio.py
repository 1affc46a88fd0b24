"""Messages over a process's stdin and stdout, robust against a misbehaving server.

Replaces the SDK's, which has no line limit, hangs on invalid UTF-8, and accepts
any number of notifications. A line that looks like JSON but is not ends the connection,
so that waiting calls fail at once; other text on stdout is skipped.
"""

import asyncio
import os
import signal
import sys
import time
from asyncio import StreamReader
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Self

import anyio
import anyio.lowlevel
from mcp.shared.message import SessionMessage

from toolweave.errors import Unavailable
from toolweave.servers.disconnect_reason import DisconnectReason
from toolweave.servers.guardian import Guardian
from toolweave.servers.runners.runner import Launch
from toolweave.servers.transports.incoming import accepts_message, read_message
from toolweave.servers.transports.message_size import check_value_count
from toolweave.servers.transports.notification_limit import NotificationLimit
from toolweave.servers.transports.unread import UnreadInput

Incoming = SessionMessage | Exception
Streams = tuple["StdioReader", "StdioWriter"]

CHUNK_BYTES = 64 * 1024
ENVELOPE_BYTES = 64 * 1024
STOP_GRACE_S = 1.0
LAST_WORDS_S = 0.1
UNREAD_BYTES = 32 * 1024 * 1024
NOISE_LINES = 10_000
BUSY_S = 0.005
MAX_WAIT_S = 0.25


@asynccontextmanager
async def open_stdio(
    launch: Launch, faults: DisconnectReason, *, guardian: Guardian, max_bytes: int
) -> AsyncGenerator[Streams]:
    """Start the process and open its message streams; on exit, stop it and all its children."""
    process = await _start(launch, faults)
    heard, unread = anyio.Event(), UnreadInput(process)
    max_line = max_bytes + ENVELOPE_BYTES
    inbox = StdioReader(process, faults, max_line=max_line, heard=heard, unread=unread)
    outbox = StdioWriter(process, faults, unread)
    try:
        await _watch(guardian, launch, process)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_hear, process, faults, heard)
            try:
                yield inbox, outbox
            finally:
                unread.close()
                with anyio.CancelScope(shield=True):
                    await _stop(process)
                tasks.cancel_scope.cancel()
    finally:
        faults.ended.set()
        unread.close()
        with anyio.CancelScope(shield=True):
            _close_pipes(process)
            await guardian.forget_group(process.pid)
            if launch.container:
                await guardian.remove_container(launch.container)


async def _start(launch: Launch, faults: DisconnectReason) -> Process:
    try:
        return await asyncio.create_subprocess_exec(
            *launch.argv,
            env=launch.env,
            cwd=launch.cwd,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Unavailable(
            "SERVER_START_FAILED",
            f"server {faults.server!r} could not be started: {launch.argv[0]!r}: {reason}",
            hint="check the command and the directory in its definition",
        ) from None


async def _watch(guardian: Guardian, launch: Launch, process: Process) -> None:
    try:
        if launch.container:
            await guardian.watch_container(launch.container)
        await guardian.watch_group(process.pid)
    except BaseException:
        # Not watched by anything else yet.
        _signal_group(process, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
        raise


class StdioReader:
    """The messages of a process, read on demand without a task in between."""

    def __init__(
        self,
        process: Process,
        faults: DisconnectReason,
        *,
        max_line: int,
        heard: anyio.Event,
        unread: UnreadInput,
    ) -> None:
        assert process.stdout is not None
        self._process = process
        self._lines = _lines(process.stdout, faults, max_line)
        self._faults = faults
        self._heard = heard
        self._unread = unread
        self._flood = NotificationLimit()
        self._busy_s = 0.0

    async def receive(self) -> Incoming:
        """Return the next message. Raises `EndOfStream`; `faults` may have the reason."""
        if self._busy_s > BUSY_S:
            # Let other servers use the event loop.
            await anyio.sleep(min(4 * self._busy_s, MAX_WAIT_S))
        async for line in self._lines:
            began = time.perf_counter()
            message = await _message(line, self._faults, self._flood)
            self._busy_s = time.perf_counter() - began
            if self._faults.first is not None:
                break
            if message is not None:
                self._unread.close()
                return message
        else:
            # Its stderr contains the reason; a child process may hold it open longer.
            with anyio.move_on_after(LAST_WORDS_S):
                await self._heard.wait()
            if await _exits(self._process, LAST_WORDS_S):
                self._faults.exit_code = self._process.returncode
                self._faults.is_unread = self._unread.remains()
        self._faults.ended.set()
        raise anyio.EndOfStream

    async def aclose(self) -> None:
        """Stop reading."""
        await self._lines.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Incoming:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, exc_type: object, exc_val: object, exc_tb: object) -> None:
        await self.aclose()


class StdioWriter:
    """Messages to a process. Sending never waits; a process that does not read is disconnected."""

    def __init__(self, process: Process, faults: DisconnectReason, unread: UnreadInput) -> None:
        assert process.stdin is not None
        self._pipe = process.stdin
        self._faults = faults
        self._unread = unread

    async def send(self, item: SessionMessage) -> None:
        """Write one message; nothing if the process has exited, which the reader reports."""
        self._unread.sending()
        if self._pipe.transport.get_write_buffer_size() > UNREAD_BYTES:
            self._faults.protocol(f"it did not read more than {UNREAD_BYTES} bytes of messages")
        elif not self._pipe.is_closing():
            text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
            self._pipe.write(text.encode() + b"\n")

    async def aclose(self) -> None:
        """Stop sending."""
        self._pipe.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, exc_type: object, exc_val: object, exc_tb: object) -> None:
        await self.aclose()


async def _lines(
    stream: StreamReader, faults: DisconnectReason, max_line: int
) -> AsyncGenerator[bytes]:
    held = bytearray()
    while chunk := await _read(stream):
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            held += chunk[start:end]
            start = end + 1
            yield _taken(held)
            if start < len(chunk):
                # More data is buffered, so nothing else yields to other tasks.
                await anyio.lowlevel.checkpoint()
        held += chunk[start:]
        if len(held) > max_line:
            faults.note(
                Unavailable(
                    "SERVER_RESPONSE_TOO_LARGE",
                    f"server {faults.server!r} sent a line of more than {max_line} bytes",
                    hint="request less data, or increase TOOLWEAVE_OUTPUT_BYTES",
                )
            )
            return


async def _read(stream: StreamReader) -> bytes:
    try:
        return await stream.read(CHUNK_BYTES)
    except OSError:
        return b""


def _taken(held: bytearray) -> bytes:
    taken = bytes(held)
    held.clear()
    return taken


async def _message(
    line: bytes, faults: DisconnectReason, flood: NotificationLimit
) -> SessionMessage | None:
    try:
        await check_value_count(line, f"server {faults.server!r}")
    except Unavailable as error:
        faults.note(error)
        return None
    return _parse(line, faults, flood)


def _parse(
    line: bytes, faults: DisconnectReason, flood: NotificationLimit
) -> SessionMessage | None:
    stripped = line.strip()
    if not stripped.startswith((b"{", b"[")):
        return _noise(faults, flood)
    if flood.drops_unread(stripped):
        return None
    try:
        item = read_message(stripped)
    except ValueError:
        if stripped.startswith(b"["):
            return _noise(faults, flood)  # a log line such as `[info] ready`
        faults.protocol("a line on stdout looks like a message but is not valid JSON-RPC")
        return None
    flood.noise = 0
    return item if accepts_message(item, flood, faults) else None


def _noise(faults: DisconnectReason, flood: NotificationLimit) -> SessionMessage | None:
    flood.noise += 1
    if flood.noise > NOISE_LINES:
        faults.protocol(
            f"more than {NOISE_LINES} consecutive lines on stdout that are not messages"
        )
    return None


async def _hear(process: Process, faults: DisconnectReason, heard: anyio.Event) -> None:
    assert process.stderr is not None
    while chunk := await _read(process.stderr):
        # Only the chunk's lines are kept, so that memory stays bounded.
        for line in chunk.splitlines()[-20:]:
            faults.hear(line)
    heard.set()


async def _stop(process: Process) -> None:
    assert process.stdin is not None
    process.stdin.close()
    if await _exits(process, STOP_GRACE_S):
        _signal_group(process, signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
        return
    _signal_group(process, signal.SIGTERM)
    if not await _exits(process, STOP_GRACE_S) and sys.platform != "win32":
        _signal_group(process, signal.SIGKILL)
        await _exits(process, STOP_GRACE_S)


async def _exits(process: Process, seconds: float) -> bool:
    # Not process.wait(): it also waits for the pipes, which a child may hold open.
    with anyio.move_on_after(seconds):
        # There is no event for the exit of the process.
        while process.returncode is None:  # noqa: ASYNC110
            await anyio.sleep(0.005)
    return process.returncode is not None


def _signal_group(process: Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.terminate()
        else:
            os.killpg(process.pid, number)


def _close_pipes(process: Process) -> None:
    # asyncio keeps a transport per process that warns when a child of it still holds a pipe.
    close = getattr(getattr(process, "_transport", None), "close", None)
    if callable(close):
        with suppress(PermissionError, ProcessLookupError):
            close()
