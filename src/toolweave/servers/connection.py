"""One live conversation with one server: connect, list its tools, call one, ask how it is.

Opened and left in the same task (the SDK's scopes demand it); calls may come from any task.
Raw answers are kept beside the SDK's models, so that one entry it cannot read hides no other.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from typing import Any, Literal, cast

import anyio
import mcp_types as types
from mcp.client._probe import negotiate_auto  # the SDK's own connect policy; it has no public name
from mcp.client._transport import TransportStreams
from mcp.client.session import ClientRequestContext, ClientSession, IncomingMessage
from mcp.client.subscriptions import SubscriptionLost, listen
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter, ValidationError

import toolweave
from toolweave.errors import Denied, TimedOut, ToolweaveError, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.servers.content import read_result
from toolweave.servers.faults import Faults
from toolweave.servers.questions import Answer, Asker, Question
from toolweave.servers.transports.failures import failure_in
from toolweave.settings import Limits
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Progress, ProgressListener, Tool, ToolResult

Era = Literal["auto", "legacy"]

INPUT_ROUNDS = 10


class _Anything(types.Result):
    """A result nobody looks at: the raw answer is what counts."""


ANYTHING: TypeAdapter[_Anything] = TypeAdapter(_Anything)

_last_raw: ContextVar[dict[str, Any] | None] = ContextVar("last_raw", default=None)


class KeepingDispatcher(JSONRPCDispatcher):
    """Leaves the raw answer of a request where the asking task finds it."""

    async def send_raw_request(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        opts: CallOptions | None = None,
        **related: Any,  # the SDK's own routing argument, passed through untouched
    ) -> dict[str, Any]:
        """Send as the SDK does, and keep what came back."""
        _last_raw.set(None)
        raw = await super().send_raw_request(method, params, opts, **related)
        _last_raw.set(raw)
        return raw


class Connection:
    """A server that answered; methods raise typed errors and never block past their scope."""

    def __init__(self, session: ClientSession, faults: Faults, limits: Limits) -> None:
        self.faults = faults
        self.is_conforming = True
        self.tools_changed = anyio.Event()
        self._session = session
        self._limits = limits
        self._askers: list[Asker] = []

    @property
    def protocol_version(self) -> str:
        """The version both sides agreed on."""
        return self._session.protocol_version or "unknown"

    @property
    def is_modern(self) -> bool:
        """Whether it speaks the era without sessions."""
        return self._session.protocol_version in MODERN_PROTOCOL_VERSIONS

    async def ping(self) -> None:
        """Ask for a sign of life; the modern era has no ping, so discovery serves as one."""
        if self.is_modern:
            await self._ask(types.DiscoverRequest(params=types.RequestParams()))
        else:
            await self._ask(types.PingRequest())

    async def list_tools(self) -> tuple[Tool, ...]:
        """Every tool of every page, the unreadable ones with their problems."""
        capabilities = self._session.server_capabilities
        if capabilities is not None and capabilities.tools is None:
            return ()
        entries: list[Json] = []
        cursor: str | None = None
        seen: set[str] = set()
        for _ in range(self._limits.tools_pages):
            page = await self._tools_page(cursor)
            tools = page.get("tools")
            entries += cast("list[Json]", tools) if isinstance(tools, list) else []
            cursor = page["nextCursor"] if isinstance(page.get("nextCursor"), str) else None
            if not cursor or cursor in seen or len(entries) > self._limits.tools_per_server:
                break
            seen.add(cursor)
        if cursor:
            self.is_conforming = False
        server = self.faults.server
        kept = entries[: self._limits.tools_per_server]
        return tuple(read_tool(server, entry) for entry in kept)

    async def call(
        self,
        name: str,
        arguments: JsonObject,
        *,
        on_progress: ProgressListener | None = None,
        asker: Asker | None = None,
    ) -> ToolResult:
        """Call one tool and wait; cancelling the wait cancels the call on the server too."""
        responses: types.InputResponses | None = None
        state: str | None = None
        if asker is not None:
            self._askers.append(asker)
        try:
            for _ in range(INPUT_ROUNDS):
                params = types.CallToolRequestParams(
                    name=name, arguments=arguments, input_responses=responses, request_state=state
                )
                raw = await self._ask(types.CallToolRequest(params=params), on_progress)
                if raw.get("resultType") != "input_required":
                    return read_result(raw, self.faults.server)
                wanted = self._read_input_required(raw)
                state = wanted.request_state
                responses = await self._answer_all(wanted, asker)
        finally:
            if asker is not None:
                self._askers.remove(asker)
        raise Unavailable(
            "SERVER_PROTOCOL",
            f"tool {name!r} of server {self.faults.server!r} asked more than {INPUT_ROUNDS} times",
        )

    async def watch_tools(self) -> None:
        """Set `tools_changed` whenever a modern server says so; returns when it cannot."""
        try:
            async with listen(self._session, tools_list_changed=True) as events:
                async for _ in events:
                    self.tools_changed.set()
        except (MCPError, SubscriptionLost, TimeoutError, ValidationError):
            return

    async def _tools_page(self, cursor: str | None) -> dict[str, Any]:
        params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
        try:
            await self._session.list_tools(params=params)
        except ValidationError:
            self.is_conforming = False
        except MCPError as error:
            raise self._translate(error) from None
        return _last_raw.get() or {}

    async def _ask(
        self, request: types.ClientRequest, on_progress: ProgressListener | None = None
    ) -> dict[str, Any]:
        async def hear(progress: float, total: float | None, message: str | None) -> None:
            if on_progress is not None:
                await on_progress(Progress(progress, total, message))

        try:
            await self._session.send_request(
                request, ANYTHING, progress_callback=hear if on_progress else None
            )
        except ValidationError:
            # Nonconforming, but it did answer: what can be read of it is still of use.
            self.is_conforming = False
        except MCPError as error:
            raise self._translate(error) from None
        return _last_raw.get() or {}

    def _translate(self, error: MCPError) -> ToolweaveError:
        if (found := failure_in(error)) is not None:
            return found
        if error.code == types.CONNECTION_CLOSED:
            return self.faults.closed()
        if self.faults.first is not None:
            return self.faults.first
        if error.code == types.REQUEST_TIMEOUT:
            return TimedOut("CALL_TIMEOUT", f"server {self.faults.server!r} did not answer in time")
        return Unavailable(
            "SERVER_REFUSED",
            f"server {self.faults.server!r} answered error {error.code}: {error.message[:500]}",
            facts={"rpc_code": error.code},
        )

    def _read_input_required(self, raw: dict[str, Any]) -> types.InputRequiredResult:
        try:
            return types.InputRequiredResult.model_validate(raw, by_name=False)
        except ValidationError:
            raise Unavailable(
                "SERVER_PROTOCOL",
                f"server {self.faults.server!r} asked for input in a form that cannot be read",
            ) from None

    async def _answer_all(
        self, wanted: types.InputRequiredResult, asker: Asker | None
    ) -> types.InputResponses:
        answers: types.InputResponses = {}
        for key, request in (wanted.input_requests or {}).items():
            if not isinstance(request, types.ElicitRequest):
                raise Unavailable(
                    "SERVER_PROTOCOL",
                    f"server {self.faults.server!r} asked for {request.method!r}, "
                    "which this client does not offer",
                )
            answers[key] = await _elicit(self.faults.server, request.params, asker)
        return answers

    async def answer_legacy(
        self, _: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        """Answer a question pushed by a legacy server, which does not say for which call."""
        if len(self._askers) > 1:
            return types.ErrorData(
                code=types.INVALID_REQUEST,
                message="several calls are open and the question does not say for which it is",
            )
        try:
            return await _elicit(
                self.faults.server, params, self._askers[0] if self._askers else None
            )
        except Denied as error:
            return types.ErrorData(code=types.INVALID_REQUEST, message=error.message)

    async def hear(self, message: IncomingMessage) -> None:
        """Take note of what the server says unasked."""
        if isinstance(message, types.ToolListChangedNotification):
            self.tools_changed.set()


async def _elicit(
    server: str, params: types.ElicitRequestParams, asker: Asker | None
) -> types.ElicitResult:
    if asker is None:
        raise Denied(
            "CALL_NEEDS_ANSWER",
            f"server {server!r} asks {params.message[:200]!r} and nobody can answer here",
            hint="call the tool from a terminal or from a client that shows questions",
        )
    question = (
        Question(server, params.message, url=params.url)
        if isinstance(params, types.ElicitRequestURLParams)
        else Question(server, params.message, schema=cast("JsonObject", params.requested_schema))
    )
    answer: Answer = await asker(question)
    content = cast("dict[str, Any] | None", answer.content)
    return types.ElicitResult(action=answer.action, content=content)


@asynccontextmanager
async def open_connection(
    transport: AbstractAsyncContextManager[TransportStreams],
    faults: Faults,
    *,
    limits: Limits,
    era: Era = "auto",
) -> AsyncGenerator[Connection]:
    """Connect and shake hands within the deadline, in whichever era the server speaks.

    Raises:
        Unavailable: the server could not be started or reached, or broke the protocol.
        TimedOut: `SERVER_CONNECT_TIMEOUT`.
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
            return await held[0].answer_legacy(context, params)

        async with ClientSession(
            dispatcher=dispatcher,
            elicitation_callback=answer,
            message_handler=hear,
            client_info=types.Implementation(name="toolweave", version=toolweave.__version__),
        ) as session:
            held.append(Connection(session, faults, limits))
            await _shake_hands(session, faults, limits.connect_deadline_s, era)
            yield held[0]


async def _shake_hands(session: ClientSession, faults: Faults, deadline_s: float, era: Era) -> None:
    try:
        with anyio.fail_after(deadline_s):
            await (session.initialize() if era == "legacy" else negotiate_auto(session))
    except TimeoutError:
        raise faults.first or TimedOut(
            "SERVER_CONNECT_TIMEOUT",
            f"server {faults.server!r} did not answer within {deadline_s:g} s of its start",
            hint="raise TOOLWEAVE_CONNECT_DEADLINE_S if it only starts slowly",
        ) from None
    except MCPError as error:
        if (found := failure_in(error)) is not None:
            raise found from None
        if error.code == types.CONNECTION_CLOSED:
            raise faults.closed() from None
        raise faults.first or Unavailable(
            "SERVER_REFUSED",
            f"server {faults.server!r} refused the handshake: {error.message[:300]}",
            facts={"rpc_code": error.code},
        ) from None
    except (ValidationError, RuntimeError):
        raise faults.first or Unavailable(
            "SERVER_PROTOCOL", f"server {faults.server!r} answered the handshake with nonsense"
        ) from None
