"""Messages that are small on the wire and huge in memory, over every transport."""

import json
from collections.abc import AsyncGenerator

import anyio
import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client

from network.wire import event_answer, http, json_answer, peer
from servers.transports.connecting import reason, refusal
from toolweave.errors import Unavailable
from toolweave.servers.definition import HttpServer, SseServer
from toolweave.servers.disconnect_reason import DisconnectReason
from toolweave.servers.transports import message_size as density
from toolweave.servers.transports.failures import HttpFailures
from toolweave.servers.transports.http import MIN_RETRY_MS, CheckedEvents, open_http
from toolweave.servers.transports.message_size import MAX_VALUES, check_value_count
from toolweave.servers.transports.sse import open_sse
from toolweave.settings import Limits

LIMITS = Limits(call_deadline_s=5, connect_deadline_s=5)
DENSE = b'{"jsonrpc":"2.0","id":1,"result":{"a":[%s0]}}' % (b"{}," * MAX_VALUES)

TEXTS = st.text(alphabet='a\\"[{,:é') | st.text()
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXTS, inner, max_size=5),
)


def counted(value: object) -> int:
    """One for each container and one for each further thing in it."""
    match value:
        case list() | dict():
            items: list[object] = [*value.values()] if isinstance(value, dict) else [*value]  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]  # any JSON
            return 1 + max(len(items) - 1, 0) + sum(map(counted, items))
        case _:
            return 0


@given(value=VALUES, slice_bytes=st.integers(1, 9), is_ascii=st.booleans())
def test_the_count_is_exact_wherever_the_message_is_cut(
    value: object, slice_bytes: int, is_ascii: bool
) -> None:
    message = json.dumps([value], ensure_ascii=is_ascii).encode()
    values = counted([value])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(density, "SLICE_BYTES", slice_bytes)
        assert not anyio.run(density.has_more_values, values, message)
        assert anyio.run(density.has_more_values, values - 1, message)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "text",
    ["x" * 3_000_000, "1,2,3;[{" * 400_000, '\\"' * 1_000_000, "\\" * 2_000_001],
    ids=["plain", "table", "quotes", "backslashes"],
)
async def test_a_long_text_is_one_value_whatever_is_in_it(text: str) -> None:
    assert await check_value_count(json.dumps({"text": text}), "it") is None


@pytest.mark.anyio
async def test_the_last_value_that_passes_and_the_first_that_does_not() -> None:
    await check_value_count(b"[" + b"10," * (MAX_VALUES - 1) + b"0]", "it")
    with pytest.raises(Unavailable) as caught:
        await check_value_count(b"[" + b"10," * MAX_VALUES + b"0]", "it")
    assert caught.value.code == "SERVER_RESPONSE_TOO_LARGE"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (json_answer(DENSE), "SERVER_RESPONSE_TOO_LARGE"),
        (event_answer(b"data: " + DENSE + b"\n\n"), "SERVER_RESPONSE_TOO_LARGE"),
        (json_answer(DENSE, 400), "SERVER_HTTP_ERROR"),
    ],
    ids=["json", "event", "error"],
)
async def test_a_dense_answer_over_http_is_refused_unread(answer: bytes, code: str) -> None:
    async with peer(answer) as known:
        transport = open_http(
            HttpServer(url=known.url), DisconnectReason("it"), headers={}, auth=None, limits=LIMITS
        )
        failure = await reason(Client(transport, mode="legacy"))
    assert failure.code == code


@pytest.mark.anyio
async def test_a_dense_event_of_an_older_server_ends_the_connection() -> None:
    faults = DisconnectReason("it")
    stream = b"event: endpoint\ndata: /post\n\nevent: message\ndata: " + DENSE + b"\n\n"
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
    async with peer(lambda ask: head + stream if ask.startswith(b"GET") else http(202)) as known:
        transport = open_sse(SseServer(url=known.url), faults, headers={}, auth=None, limits=LIMITS)
        await refusal(Client(transport, mode="legacy"))
    assert faults.first is not None
    assert faults.first.code == "SERVER_RESPONSE_TOO_LARGE"


class Pieces(httpx2.AsyncByteStream):
    """A body in the given pieces."""

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        for piece in self._pieces:
            yield piece


async def written_again(*pieces: bytes) -> list[httpx2.ServerSentEvent]:
    """The events somebody reads behind the check."""
    request = httpx2.Request("GET", "http://127.0.0.1/mcp")
    headers = {"content-type": "text/event-stream"}
    first = httpx2.Response(200, headers=headers, stream=Pieces(*pieces), request=request)
    checked = CheckedEvents(first, HttpFailures(), max_bytes=1000)
    second = httpx2.Response(200, headers=headers, stream=checked, request=request)
    return [event async for event in httpx2.EventSource(second)]


@pytest.mark.anyio
async def test_events_come_out_as_they_went_in() -> None:
    wire = (
        b": hello\n\nid: 7\ndata: \n\nevent: endpoint\ndata:  /post\r\n\r\n"
        b"data: one\ndata: two\ndata:\nretry: 5000\n\ndata: caf\xc3\xa9\n\nid: 8\n\n"
    )
    seen = [(event.id, event.event, event.data, event.retry) for event in await written_again(wire)]
    assert seen == [
        ("7", "message", "", None),
        ("7", "endpoint", " /post", None),
        ("7", "message", "one\ntwo\n", 5000),
        ("7", "message", "café", None),
        ("8", "message", "", None),
    ]
    cut = [wire[index : index + 1] for index in range(len(wire))]
    assert [event.data for event in await written_again(*cut)] == [data for _, _, data, _ in seen]


@pytest.mark.anyio
async def test_nobody_is_called_again_without_a_pause() -> None:
    (event,) = await written_again(b"retry: 0\ndata: x\n\n")
    assert event.retry == MIN_RETRY_MS


@pytest.mark.anyio
async def test_an_event_over_the_cap_is_refused() -> None:
    with pytest.raises(httpx2.SSEError):
        await written_again(b"data: " + b"x" * 2000 + b"\n\n")
