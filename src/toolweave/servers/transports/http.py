"""Streamable HTTP: the SDK's transport over our client, with a typed error for each failure.

A failed exchange fails only its own call; a session unknown to the server ends the
connection, so that it is opened again.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager, suppress
from contextvars import Context, copy_context
from functools import partial
from typing import Any, cast

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectSendStream
from mcp.client._transport import ReadStream, TransportStreams  # the type has no public name
from mcp.client.streamable_http import MCP_SESSION_ID, streamable_http_client
from mcp.shared._context_streams import ContextReceiveStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

from toolweave.errors import ToolweaveError, Unavailable
from toolweave.network.addresses import AllowedHosts
from toolweave.network.client import EVENTS, Resolve, open_http_client, request_origin
from toolweave.servers.definition import HttpServer
from toolweave.servers.disconnect_reason import DisconnectReason
from toolweave.servers.transports.failures import (
    HttpFailures,
    as_disconnect,
    as_rpc_error,
    clarify_sdk_message,
    send_within_origin,
    status_error,
)
from toolweave.servers.transports.incoming import accepts_message
from toolweave.servers.transports.message_size import check_value_count
from toolweave.servers.transports.notification_limit import NotificationLimit
from toolweave.settings import Limits

Incoming = SessionMessage | Exception

SILENCE_S = 300.0  # how long a response may be silent; the call's deadline is the caller's
GOODBYE_S = 2.0
METHOD_NOT_ALLOWED = 405
# A server may request reconnection after a break, but not in an endless or tight loop.
MIN_RETRY_MS = 1000
LARGE_CHARACTERS = 64 * 1024
PARSED_A_SECOND = 2 * 1024 * 1024
MAX_WAIT_S = 0.25
ALWAYS_OURS = frozenset({401, 429})  # the meaning of these statuses does not depend on their body


class McpHttpClient(httpx2.AsyncClient):
    """Answers a failed POST with the typed error instead of raising it into the SDK.

    Forwarded responses can be parsed without blocking the event loop.
    """

    def __init__(
        self, faults: DisconnectReason, failures: HttpFailures, max_bytes: int, **settings: Any
    ) -> None:
        # Any: passed through to `httpx2` unchanged.
        super().__init__(**settings)
        self._faults = faults
        self._failures = failures
        self._max_bytes = max_bytes

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send the request; a POST always gets a response."""
        if request.method == "DELETE":
            with anyio.fail_after(GOODBYE_S):
                return await super().send(request, **options)
        if request.method != "POST":
            return self._with_checked_events(await super().send(request, **options))
        try:
            sent = partial(super().send, **{**options, "stream": True, "follow_redirects": False})
            return await self._checked(await send_within_origin(sent, request))
        except ToolweaveError as error:
            error = as_disconnect(error, f"server {self._faults.server!r}")
            body = as_rpc_error(None, error).model_dump(mode="json", by_alias=True)
            return httpx2.Response(502, json=body, request=request)

    async def _checked(self, response: httpx2.Response) -> httpx2.Response:
        is_json = response.headers.get("content-type", "").lower().startswith("application/json")
        failure = status_error(response)
        if failure is None:
            if is_json:
                # Here, where the failure can still be reported.
                await check_value_count(await response.aread(), request_origin(response.request))
            return self._with_checked_events(response)
        body = b""
        with suppress(ToolweaveError):
            body = await response.aread()
            await check_value_count(body, request_origin(response.request))
        if response.status_code == 404 and MCP_SESSION_ID in response.request.headers:
            failure = session_ended(request_origin(response.request))
            self._faults.note(failure)
        elif response.status_code not in ALWAYS_OURS and is_json and _is_rpc_error(body):
            return response
        raise failure

    def _with_checked_events(self, response: httpx2.Response) -> httpx2.Response:
        if not response.headers.get("content-type", "").lower().startswith(EVENTS):
            return response
        events = CheckedEvents(response, self._failures, max_bytes=self._max_bytes)
        return httpx2.Response(
            response.status_code, headers=response.headers, stream=events, request=response.request
        )


