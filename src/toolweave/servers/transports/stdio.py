"""Messages over a process's standard streams, safe against a server that misbehaves.

Ours rather than the SDK's because that one has no cap on a line, hangs on bad UTF-8, and lets
a flood of notifications through. A line that looks like JSON and is not ends the connection,
so that waiting calls fail at once; other text on stdout is noise and is skipped.
"""

import os
import signal
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress

import anyio
import anyio.lowlevel
from anyio.abc import ByteReceiveStream, Process
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from toolweave.errors import Unavailable
from toolweave.servers.faults import Faults
from toolweave.servers.guardian import Guardian
from toolweave.servers.runners.runner import Launch
from toolweave.servers.transports.density import refuse_dense
from toolweave.servers.transports.flood import Flood
from toolweave.servers.transports.inbox import admits

Incoming = SessionMessage | Exception
Streams = tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]

CHUNK_BYTES = 64 * 1024
ENVELOPE_BYTES = 64 * 1024
STOP_GRACE_S = 1.0
LAST_WORDS_S = 0.1
OUTBOX_MESSAGES = 256
NOISE_LINES = 10_000
BUSY_S = 0.005
MAX_WAIT_S = 0.25


@asynccontextmanager
async def open_stdio(
    launch: Launch, faults: Faults, *, guardian: Guardian, max_bytes: int
) -> AsyncGenerator[Streams]:
    """Start the process and speak to it; on leaving, it and all its children are gone.

    Raises:
        Unavailable: `SERVER_START_FAILED` when the process cannot be started.
    """
    process = await _start(launch, faults)
    inbox_in, inbox = anyio.create_memory_object_stream[Incoming](0)
    outbox, outbox_out = anyio.create_memory_object_stream[SessionMessage](OUTBOX_MESSAGES)
    try:
        await _watch(guardian, launch, process)
        async with anyio.create_task_group() as tasks:
            heard = anyio.Event()
            tasks.start_soon(_read, process, inbox_in, faults, max_bytes + ENVELOPE_BYTES, heard)
            tasks.start_soon(_write, process, outbox_out)
            tasks.start_soon(_hear, process, faults, heard)
            try:
                yield inbox, outbox
            finally:
                with anyio.CancelScope(shield=True):
                    inbox.close()
                    outbox.close()
                    await _stop(process)
                tasks.cancel_scope.cancel()
    finally:
        for stream in (inbox_in, inbox, outbox, outbox_out):
            stream.close()
        with anyio.CancelScope(shield=True):
            _close_pipes(process)
            await guardian.forget_group(process.pid)
            if launch.container:
                await guardian.remove_container(launch.container)


async def _start(launch: Launch, faults: Faults) -> Process:
    try:
        return await anyio.open_process(
            list(launch.argv), env=launch.env, cwd=launch.cwd, start_new_session=True
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Unavailable(
            "SERVER_START_FAILED",
            f"server {faults.server!r} could not be started: {launch.argv[0]!r}: {reason}",
            hint="check the command and the directory of its definition",
        ) from None


async def _watch(guardian: Guardian, launch: Launch, process: Process) -> None:
    try:
        if launch.container:
            await guardian.watch_container(launch.container)
        await guardian.watch_group(process.pid)
    except BaseException:
        # Nobody else knows of it yet.
        _signal_group(process, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
        raise


async def _read(
    process: Process,
    inbox: MemoryObjectSendStream[Incoming],
    faults: Faults,
    max_line: int,
    heard: anyio.Event,
) -> None:
    flood = Flood()
    assert process.stdout is not None
    try:
        async with inbox:
            async for line in _lines(process.stdout, faults, max_line):
                await _pass_on(line, inbox, faults, flood)
                del line  # it may be large, and the next may be long in coming
                if faults.first is not None:
                    return
            # What it wrote to stderr says why; a child of it may hold that open for longer.
            with anyio.move_on_after(LAST_WORDS_S):
                await heard.wait()
    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
        return
    finally:
        faults.ended.set()


async def _lines(stream: ByteReceiveStream, faults: Faults, max_line: int) -> AsyncIterator[bytes]:
    held = bytearray()
    while True:
        try:
            chunk = await stream.receive(CHUNK_BYTES)
        except (anyio.EndOfStream, ConnectionError):
            return
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            held += chunk[start:end]
            start = end + 1
            yield _taken(held)
        held += chunk[start:]
        if len(held) > max_line:
            faults.note(
                Unavailable(
                    "SERVER_RESPONSE_TOO_LARGE",
                    f"server {faults.server!r} sent a line of over {max_line} bytes",
                    hint="ask for less, or raise TOOLWEAVE_OUTPUT_BYTES",
                )
            )
            return


def _taken(held: bytearray) -> bytes:
    taken = bytes(held)
    held.clear()
    return taken


async def _pass_on(
    line: bytes, inbox: MemoryObjectSendStream[Incoming], faults: Faults, flood: Flood
) -> None:
    began = time.perf_counter()
    messages = await _messages(line, faults, flood)
    busy_s = time.perf_counter() - began
    for message in messages:
        await inbox.send(message)
    if not messages:
        # Nothing was sent, so nothing above gave way to other tasks.
        await anyio.lowlevel.checkpoint()
    if busy_s > BUSY_S:
        # Whoever keeps us busy waits: the loop belongs to the other servers too.
        await anyio.sleep(min(4 * busy_s, MAX_WAIT_S))


async def _messages(line: bytes, faults: Faults, flood: Flood) -> list[SessionMessage]:
    try:
        await refuse_dense(line, f"server {faults.server!r}")
    except Unavailable as error:
        faults.note(error)
        return []
    return _parse(line, faults, flood)


def _parse(line: bytes, faults: Faults, flood: Flood) -> list[SessionMessage]:
    stripped = line.strip()
    if not stripped.startswith((b"{", b"[")):
        return _noise(faults, flood)
    if flood.drops_unread(stripped):
        return []
    try:
        message = jsonrpc_message_adapter.validate_json(stripped, by_name=False)
    except ValueError:
        if stripped.startswith(b"["):
            return _noise(faults, flood)  # a log line such as `[info] ready`
        faults.protocol("a line on stdout starts like a message and is not valid JSON-RPC")
        return []
    flood.noise = 0
    item = SessionMessage(message)
    return [item] if admits(item, flood, faults) else []


def _noise(faults: Faults, flood: Flood) -> list[SessionMessage]:
    flood.noise += 1
    if flood.noise > NOISE_LINES:
        faults.protocol(f"over {NOISE_LINES} lines on stdout in a row that are no messages")
    return []


async def _write(process: Process, outbox: MemoryObjectReceiveStream[SessionMessage]) -> None:
    assert process.stdin is not None
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        async with outbox:
            async for message in outbox:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await process.stdin.send(text.encode() + b"\n")


async def _hear(process: Process, faults: Faults, heard: anyio.Event) -> None:
    assert process.stderr is not None
    with suppress(anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        while True:
            # Kept whole lines would let a flood grow without bound; a chunk's lines are enough.
            for line in (await process.stderr.receive(CHUNK_BYTES)).splitlines()[-20:]:
                faults.hear(line)
    heard.set()


async def _stop(process: Process) -> None:
    assert process.stdin is not None
    with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        await process.stdin.aclose()
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
        # The process tells nobody when it ends.
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
    transport = getattr(getattr(process, "_process", None), "_transport", None)
    close = getattr(transport, "close", None)
    if callable(close):
        with suppress(PermissionError, ProcessLookupError):
            close()
