"""Connects stdio to the SDK's server once it is loaded, after the early answers."""

import logging
import queue
import threading
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from anyio.from_thread import BlockingPortal
from mcp.server import Server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from toolweave.app.lazy import Lazy
from toolweave.app.running_studio import RunningStudio, open_running_studio
from toolweave.authoring.live_catalog import CountingToolService, LiveCatalog
from toolweave.errors import ToolweaveError, Unavailable
from toolweave.home import Home, open_home
from toolweave.library.home_libraries import library_store
from toolweave.mcp_server.context import McpContext, WaitLimits
from toolweave.mcp_server.list_changes import Changes
from toolweave.mcp_server.server import build_server
from toolweave.mcp_server.signed_state import seal_key
from toolweave.mcp_server.stdio import StdinReader
from toolweave.publishing.service import Published
from toolweave.settings import from_environment
from toolweave.tasks import background, keep_going

logger = logging.getLogger(__name__)

# How long to wait for the last answers after the input ended, and for the client to read them.
SETTLE_S = 5.0

Incoming = SessionMessage | Exception
_ANSWER = types.JSONRPCResponse | types.JSONRPCError


def serve(reader: StdinReader, home: Path | None = None) -> None:
    """Serve the rest of the conversation until the input ends."""
    anyio.run(_serve, reader, home)


async def _serve(reader: StdinReader, directory: Path | None) -> None:
    async with AsyncExitStack() as stack:
        home = await _home(stack, directory)
        catalog = LiveCatalog(home)
        await catalog.refresh()
        tool_service = CountingToolService(catalog, home)
        published = Published(home)
        known = await published.tools()
        definitions = [one.publication.definition for one in known]
        is_stale = reader.listed not in (None, definitions)
        changes = Changes(is_stale=is_stale, has_one_client=True)
        # The engine is opened by the first call that needs it.
        studio = Lazy(lambda: _studio(home))
        key = await anyio.to_thread.run_sync(seal_key, home.settings.home) if home else None
        wait_limits = WaitLimits.of(home.settings) if home else WaitLimits()
        libraries = library_store(home) if home else None
        context = McpContext(studio.get, published, key, wait_limits, libraries)
        server = build_server(catalog, tool_service, changes, context)
        tasks = await stack.enter_async_context(background())
        tasks.start_soon(keep_going, published.follow, changes.tools_changed, known)
        tasks.start_soon(keep_going, catalog.follow, changes.resources_changed)
        tasks.start_soon(keep_going, changes.subscriptions.run)
        tasks.start_soon(keep_going, tool_service.keep_saving)
        tasks.start_soon(studio.serve)
        await converse(reader, server)


async def converse(reader: StdinReader, server: Server[Any]) -> None:
    """Continue the conversation with `server` until the input ends."""
    async with _transport(reader) as (inbox, outbox):
        await server.run(inbox, outbox, server.create_initialization_options())


async def _home(stack: AsyncExitStack, directory: Path | None) -> Home | None:
    """Open the home; without it the built-in nodes are still served."""
    try:
        settings = from_environment()
        if directory is not None:
            settings = replace(settings, home=directory)
        return await stack.enter_async_context(open_home(settings))
    except (ToolweaveError, OSError):
        logger.exception("the home cannot be opened; serving built-in nodes only")
        return None


def _studio(home: Home | None) -> AbstractAsyncContextManager[RunningStudio]:
    if home is None:
        hint = "`toolweave doctor` shows what is wrong"
        raise Unavailable("STORAGE_BROKEN", "the home cannot be opened", hint=hint)
    return open_running_studio(home)


@asynccontextmanager
async def _transport(
    reader: StdinReader,
) -> AsyncGenerator[tuple[ObjectReceiveStream[Incoming], ObjectSendStream[SessionMessage]]]:
    """The two streams that the SDK's server runs on, which it closes.

    The SDK's own `stdio_server` cannot be used: it starts reading itself, and reading has begun.
    """
    replayed = reader.stop_early_responses()
    deliver, inbox = anyio.create_memory_object_stream[Incoming](len(replayed))
    outbox, answers = anyio.create_memory_object_stream[SessionMessage](0)
    conversation = _Conversation(reader, deliver)
    for line in replayed:
        deliver.send_nowait(_parsed(line))
    async with deliver, answers, BlockingPortal() as portal, anyio.create_task_group() as tasks:
        tasks.start_soon(conversation.write, answers)
        reader.hand_over(conversation.sink(portal))
        yield inbox, outbox
    await anyio.to_thread.run_sync(conversation.flush)


class _Conversation:
    """Tracks open requests, so that the last answers are sent after the input ended."""

    def __init__(self, reader: StdinReader, deliver: ObjectSendStream[Incoming]) -> None:
        self._silent_id = reader.silent_id
        self._deliver = deliver
        # A count per id: a client may reuse an id before it was answered.
        self._open: Counter[types.RequestId] = Counter()
        self._closing = anyio.Event()
        self._writer = _Writer(reader)

    def sink(self, portal: BlockingPortal) -> Callable[[bytes], None]:
        """Return the function that receives lines from the reading thread."""

        def take(line: bytes) -> None:
            # The server may have ended already.
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, RuntimeError):
                portal.call(self._take, _parsed(line) if line else None)

        return take

    async def write(self, answers: ObjectReceiveStream[SessionMessage]) -> None:
        """Send the server's messages, except the answer to the replayed request."""
        async for answer in answers:
            message = answer.message
            identity = message.id if isinstance(message, _ANSWER) else None
            if identity != self._silent_id:
                text = message.model_dump_json(by_alias=True, exclude_unset=True)
                self._writer.put(text.encode() + b"\n")
            self._close(identity)

    def flush(self) -> None:
        """Wait until the client has read everything, within a limit."""
        self._writer.finish(SETTLE_S)

    async def _take(self, item: Incoming | None) -> None:
        if item is not None:
            if isinstance(item, SessionMessage):
                self._note(item.message)
            await self._deliver.send(item)
            return
        with anyio.move_on_after(SETTLE_S):
            while self._open:
                await self._closing.wait()
        await self._deliver.aclose()

    def _note(self, message: types.JSONRPCMessage) -> None:
        match message:
            case types.JSONRPCRequest(method="subscriptions/listen"):
                pass  # it ends with the input
            case types.JSONRPCRequest(id=identity):
                self._open[identity] += 1
            case types.JSONRPCNotification(method="notifications/cancelled", params=params):
                # A cancelled request is not answered.
                self._close((params or {}).get("requestId"))
            case _:
                pass

    def _close(self, identity: object) -> None:
        if isinstance(identity, str | int) and identity in self._open:
            self._open -= Counter({identity: 1})  # drops what reaches zero
            self._closing.set()
            self._closing = anyio.Event()


class _Writer:
    """Writes in a thread of its own, so that a slow client blocks nothing else."""

    def __init__(self, reader: StdinReader) -> None:
        self._reader = reader
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="toolweave-stdout", daemon=True)
        self._thread.start()

    def put(self, line: bytes) -> None:
        """Queue one line."""
        self._queue.put(line)

    def finish(self, within_s: float) -> None:
        """Wait until the last line is written."""
        self._queue.put(None)
        self._thread.join(within_s)

    def _run(self) -> None:
        while (line := self._queue.get()) is not None:
            try:
                self._reader.write(line)
            except OSError:
                return  # the client is gone; its input will end as well


def _parsed(line: bytes) -> Incoming:
    try:
        # Like the SDK: invalid UTF-8 is replaced, not rejected.
        text = line.decode(errors="replace")
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False))
    except ValidationError as error:
        return error
