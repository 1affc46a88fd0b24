"""HTTP with server-sent events: a real server, and servers that misbehave."""

import json
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Literal

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketStream
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

from network.wire import (
    Answer,
    dialling,
    event_answer,
    http,
    json_answer,
    peer,
    read_request,
)
from servers.transports.connecting import reason, refusal
from servers.transports.serving import listening, running, tools_app
from toolweave.errors import Denied, Limited, TimedOut, ToolweaveError, Unavailable
from toolweave.servers.definition import SseServer
from toolweave.servers.disconnect_reason import DisconnectReason
from toolweave.servers.transports.sse import open_sse
from toolweave.settings import Limits

pytestmark = pytest.mark.anyio

Mode = Literal["auto", "legacy"]
LIMITS = Limits(call_deadline_s=5, connect_deadline_s=5, output_bytes=4 * 1024 * 1024)
STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"


class Served:
    """A running server, and the headers its tool calls came with."""

    def __init__(self, origin: str) -> None:
        self.url = f"{origin}/sse"
        self.seen: list[dict[str, str]] = []


@pytest.fixture(scope="module")
def served() -> Generator[Served]:
    with listening() as (bound, origin):
        known = Served(origin)
        with running(tools_app(known.seen), bound):
            yield known


def a_client(
    url: str,
    faults: DisconnectReason | None = None,
    *,
    mode: Mode = "auto",
    headers: dict[str, str] | None = None,
    limits: Limits = LIMITS,
) -> Client:
    faults = faults or DisconnectReason("tools")
    transport = open_sse(
        SseServer(url=url), faults, headers=headers or {}, auth=None, limits=limits
    )
    return Client(transport, mode=mode)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_tool_is_called_in_either_era(served: Served, mode: Mode) -> None:
    with anyio.fail_after(60):
        async with a_client(served.url, mode=mode, headers={"x-team": "blue"}) as client:
            result = await client.call_tool("add", {"a": 20, "b": 22})
            modern = client.session.protocol_version == "2026-07-28"
    [content] = result.content
    assert isinstance(content, TextContent)
    assert content.text == "42"
    assert modern is (mode == "auto")
    assert served.seen[-1]["x-team"] == "blue"


async def test_calls_run_side_by_side(served: Served) -> None:
    with anyio.fail_after(60):
        async with a_client(served.url) as client, anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "slow", {"seconds": 60})
            assert await client.call_tool("add", {"a": 1, "b": 2})
            tasks.cancel_scope.cancel()


async def test_an_answer_over_the_sdks_own_megabyte_arrives(served: Served) -> None:
    with anyio.fail_after(60):
        async with a_client(served.url) as client:
            [content] = (await client.call_tool("large", {"bytes": 2_000_000})).content
    assert isinstance(content, TextContent)
    assert len(content.text) == 2_000_000


async def test_an_answer_over_the_cap_ends_the_connection_with_its_reason(served: Served) -> None:
    faults = DisconnectReason("tools")
    limits = replace(LIMITS, output_bytes=100_000)
    with anyio.fail_after(60):
        async with a_client(served.url, faults, limits=limits) as client:
            with pytest.raises(MCPError):
                await client.call_tool("large", {"bytes": 200_000})
    assert faults.ended.is_set()
    assert faults.first is not None
    assert faults.first.code == "SERVER_RESPONSE_TOO_LARGE"


