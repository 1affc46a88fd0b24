"""From the porch to the SDK: its server reads on where the porch stopped."""

import logging
import queue
import threading
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
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
from toolweave.app.libraries import shelf_of
from toolweave.app.live_catalog import CountingToolbox, LiveCatalog
from toolweave.app.running_studio import RunningStudio, open_running_studio
from toolweave.catalog.tool_service import ToolService
from toolweave.errors import ToolweaveError, Unavailable
from toolweave.home import Home, open_home
from toolweave.mcp_server.context import McpContext, WaitLimits
from toolweave.mcp_server.list_changes import Changes
from toolweave.mcp_server.server import build_server
from toolweave.mcp_server.short_way import ShortWay
from toolweave.mcp_server.signed_state import seal_key
from toolweave.mcp_server.stdio import Entrance
from toolweave.publishing.service import Published
from toolweave.settings import from_environment
from toolweave.tasks import background

logger = logging.getLogger(__name__)

# How long the last answers may take after the input ended, and how long the client may take them.
SETTLE_S = 5.0

Incoming = SessionMessage | Exception
_ANSWER = types.JSONRPCResponse | types.JSONRPCError


def serve(entrance: Entrance) -> None:
    """Serve what is left of the conversation, until the input ends."""
    anyio.run(_serve, entrance)


async def _serve(entrance: Entrance) -> None:
    async with AsyncExitStack() as stack:
        home = await _home(stack)
        catalog = LiveCatalog(home)
        await catalog.refresh()
        toolbox = CountingToolbox(catalog, home)
        published = Published(home)
        definitions = [one.publication.definition for one in await published.tools()]
        changes = Changes(is_stale=entrance.listed not in (None, definitions))
        # The engine is opened by the first call that needs it.
        studio = Lazy(lambda: _studio(home))
        key = await anyio.to_thread.run_sync(seal_key, home.settings.home) if home else None
        patience = WaitLimits.of(home.settings) if home else WaitLimits()
        shelf = shelf_of(home) if home else None
        desk = McpContext(studio.get, published, key, patience, shelf)
        server = build_server(catalog, toolbox, changes, desk)
        tasks = await stack.enter_async_context(background())
        tasks.start_soon(published.follow, changes.tools_changed)
        tasks.start_soon(catalog.follow, changes.resources_changed)
        tasks.start_soon(toolbox.keep_saving)
        tasks.start_soon(studio.serve)
        await converse(entrance, server, toolbox)


async def converse(entrance: Entrance, server: Server[Any], toolbox: ToolService) -> None:
    """Have `server` go on with the conversation, until the input ends."""
    async with _transport(entrance, toolbox) as (inbox, outbox):
        await server.run(inbox, outbox, server.create_initialization_options())


async def _home(stack: AsyncExitStack) -> Home | None:
    """The home's rooms; without them the built-in nodes are served all the same."""
    try:
        return await stack.enter_async_context(open_home(from_environment()))
    except (ToolweaveError, OSError):
        logger.exception("the home cannot be opened; serving built-in nodes only")
        return None


def _studio(home: Home | None) -> AbstractAsyncContextManager[RunningStudio]:
    if home is None:
        hint = "`toolweave doctor` tells what is wrong with it"
        raise Unavailable("STORAGE_BROKEN", "the home cannot be opened", hint=hint)
    return open_running_studio(home)


@asynccontextmanager
async def _transport(
    entrance: Entrance, toolbox: ToolService
) -> AsyncGenerator[tuple[ObjectReceiveStream[Incoming], ObjectSendStream[SessionMessage]]]:
    """The entrance as the two streams the SDK's server runs on, which it closes.

    Not the SDK's own `stdio_server`: that owns the reading, which began long before.
    """
    told = entrance.close_porch()
    deliver, inbox = anyio.create_memory_object_stream[Incoming](len(told))
    outbox, answers = anyio.create_memory_object_stream[SessionMessage](0)
    conversation = _Conversation(entrance, deliver)
    for line in told:
        deliver.send_nowait(_parsed(line))
    async with deliver, answers, BlockingPortal() as portal, anyio.create_task_group() as tasks:
        tasks.start_soon(conversation.write, answers)
        short_way = ShortWay(toolbox, entrance.era) if entrance.era else None
        entrance.hand_over(conversation.sink(portal, short_way))
        yield inbox, outbox
    await anyio.to_thread.run_sync(conversation.flush)


class _Conversation:
    """Knows which requests are open, so that the last answers go out after the input ended."""

    def __init__(self, entrance: Entrance, deliver: ObjectSendStream[Incoming]) -> None:
        self._silent_id = entrance.silent_id
        self._deliver = deliver
        # How many of an id: a client may use one again before it was answered.
        self._open: Counter[types.RequestId] = Counter()
        self._closing = anyio.Event()
        self._writer = _Writer(entrance)

    def sink(self, portal: BlockingPortal, short_way: ShortWay | None) -> Callable[[bytes], None]:
        """Takes lines from the thread that reads, one after the other."""

        def take(line: bytes) -> None:
            if short_way is not None and (answer := short_way.answer(line)) is not None:
                self._writer.put(answer)
                return
            # After the end nobody is there to hear the rest.
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, RuntimeError):
                portal.call(self._take, _parsed(line) if line else None)

        return take

    async def write(self, answers: ObjectReceiveStream[SessionMessage]) -> None:
        """Send what the server says, but not the second answer to what the porch answered."""
        async for answer in answers:
            message = answer.message
            identity = message.id if isinstance(message, _ANSWER) else None
            if identity != self._silent_id:
                text = message.model_dump_json(by_alias=True, exclude_unset=True)
                self._writer.put(text.encode() + b"\n")
            self._close(identity)

    def flush(self) -> None:
        """Wait until the client has taken everything, but not for ever."""
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
                # Never answered; which id was meant is for the SDK to say.
                self._close((params or {}).get("requestId"))
            case _:
                pass

    def _close(self, identity: object) -> None:
        if isinstance(identity, str | int) and identity in self._open:
            self._open -= Counter({identity: 1})  # drops what reaches zero
            self._closing.set()
            self._closing = anyio.Event()


class _Writer:
    """A thread that writes, so that a client slow to read stops nobody but itself."""

    def __init__(self, entrance: Entrance) -> None:
        self._entrance = entrance
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="toolweave-stdout", daemon=True)
        self._thread.start()

    def put(self, line: bytes) -> None:
        """Have one line written after those before it."""
        self._queue.put(line)

    def finish(self, within_s: float) -> None:
        """Wait for the last line."""
        self._queue.put(None)
        self._thread.join(within_s)

    def _run(self) -> None:
        while (line := self._queue.get()) is not None:
            try:
                self._entrance.write(line)
            except OSError:
                return  # the client is gone; its input will end as well


def _parsed(line: bytes) -> Incoming:
    try:
        # As the SDK reads: what is no UTF-8 is replaced, not refused.
        text = line.decode(errors="replace")
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False))
    except ValidationError as error:
        return error
