"""One open connection to one server: connect, list tools, send a call, ping.

Open and close it in the same task (the SDK's scopes require it); call it from any task.
Raw responses are kept beside the SDK's models, so that one invalid entry does not hide others.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    contextmanager,
    suppress,
)
from dataclasses import replace
from functools import partial
from typing import Any, Literal, cast

import anyio
import mcp_types as types
from mcp.client._probe import negotiate_auto  # the SDK's connect policy has no public name
from mcp.client._transport import TransportStreams
from mcp.client.session import ClientRequestContext, ClientSession, IncomingMessage
from mcp.client.subscriptions import SubscriptionLost, listen
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

import toolweave
from toolweave.errors import ToolweaveError, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.servers.call_turns import CallTurns
from toolweave.servers.content_requests import (
    LISTED,
    LISTS,
    NO_ANSWERS,
    InputAnswers,
    ListMethod,
    listing,
    read_response,
    refused,
    request_of,
)
from toolweave.servers.disconnect_reason import (
    DisconnectReason,
    connect_timeout,
    printable,
    protocol_error,
)
from toolweave.servers.elicitation import elicit
from toolweave.servers.raw_dispatcher import (
    ANYTHING,
    KeepingDispatcher,
    request_error,
    take_raw,
)
from toolweave.servers.task_polling import TaskPolling
from toolweave.servers.task_requests import EXTENSION as TASKS
from toolweave.servers.task_requests import poll_s, task_in, unfinished
from toolweave.servers.task_rule import PLAIN, TaskRule
from toolweave.servers.tool_list import parse_tools
from toolweave.settings import Limits
from toolweave.tools.elicitation import Asker
from toolweave.tools.tool import (
    CallMethod,
    ProgressListener,
    TaskHandle,
    Tool,
    ToolProgress,
    ToolResult,
)

Era = Literal["auto", "legacy"]
# Any: a raw page.
_FetchPage = Callable[[str | None], Awaitable[dict[str, Any]]]

INPUT_ROUNDS = 10
# How long one poll of a known task waits for its end.
HOLD_S = 20.0
DESCRIPTION_CHARACTERS = 500


class Connection:
    """A connected server; methods raise typed errors and never block past their scope."""

    def __init__(
        self,
        session: ClientSession,
        dispatcher: KeepingDispatcher,
        faults: DisconnectReason,
        limits: Limits,
    ) -> None:
        self.faults = faults
        self.is_conforming = True
        self.needs_check = anyio.Event()  # the tools changed, or a call failed in a suspicious way
        self._session = session
        self._dispatcher = dispatcher
        self._limits = limits
        self._calls: dict[object, None] = {}  # oldest first
        self._doubted_at = -1
        self.turns = CallTurns(faults.server)

    @property
    def protocol_version(self) -> str:
        """The negotiated protocol version."""
        return self._session.protocol_version or "unknown"

    @property
    def is_modern(self) -> bool:
        """Whether the server uses the protocol without sessions."""
        return self._session.protocol_version in MODERN_PROTOCOL_VERSIONS

    @property
    def description(self) -> str | None:
        """The server's instructions as one line."""
        info = self._session.server_info
        about, title = (info.description, info.title) if info else (None, None)
        own = (about, self._session.instructions, title)
        said = next((text for text in own if text and text.strip()), None)
        return printable(" ".join(said.split()), DESCRIPTION_CHARACTERS) if said else None

    @property
    def is_busy(self) -> bool:
        """Whether the server may be busy with a call that has not timed out."""
        return bool(self._calls) and self._doubted_at != self.faults.messages

    @property
    def is_announcing(self) -> bool:
        """Whether the server sends a notification when its tools change."""
        capabilities = self._session.server_capabilities
        tools = capabilities.tools if capabilities else None
        return self.is_modern and tools is not None and bool(tools.list_changed)

    async def ping(self) -> None:
        """Ping the server; the newest protocol has no ping, so discovery is used."""
        try:
            if self.is_modern:
                await self._ask(types.DiscoverRequest(params=types.RequestParams()))
            else:
                await self._ask(types.PingRequest())
        except Unavailable as error:
            if error.code != "SERVER_REFUSED":
                raise
            self.is_conforming = False  # an error response also shows that the server is alive

    async def list_tools(self) -> tuple[Tool, ...]:
        """Return the tools of all pages with their problems. Raises `SERVER_PROTOCOL`."""
        entries = await self._pages(self._tools_page, "tools")
        return await parse_tools(self.faults.server, entries, is_modern=self.is_modern)

    async def _pages(self, fetch: "_FetchPage", key: str) -> list[Json]:
        """Return the entries of all pages of a list."""
        entries: list[Json] = []
        cursor: str | None = None
        seen: set[str] = set()
        for _ in range(self._limits.tools_pages):
            page = await fetch(cursor)
            found = page.get(key)
            entries += cast("list[Json]", found) if isinstance(found, list) else []
            cursor = page["nextCursor"] if isinstance(page.get("nextCursor"), str) else None
            is_too_long = len(entries) > self._limits.tools_per_server
            if not cursor and not is_too_long:
                return entries
            if not cursor or is_too_long or cursor in seen:
                break
            seen.add(cursor)
        what = f"its list of {key} never ends; {len(entries)} entries were read"
        raise protocol_error(self.faults.server, what)

    async def call(
        self,
        name: str,
        arguments: JsonObject,
        *,
        method: CallMethod = "tools/call",
        tasks: TaskRule = PLAIN,
        on_progress: ProgressListener | None = None,
        asker: Asker | None = None,
        audience: str | None = None,
    ) -> ToolResult:
        """Send one call and wait; cancelling the wait cancels the call on the server too.

        `arguments` must be valid JSON (see `json_safety.py`), or the connection breaks. Calls of
        one `audience` are asked by the same people.
        """
        call = object()
        self._calls[call] = None
        try:
            alike = None if audience is None else f"{audience} {method} {name}"
            async with self.turns.take(asker, alike):
                return await self._call(name, arguments, method, tasks, on_progress, asker)
        except Unavailable as error:
            if error.code != "SERVER_REFUSED":
                self.needs_check.set()
                raise
            raise (error if method == "tools/call" else refused(method, arguments, error)) from None
        except anyio.get_cancelled_exc_class():
            self.needs_check.set()  # the server may hang
            if next(iter(self._calls)) is call:
                self._doubted_at = self.faults.messages
            raise
        finally:
            del self._calls[call]

    async def _call(
        self,
        name: str,
        arguments: JsonObject,
        method: CallMethod,
        tasks: TaskRule,
        on_progress: ProgressListener | None,
        asker: Asker | None,
    ) -> ToolResult:
        if method in LISTED:
            return await self._list(method)
        if method == "completion/complete" and not self._declares("completions"):
            return listing({"values": []})
        if method in ("tasks/get", "tasks/cancel"):
            return await self._known_task(method, arguments, asker)
        found = await self._rounds(name, arguments, method, on_progress, asker, tasks)
        if found.task is None or tasks.is_returned:
            return found
        return await self._polling(found.task).follow(asker)

    async def watch_tools(self) -> None:
        """Set `needs_check` when the server reports changed tools; return if it never does."""
        try:
            async with listen(self._session, tools_list_changed=True) as events:
                async for _ in events:
                    self.needs_check.set()
        except (MCPError, SubscriptionLost, TimeoutError, ValidationError):
            return

    def _polling(self, task: TaskHandle) -> TaskPolling:
        async def answer_all(raw: Mapping[str, Any], asker: Asker | None) -> types.InputResponses:
            return await self._answer_all(self._read_input_required(raw), asker)

        return TaskPolling(
            self.faults.server,
            task,
            ask=self._ask,
            answer_all=answer_all,
            modern=self.is_modern,
        )

    async def _known_task(
        self, method: CallMethod, arguments: JsonObject, asker: Asker | None
    ) -> ToolResult:
        """Poll a task that an earlier call began, for a while, or cancel it."""
        polling = self._polling(TaskHandle(str(arguments.get("taskId")), poll_s(None)))
        if method == "tasks/get":
            return await polling.follow(asker, HOLD_S)
        await polling.cancel()
        return listing({})

    async def _list(self, method: CallMethod) -> ToolResult:
        """What the server lists; a list that it lacks is empty."""
        found: JsonObject = {}
        for kind in LISTED[method]:
            found[kind] = await self._pages(partial(self._list_page, LISTS[kind]), LISTS[kind].key)
        return listing(found)

    async def _list_page(self, kind: ListMethod, cursor: str | None) -> dict[str, Any]:
        params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
        try:
            return await self._ask(kind.request(params=params))
        except Unavailable as error:
            if error.facts.get("rpc_code") == types.METHOD_NOT_FOUND:
                return {}
            raise

    def _declares(self, capability: str) -> bool:
        return getattr(self._session.server_capabilities, capability, None) is not None

    @property
    def offers(self) -> tuple[str, ...]:
        """What the server declares beside its tools: `resources`, `prompts`."""
        return tuple(kind for kind in ("resources", "prompts") if self._declares(kind))

    async def _rounds(
        self,
        name: str,
        arguments: JsonObject,
        method: CallMethod,
        on_progress: ProgressListener | None,
        asker: Asker | None,
        tasks: TaskRule,
    ) -> ToolResult:
        as_task = tasks.is_required and not self.is_modern
        answers = InputAnswers(as_task=True) if as_task else NO_ANSWERS
        for _ in range(INPUT_ROUNDS):
            try:
                raw = await self._ask(request_of(method, name, arguments, answers), on_progress)
            except Unavailable as error:
                if not await self._has_visited(error, asker):
                    raise
                continue
            if (task := task_in(raw, self.faults.server)) is not None:
                return unfinished(task)
            if raw.get("resultType") != "input_required":
                result = read_response(method, raw, self.faults.server)
                self.is_conforming = self.is_conforming and not result.problems
                return result
            wanted = self._read_input_required(raw)
            given = await self._answer_all(wanted, asker)
            answers = replace(answers, responses=given, state=wanted.request_state)
        what = f"{name!r} requested input more than {INPUT_ROUNDS} times in one call"
        raise protocol_error(self.faults.server, what)

    async def _has_visited(self, error: Unavailable, asker: Asker | None) -> bool:
        """Whether a call failed until a person opens an address, and the person did."""
        wanted = error.facts.get("elicitations")
        if not isinstance(wanted, list) or not wanted:
            return False
        for entry in cast("list[object]", wanted):
            try:
                params = types.ElicitRequestURLParams.model_validate(entry, by_name=False)
            except ValidationError:
                return False
            answer = await elicit(self.faults.server, params, asker, is_repeatable=True)
            if answer.action != "accept":
                return False
        return True

    async def _tools_page(self, cursor: str | None) -> dict[str, Any]:
        params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
        try:
            await self._session.list_tools(params=params)
        except ValidationError:
            self.is_conforming = False
            return self._absorbed(take_raw())
        except MCPError as error:
            # Sent even without the capability: some servers have tools and do not declare it.
            if error.code == types.METHOD_NOT_FOUND and not self._declares("tools"):
                return {}
            raise self._translate(error) from None
        return take_raw()

    def _absorbed(self, page: dict[str, Any]) -> dict[str, Any]:
        """Return `page` after the SDK has learned what it needs to call its valid tools."""
        entries = page.get("tools")
        tools: list[types.Tool] = []
        for entry in cast("list[Any]", entries) if isinstance(entries, list) else []:
            with suppress(ValidationError):
                tools.append(types.Tool.model_validate(entry, by_name=False))
        # Private, but without it one invalid entry removes the `Mcp-Param-…` headers of all others.
        self._session._absorb_tool_listing(types.ListToolsResult(tools=tools), complete=False)  # pyright: ignore[reportPrivateUsage]
        return page

    async def _ask(
        self, request: types.Request[Any, Any], on_progress: ProgressListener | None = None
    ) -> dict[str, Any]:
        async def hear(progress: float, total: float | None, message: str | None) -> None:
            if on_progress is not None:
                await on_progress(ToolProgress(progress, total, message))

        try:
            await self._session.send_request(
                request, ANYTHING, progress_callback=hear if on_progress else None
            )
        except ValidationError:
            # Invalid, but a response: use the parts that can be read.
            self.is_conforming = False
        except MCPError as error:
            raise self._translate(error) from None
        return take_raw()

    def _translate(self, error: MCPError) -> ToolweaveError:
        return request_error(error, self._dispatcher, self.faults, "answered")

    def _read_input_required(self, raw: Mapping[str, Any]) -> types.InputRequiredResult:
        try:
            whole = {"resultType": "input_required", **raw}
            return types.InputRequiredResult.model_validate(whole, by_name=False)
        except ValidationError:
            what = "its request for input cannot be read"
            raise protocol_error(self.faults.server, what) from None

    async def _answer_all(
        self, wanted: types.InputRequiredResult, asker: Asker | None
    ) -> types.InputResponses:
        answers: types.InputResponses = {}
        for key, request in (wanted.input_requests or {}).items():
            if not isinstance(request, types.ElicitRequest):
                what = f"it sent the request {request.method!r}, which this client does not support"
                raise protocol_error(self.faults.server, what)
            answers[key] = await elicit(
                self.faults.server, request.params, asker, is_repeatable=True
            )
        return answers

    async def hear(self, message: IncomingMessage) -> None:
        """Handle a notification of the server."""
        if isinstance(message, types.ToolListChangedNotification):
            self.needs_check.set()