FAULTS: dict[str, tuple[Answer | bytes | None, type[ToolweaveError], str]] = {
    "500": (http(500), Unavailable, "SERVER_HTTP_ERROR"),
    "401": (http(401), Denied, "SERVER_SIGN_IN_REQUIRED"),
    "429": (http(429, retry_after="7"), Limited, "SERVER_RATE_LIMITED"),
    "redirect loop": (http(302, location="/mcp"), Unavailable, "SERVER_REDIRECTED"),
    "redirect away": (http(302, location="http://127.0.0.1:1/"), Unavailable, "SERVER_REDIRECTED"),
    "json": (json_answer(b"{}"), Unavailable, "SERVER_PROTOCOL"),
    "no events": (event_answer(b""), Unavailable, "SERVER_PROTOCOL"),
    "other events": (event_answer(b"data: hello\n\n"), Unavailable, "SERVER_PROTOCOL"),
    "truncated": (
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99\r\n\r\ndata: {",
        Unavailable,
        "SERVER_PROTOCOL",
    ),
    "endless event": (event_answer(b"data: " + b"x" * 5_000_000), Unavailable, "SERVER_PROTOCOL"),
    "elsewhere": (
        event_answer(b"event: endpoint\ndata: http://127.0.0.1:1/messages\n\n"),
        Denied,
        "SERVER_ADDRESS_DENIED",
    ),
    "inside": (
        event_answer(b"event: endpoint\ndata: //169.254.169.254/latest\n\n"),
        Denied,
        "SERVER_ADDRESS_DENIED",
    ),
    "no scheme of ours": (
        event_answer(b"event: endpoint\ndata: file:///etc/passwd\n\n"),
        Denied,
        "SERVER_ADDRESS_DENIED",
    ),
    "no address": (
        event_answer(b"event: endpoint\ndata: http://[::\n\n"),
        Unavailable,
        "SERVER_PROTOCOL",
    ),
    "hangs up": (b"", Unavailable, "SERVER_PROTOCOL"),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_each_fault_while_connecting_has_its_name(fault: str) -> None:
    answer, kind, code = FAULTS[fault]
    async with peer(answer) as known:
        with dialling() as dialled:
            failure = await reason(a_client(known.url))
    assert (type(failure), failure.code) == (kind, code)
    assert {port for _, port in dialled} == {known.port}


async def test_a_server_that_does_not_say_where_to_post_is_given_up_at_the_deadline() -> None:
    limits = replace(LIMITS, connect_deadline_s=0.2)
    async with peer(None) as known:
        silent = await reason(a_client(known.url, limits=limits))
    assert (type(silent), silent.code) == (TimedOut, "SERVER_TIMED_OUT")
    async with talking(b"") as known:
        mute = await reason(a_client(known.url, limits=limits))
    assert (type(mute), mute.code) == (TimedOut, "SERVER_CONNECT_TIMEOUT")


@dataclass
class Talking:
    """A server by hand: what it posts back, and the stream it keeps open."""

    port: int
    posts: list[bytes] = field(default_factory=list[bytes])
    streams: list[SocketStream] = field(default_factory=list[SocketStream])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/sse"

    async def say(self, event: bytes) -> None:
        for stream in self.streams:
            await stream.send(b"event: message\ndata: " + event + b"\n\n")


@asynccontextmanager
async def talking(
    greeting: bytes, on_post: bytes = http(202), says: bytes | None = None
) -> AsyncGenerator[Talking]:
    """Greets on the stream; answers each POST with `on_post`, and says `says` on the stream."""
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    known = Talking(listener.extra(SocketAttribute.local_port))

    async def talk(stream: SocketStream) -> None:
        async with stream:
            request = await read_request(stream)
            if request.startswith(b"GET"):
                await stream.send(STREAM + greeting)
                known.streams.append(stream)
                await anyio.sleep_forever()
            known.posts.append(request)
            await stream.send(on_post)
            if says == b"":
                await known.streams[0].aclose()
            elif says is not None:
                await known.say(says)

    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, talk)
        yield known
        tasks.cancel_scope.cancel()


ENDPOINT = b"event: endpoint\ndata: /post\n\n"


@pytest.mark.parametrize(
    ("on_post", "kind", "code"),
    [
        (http(500), Unavailable, "SERVER_HTTP_ERROR"),
        (http(429, retry_after="3"), Limited, "SERVER_RATE_LIMITED"),
        (http(401), Denied, "SERVER_SIGN_IN_REQUIRED"),
        (http(307, location="http://127.0.0.1:1/"), Unavailable, "SERVER_REDIRECTED"),
        (b"", Unavailable, "SERVER_PROTOCOL"),
        (http(200, b"x" * 5_000_000), Unavailable, "SERVER_RESPONSE_TOO_LARGE"),
    ],
    ids=["500", "429", "401", "redirect", "hangs up", "endless"],
)
async def test_a_message_that_cannot_be_posted_fails_its_own_call_at_once(
    on_post: bytes, kind: type[ToolweaveError], code: str
) -> None:
    faults = DisconnectReason("tools")
    async with talking(ENDPOINT, on_post) as known:
        failure = await reason(a_client(known.url, faults, mode="legacy"))
        assert known.posts[0].startswith(b"POST /post ")
    assert (type(failure), failure.code) == (kind, code)
    assert faults.first is None


@pytest.mark.parametrize(
    ("says", "code"),
    [
        (b"{nope", "SERVER_PROTOCOL"),
        (b"[]", "SERVER_PROTOCOL"),
        (b"x" * 5_000_000, "SERVER_RESPONSE_TOO_LARGE"),
        (b"", None),
    ],
    ids=["no json", "no message", "endless", "ends"],
)
async def test_a_stream_that_breaks_ends_the_connection_and_the_waiting_calls(
    says: bytes, code: str | None
) -> None:
    faults = DisconnectReason("tools")
    async with talking(ENDPOINT, says=says) as known:
        await refusal(a_client(known.url, faults, mode="legacy"))
    assert faults.ended.is_set()
    assert (faults.first.code if faults.first else None) == code


async def test_a_stream_that_is_cut_ends_the_connection_with_its_reason() -> None:
    cut = STREAM.replace(b"\r\n\r\n", b"\r\ncontent-length: 9999\r\n\r\n") + ENDPOINT
    faults = DisconnectReason("tools")
    async with peer(lambda request: cut if request.startswith(b"GET") else http(202)) as known:
        await refusal(a_client(known.url, faults, mode="legacy"))
    assert faults.first is not None
    assert faults.first.code == "MCP_SERVER_DISCONNECTED"


async def test_a_flood_of_requests_ends_the_connection() -> None:
    faults = DisconnectReason("tools")
    ask = json.dumps({"jsonrpc": "2.0", "id": "x", "method": "ping"}).encode()
    flood = b"".join(b"event: message\ndata: " + ask + b"\n\n" for _ in range(500))
    async with talking(ENDPOINT + flood) as known:
        await refusal(a_client(known.url, faults, mode="legacy"))
    assert faults.first is not None
    assert faults.first.code == "SERVER_PROTOCOL"