@asynccontextmanager
async def open_http(
    definition: HttpServer,
    faults: DisconnectReason,
    *,
    headers: dict[str, str],
    auth: httpx2.Auth | None,
    limits: Limits,
    resolve: Resolve | None = None,
) -> AsyncGenerator[TransportStreams]:
    """Open the message streams to the server; `headers` are already expanded."""
    failures = HttpFailures()
    silence_s = max(SILENCE_S, 2 * limits.call_deadline_s)
    client = open_http_client(
        allow=AllowedHosts.of(definition.url),
        headers=headers,
        auth=auth,
        timeout=httpx2.Timeout(limits.connect_deadline_s, read=silence_s),
        max_body_bytes=limits.output_bytes,
        resolve=resolve,
        on_failure=failures.record,
        kind=partial(McpHttpClient, faults, failures, limits.output_bytes),
    )
    incoming, received = anyio.create_memory_object_stream[tuple[Context, Incoming]](0)
    # With each message the context of the request on whose stream it came.
    inbox = ContextReceiveStream[Incoming](received)
    cap = limits.output_bytes
    transport = streamable_http_client(definition.url, http_client=client, max_sse_event_size=cap)
    is_leaving = False
    try:
        async with (
            client,
            incoming,
            inbox,
            transport as (theirs, outbox),
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(_admit, theirs, incoming, faults, failures, limits.output_bytes)
            try:
                yield inbox, outbox
                is_leaving = True
            finally:
                tasks.cancel_scope.cancel()
    except* (anyio.ClosedResourceError, anyio.BrokenResourceError):
        # The SDK fails on a response that arrives while it closes.
        if not is_leaving:
            raise


async def _admit(
    theirs: ReadStream[Incoming],
    inbox: MemoryObjectSendStream[tuple[Context, Incoming]],
    faults: DisconnectReason,
    failures: HttpFailures,
    max_bytes: int,
) -> None:
    flood = NotificationLimit()
    where = f"server {faults.server!r}"
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        async with inbox:
            async for item in theirs:
                if isinstance(item, Exception) or not accepts_message(item, flood, faults):
                    continue
                if isinstance(item.message, JSONRPCError):
                    found = clarify_sdk_message(
                        item.message, where, last=failures.take(), max_bytes=max_bytes
                    )
                    item = SessionMessage(found, item.metadata)
                context: Context | None = getattr(theirs, "last_context", None)
                await inbox.send((context or copy_context(), item))


def session_ended(where: str) -> Unavailable:
    """Return the error for a session the server no longer knows."""
    return Unavailable(
        "MCP_SERVER_DISCONNECTED",
        f"{where} ended the session",
        hint="it is reconnected automatically",
    )


def _is_rpc_error(body: bytes) -> bool:
    try:
        return isinstance(jsonrpc_message_adapter.validate_json(body, by_name=False), JSONRPCError)
    except ValidationError:
        return False


class CheckedEvents(httpx2.AsyncByteStream):
    """Reads the events of a response and re-encodes those that can be parsed safely."""

    def __init__(
        self, response: httpx2.Response, failures: HttpFailures, *, max_bytes: int
    ) -> None:
        self._response = response
        self._failures = failures
        self._max_bytes = max_bytes

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        """Yield the events as bytes."""
        source = httpx2.EventSource(self._response, max_event_size=self._max_bytes)
        events = cast("AsyncGenerator[httpx2.ServerSentEvent]", aiter(source))
        async with aclosing(events):
            async for event in events:
                try:
                    _refuse_endpoint(event, self._response)
                    await check_value_count(event.data, request_origin(self._response.request))
                except Unavailable as error:
                    self._failures.record(error)
                    raise httpx2.SSEError(error.message) from None
                yield _written(event)
                if len(event.data) > LARGE_CHARACTERS:
                    # Parsing took a while: let other servers use the event loop.
                    await anyio.sleep(min(len(event.data) / PARSED_A_SECOND, MAX_WAIT_S))

    async def aclose(self) -> None:
        """Close the response."""
        await self._response.aclose()


def _refuse_endpoint(event: httpx2.ServerSentEvent, response: httpx2.Response) -> None:
    """Raise for the first event of an older server, whose address takes no messages."""
    if event.event == "endpoint" and response.request.method == "POST":
        where = request_origin(response.request)
        facts = {"status": METHOD_NOT_ALLOWED}  # what it should have answered
        raise Unavailable("SERVER_HTTP_ERROR", f"{where} is an SSE server", facts=facts)


def _written(event: httpx2.ServerSentEvent) -> bytes:
    fields = [("id", event.id)] if event.id else []
    if event.retry is not None:
        fields.append(("retry", str(max(event.retry, MIN_RETRY_MS))))
    fields.append(("event", event.event))
    fields += [("data", line) for line in event.data.split("\n")]
    return "".join(f"{name}: {value}\n" for name, value in fields).encode() + b"\n"