@asynccontextmanager
async def open_connection(
    transport: AbstractAsyncContextManager[TransportStreams],
    faults: DisconnectReason,
    *,
    limits: Limits,
    era: Era = "auto",
) -> AsyncGenerator[Connection]:
    """Connect and complete the handshake within the deadline, in any supported protocol version.

    Raises `Unavailable`: the server could not be started or reached, or broke the protocol;
    `TimedOut`: `SERVER_CONNECT_TIMEOUT`.
    """
    async with transport as (inbox, outbox):
        dispatcher = KeepingDispatcher(inbox, outbox)
        held: list[Connection] = []

        async def hear(message: IncomingMessage) -> None:
            for connection in held:
                await connection.hear(message)

        async def answer(
            context: ClientRequestContext, params: types.ElicitRequestParams
        ) -> types.ElicitResult | types.ErrorData:
            return await held[0].turns.ask(params)

        async with ClientSession(
            dispatcher=dispatcher,
            elicitation_callback=answer,
            message_handler=hear,
            extensions={TASKS: {}},
            client_info=types.Implementation(name="toolweave", version=toolweave.__version__),
        ) as session:
            held.append(Connection(session, dispatcher, faults, limits))
            with _connecting(faults, limits.connect_deadline_s, dispatcher):
                await (session.initialize() if era == "legacy" else negotiate_auto(session))
            yield held[0]


@contextmanager
def _connecting(
    faults: DisconnectReason, deadline_s: float, dispatcher: KeepingDispatcher
) -> Generator[None]:
    """Raise handshake failures as typed errors."""
    try:
        with anyio.fail_after(deadline_s):
            yield
    except TimeoutError:
        raise faults.first or connect_timeout(faults.server, deadline_s) from None
    except MCPError as error:
        raise request_error(error, dispatcher, faults, "refused the handshake with") from None
    except (ValidationError, RuntimeError):
        what = "its handshake response is invalid"
        raise faults.first or protocol_error(faults.server, what) from None
