"""HTTP with server-sent events, for older servers: events are received, messages are posted.

Replaces the SDK's, which hangs a call whose POST fails, hangs on a stream that breaks
or is invalid before its start, and limits an event to 1 MiB whatever the settings are.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager, suppress
from functools import partial
from typing import cast

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams  # the type has no public name
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest

from toolweave.errors import TimedOut, ToolweaveError
from toolweave.network.addresses import AllowedHosts, address_denied, origin_of
from toolweave.network.client import (
    EVENTS,
    Resolve,
    invalid_response,
    open_http_client,
    request_origin,
    too_large,
)
from toolweave.servers.definition import HttpServer, SseServer
from toolweave.servers.disconnect_reason import DisconnectReason
from toolweave.servers.transports.failures import (
    as_disconnect,
    as_rpc_error,
    send_within_origin,
    status_error,
)
from toolweave.servers.transports.incoming import accepts_message, read_message
from toolweave.servers.transports.message_size import check_value_count
from toolweave.servers.transports.notification_limit import NotificationLimit
from toolweave.settings import Limits

Incoming = SessionMessage | Exception
Events = AsyncGenerator[httpx2.ServerSentEvent]


@asynccontextmanager
async def open_sse(
    definition: SseServer | HttpServer,
    faults: DisconnectReason,
    *,
    headers: dict[str, str],
    auth: httpx2.Auth | None,
    limits: Limits,
    resolve: Resolve | None = None,
) -> AsyncGenerator[TransportStreams]:
    """Open the message streams to `definition.url`; `headers` are already expanded.

    Raises:
        Denied: `SERVER_ADDRESS_DENIED`, `SERVER_SIGN_IN_REQUIRED`.
        Invalid: `SERVER_HEADER_INVALID`.
        Unavailable: the server cannot be reached, or is not an SSE server.
        TimedOut: the server did not send its endpoint in time.
    """
    client = open_http_client(
        allow=AllowedHosts.of(definition.url),
        headers=headers,
        auth=auth,
        timeout=httpx2.Timeout(limits.connect_deadline_s, read=limits.call_deadline_s),
        max_body_bytes=limits.output_bytes,
        resolve=resolve,
    )
    incoming, inbox = anyio.create_memory_object_stream[Incoming](0)
    outbox, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    async with client, incoming, inbox, outbox, outgoing:
        response = await _connect(client, definition.url, limits.connect_deadline_s)
        source = httpx2.EventSource(response, max_event_size=limits.output_bytes)
        async with aclosing(cast("Events", aiter(source))) as events:
            endpoint = await _endpoint(events, definition.url, limits.connect_deadline_s)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_read, events, incoming, faults, limits.output_bytes)
                tasks.start_soon(_write, client, endpoint, outgoing, incoming)
                try:
                    yield inbox, outbox
                finally:
                    tasks.cancel_scope.cancel()


async def _connect(client: httpx2.AsyncClient, url: str, deadline_s: float) -> httpx2.Response:
    # A read timeout and not a scope: a person may be signing in.
    request = client.build_request(
        "GET",
        url,
        headers={"accept": EVENTS, "cache-control": "no-store"},
        timeout=deadline_s,
    )
    response = await send_within_origin(partial(client.send, stream=True), request)
    failure = status_error(response)
    if failure is None and not response.headers.get("content-type", "").startswith(EVENTS):
        failure = invalid_response(request_origin(request), "its response is not an event stream")
    if failure is not None:
        await response.aclose()
        raise failure
    return response


async def _endpoint(events: Events, url: str, deadline_s: float) -> httpx2.URL:
    """Return the endpoint for messages, which is the server's first event."""
    where = "://".join(str(part) for part in origin_of(url)[:2])
    try:
        with anyio.fail_after(deadline_s):
            async for event in events:
                if event.event == "endpoint":
                    endpoint = httpx2.URL(url).join(event.data.strip())
                    if origin_of(endpoint) != origin_of(url):
                        raise address_denied(f"{where} sent a message endpoint at another address")
                    return endpoint
    except TimeoutError:
        raise TimedOut(
            "SERVER_CONNECT_TIMEOUT",
            f"{where} did not send its message endpoint within {deadline_s:g} s",
        ) from None
    except (httpx2.HTTPError, httpx2.InvalidURL):
        raise invalid_response(where, "it did not send a message endpoint") from None
    raise invalid_response(where, "its stream ended before the first event")


async def _read(
    events: Events,
    inbox: MemoryObjectSendStream[Incoming],
    faults: DisconnectReason,
    max_bytes: int,
) -> None:
    flood = NotificationLimit()
    where = f"server {faults.server!r}"
    try:
        async with inbox:
            async for event in events:
                if event.event != "message" or not event.data:
                    continue
                await check_value_count(event.data, where)
                if accepts_message(item := read_message(event.data), flood, faults):
                    await inbox.send(item)
                elif faults.first is not None:
                    return
    except ToolweaveError as error:
        faults.note(as_disconnect(error, where))
    except httpx2.SSEError:
        faults.note(too_large(where, max_bytes))
    except ValueError:
        faults.note(invalid_response(where, "an event is not a JSON-RPC message"))
    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
        return
    finally:
        faults.ended.set()


async def _write(
    client: httpx2.AsyncClient,
    endpoint: httpx2.URL,
    outbox: MemoryObjectReceiveStream[SessionMessage],
    inbox: MemoryObjectSendStream[Incoming],
) -> None:
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        async for item in outbox:
            try:
                await _post(client, endpoint, item)
            except ToolweaveError as error:
                if isinstance(item.message, JSONRPCRequest):
                    await inbox.send(SessionMessage(as_rpc_error(item.message.id, error)))


async def _post(client: httpx2.AsyncClient, endpoint: httpx2.URL, item: SessionMessage) -> None:
    text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
    request = client.build_request(
        "POST", endpoint, content=text, headers={"content-type": "application/json"}
    )
    response = await send_within_origin(partial(client.send, stream=True), request)
    try:
        await response.aread()  # read to the end, so that the connection can be reused
    finally:
        await response.aclose()
    if failure := status_error(response):
        raise failure
