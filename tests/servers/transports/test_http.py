"""Streamable HTTP against a real server in both eras, and against servers that misbehave."""

import gzip
import json
import logging
import traceback
from collections.abc import Generator
from dataclasses import replace
from typing import Literal

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

from network.wire import Answer, dialling, event_answer, http, json_answer, peer
from servers.transports.connecting import reason, refusal
from servers.transports.serving import listening, running, tools_app
from toolweave.errors import Denied, Invalid, Limited, ToolweaveError, Unavailable
from toolweave.servers.definition import HttpServer
from toolweave.servers.disconnect_reason import DisconnectReason
from toolweave.servers.transports.failures import typed_error_in
from toolweave.servers.transports.http import open_http
from toolweave.settings import Limits

pytestmark = pytest.mark.anyio

Mode = Literal["auto", "legacy"]
LIMITS = Limits(call_deadline_s=5, connect_deadline_s=5, output_bytes=4 * 1024 * 1024)


class Served:
    """A running server, and the headers its tool calls came with."""

    def __init__(self, origin: str) -> None:
        self.url = f"{origin}/mcp"
        self.seen: list[dict[str, str]] = []


@pytest.fixture(scope="module", params=[False, True], ids=["events", "json"])
def served(request: pytest.FixtureRequest) -> Generator[Served]:
    with listening() as (bound, origin):
        known = Served(origin)
        with running(tools_app(known.seen, json_response=request.param), bound):
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
    transport = open_http(
        HttpServer(url=url), faults, headers=headers or {}, auth=None, limits=limits
    )
    return Client(transport, mode=mode)


async def added(client: Client, a: int, b: int) -> str:
    result = await client.call_tool("add", {"a": a, "b": b})
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_tool_is_called_in_either_era(served: Served, mode: Mode) -> None:
    with anyio.fail_after(60):
        async with a_client(served.url, mode=mode, headers={"x-team": "blue"}) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == [
                "add",
                "large",
                "slow",
            ]
            assert await added(client, 20, 22) == "42"
            modern = client.session.protocol_version == "2026-07-28"
            assert modern is (mode == "auto")
    assert served.seen[-1]["x-team"] == "blue"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_calls_run_side_by_side(served: Served, mode: Mode) -> None:
    with anyio.fail_after(60):
        async with a_client(served.url, mode=mode) as client, anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "slow", {"seconds": 60})
            for number in range(10):
                assert await added(client, number, 1) == str(number + 1)
            tasks.cancel_scope.cancel()


async def test_an_answer_over_the_cap_fails_its_own_call_only(served: Served) -> None:
    limits = replace(LIMITS, output_bytes=1024 * 1024)
    with anyio.fail_after(60):
        async with a_client(served.url, limits=limits) as client:
            with pytest.raises(MCPError) as caught:
                await client.call_tool("large", {"bytes": 3 * 1024 * 1024})
            assert await added(client, 1, 1) == "2"
            assert await client.call_tool("large", {"bytes": 1000 * 1000})
    failure = typed_error_in(caught.value)
    assert isinstance(failure, Unavailable)
    assert failure.code == "SERVER_RESPONSE_TOO_LARGE"


async def test_an_answer_of_two_megabytes_arrives_when_the_limits_allow_it(
    served: Served,
) -> None:
    with anyio.fail_after(60):
        async with a_client(served.url) as client:
            [content] = (await client.call_tool("large", {"bytes": 2_000_000})).content
    assert isinstance(content, TextContent)
    assert len(content.text) == 2_000_000


async def reason_after(answer: Answer | bytes) -> ToolweaveError:
    """Why connecting to a server that answers like this fails."""
    async with peer(answer) as known:
        return await reason(a_client(known.url))


JSON = "application/json"
EVENTS = "text/event-stream"
FAULTS: dict[str, tuple[bytes, type[ToolweaveError], str]] = {
    "500": (http(500), Unavailable, "SERVER_HTTP_ERROR"),
    "500 json": (json_answer(b'{"oops":1}', 500), Unavailable, "SERVER_HTTP_ERROR"),
    "503": (http(503, retry_after="2"), Unavailable, "SERVER_HTTP_ERROR"),
    "400": (http(400), Unavailable, "SERVER_HTTP_ERROR"),
    "403": (http(403), Unavailable, "SERVER_HTTP_ERROR"),
    "404": (http(404), Unavailable, "SERVER_HTTP_ERROR"),
    "405": (http(405), Unavailable, "SERVER_HTTP_ERROR"),
    "401": (http(401), Denied, "SERVER_SIGN_IN_REQUIRED"),
    "429": (http(429, retry_after="7"), Limited, "SERVER_RATE_LIMITED"),
    "redirect loop": (http(307, location="/mcp"), Unavailable, "SERVER_REDIRECTED"),
    "redirect away": (http(308, location="http://127.0.0.1:1/"), Unavailable, "SERVER_REDIRECTED"),
    "redirect inside": (
        http(307, location="http://169.254.169.254/"),
        Unavailable,
        "SERVER_REDIRECTED",
    ),
    "redirect to file": (http(307, location="file:///etc"), Unavailable, "SERVER_REDIRECTED"),
    "redirect to a get": (http(302, location="/mcp"), Unavailable, "SERVER_REDIRECTED"),
    "redirect to nonsense": (http(307, location="http://[::"), Unavailable, "SERVER_PROTOCOL"),
    "redirect to nowhere": (http(307), Unavailable, "SERVER_HTTP_ERROR"),
    "html": (http(200, b"<html>", content_type="text/html"), Unavailable, "SERVER_PROTOCOL"),
    "no type": (http(200, b"{}"), Unavailable, "SERVER_PROTOCOL"),
    "202 to a request": (http(202), Unavailable, "SERVER_PROTOCOL"),
    "no json": (json_answer(b"{nope"), Unavailable, "SERVER_PROTOCOL"),
    "no message": (json_answer(b"[]"), Unavailable, "SERVER_PROTOCOL"),
    "no utf-8": (
        json_answer(b'{"jsonrpc":"2.0","id":1,"result":{"a":"\xff"}}'),
        Unavailable,
        "SERVER_PROTOCOL",
    ),
    "deep json": (json_answer(b"[" * 100_000), Unavailable, "SERVER_PROTOCOL"),
    "truncated json": (
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
        Unavailable,
        "MCP_SERVER_DISCONNECTED",
    ),
    "truncated events": (
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99\r\n\r\ndata: {",
        Unavailable,
        "MCP_SERVER_DISCONNECTED",
    ),
    "no events": (event_answer(b""), Unavailable, "MCP_SERVER_DISCONNECTED"),
    "nonsense events": (event_answer(b"data: nope\n\n"), Unavailable, "SERVER_PROTOCOL"),
    "endless event": (
        event_answer(b"data: " + b"x" * 5_000_000),
        Unavailable,
        "SERVER_RESPONSE_TOO_LARGE",
    ),
    "endless json": (json_answer(b" " * 5_000_000), Unavailable, "SERVER_RESPONSE_TOO_LARGE"),
    "gzip bomb": (
        http(200, gzip.compress(bytes(64_000_000)), content_type=JSON, content_encoding="gzip"),
        Unavailable,
        "SERVER_RESPONSE_TOO_LARGE",
    ),
    "gzip bomb of events": (
        http(
            200,
            gzip.compress(b"data: " + bytes(64_000_000)),
            content_type=EVENTS,
            content_encoding="gzip",
        ),
        Unavailable,
        "SERVER_RESPONSE_TOO_LARGE",
    ),
    "damaged gzip": (
        http(200, b"zzz", content_type=JSON, content_encoding="gzip"),
        Unavailable,
        "SERVER_PROTOCOL",
    ),
    "no http": (b"SSH-2.0-OpenSSH\r\n\r\n", Unavailable, "SERVER_PROTOCOL"),
    "endless head": (b"HTTP/1.1 200 OK\r\nx: " + b"a" * 300_000, Unavailable, "SERVER_PROTOCOL"),
    "hangs up": (b"", Unavailable, "MCP_SERVER_DISCONNECTED"),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_each_fault_reaches_the_caller_with_its_name(fault: str) -> None:
    answer, kind, code = FAULTS[fault]
    failure = await reason_after(answer)
    assert (type(failure), failure.code) == (kind, code)


async def test_the_facts_say_the_status_and_how_long_to_wait() -> None:
    assert (await reason_after(http(429, retry_after="7"))).facts == {
        "status": 429,
        "retry_after_s": 7.0,
    }
    assert (await reason_after(http(503, retry_after="2"))).facts == {
        "status": 503,
        "retry_after_s": 2.0,
    }
    assert (await reason_after(http(500))).facts == {"status": 500}
    redirected = await reason_after(http(308, location="http://u:p@127.0.0.1:1/x?key=hunter2#y"))
    assert redirected.facts == {"location": "http://127.0.0.1:1/x"}


async def test_a_closed_port_is_unreachable() -> None:
    async with peer(b"") as known:
        url = known.url
    assert (await reason(a_client(url))).code == "SERVER_UNREACHABLE"


async def test_a_servers_own_error_at_a_bad_status_is_kept() -> None:
    def answer(request: bytes) -> bytes:
        error = {"code": -32022, "message": "too new", "data": {"supported": ["2030-01-01"]}}
        return json_answer(json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode(), 400)

    async with peer(answer) as known:
        error = await refusal(a_client(known.url))
    assert typed_error_in(error) is None
    assert "too new" in "".join(traceback.format_exception(error))


async def test_a_redirect_within_the_origin_that_keeps_the_method_is_followed(
    served: Served,
) -> None:
    # Starlette sends `/mcp/` on to `/mcp` by itself.
    with anyio.fail_after(60):
        async with a_client(f"{served.url}/") as client:
            assert await added(client, 1, 2) == "3"


async def test_a_session_the_server_forgot_ends_the_connection() -> None:
    answers = iter(
        [
            http(
                200,
                json.dumps(
                    {
                        "jsonrpc": "2.0",
                        "id": 1,
                        "result": {
                            "protocolVersion": "2025-06-18",
                            "capabilities": {"tools": {}},
                            "serverInfo": {"name": "x", "version": "1"},
                        },
                    }
                ).encode(),
                content_type=JSON,
                mcp_session_id="s1",
            )
        ]
    )

    def answer(request: bytes) -> bytes:
        if request.startswith(b"GET"):
            return http(405)
        if b"notifications/initialized" in request:
            return http(202)
        return next(answers, http(404))

    faults = DisconnectReason("tools")
    async with peer(answer) as known:
        with anyio.fail_after(60):
            async with a_client(known.url, faults, mode="legacy") as client:
                assert not faults.ended.is_set()
                with pytest.raises(MCPError) as caught:
                    await client.list_tools()
        assert faults.ended.is_set()
        assert faults.first is not None
        assert faults.first.code == "MCP_SERVER_DISCONNECTED"
        failure = typed_error_in(caught.value)
        assert failure is not None
        assert failure.code == "MCP_SERVER_DISCONNECTED"
        assert known.heads[-1].startswith(b"DELETE")


async def test_a_flood_of_requests_ends_the_connection_and_one_of_notifications_is_thinned() -> (
    None
):
    heard: list[object] = []

    async def hear(message: object) -> None:
        heard.append(message)

    params = b'{"level":"info","data":1}'
    note = b'data: {"jsonrpc":"2.0","method":"notifications/message","params":%s}' % params
    flood = (note + b"\n\n") * 5000

    async with peer(event_answer(flood)) as known:
        transport = open_http(
            HttpServer(url=known.url),
            DisconnectReason("tools"),
            headers={},
            auth=None,
            limits=LIMITS,
        )
        await refusal(Client(transport, message_handler=hear))
    assert 0 < len(heard) < 2 * 5000  # sent once for each of two requests

    faults = DisconnectReason("tools")
    ask = b'data: {"jsonrpc":"2.0","id":"%d","method":"ping"}'
    async with peer(event_answer(b"".join(ask % n + b"\n\n" for n in range(500)))) as known:
        await refusal(a_client(known.url, faults, mode="legacy"))
    assert faults.first is not None
    assert faults.first.code == "SERVER_PROTOCOL"


async def test_leaving_does_not_wait_for_a_server_that_is_silent() -> None:
    started = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "result": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "serverInfo": {"name": "x", "version": "1"},
            },
        }
    ).encode()

    def answer(request: bytes) -> bytes | None:
        if b'"initialize"' in request:
            return http(200, started, content_type=JSON, mcp_session_id="s1")
        return http(202) if b"notifications/initialized" in request else None

    async with peer(answer) as known:
        with anyio.fail_after(60):
            async with a_client(known.url, mode="legacy"):
                pass
        assert any(head.startswith(b"DELETE") for head in known.heads)


@pytest.mark.parametrize(
    ("url", "headers", "kind"),
    [
        ("http://2130706433/mcp", {}, Denied),
        ("http://127.0.0.1:1/mcp", {"x": "a\nb"}, Invalid),
    ],
)
async def test_a_bad_address_or_header_is_refused_before_anything_is_sent(
    url: str, headers: dict[str, str], kind: type[ToolweaveError]
) -> None:
    with pytest.raises(kind):
        async with a_client(url, headers=headers):
            pass


async def test_metadata_addresses_are_refused_even_as_a_servers_own() -> None:
    with dialling() as dialled:
        failure = await reason(a_client("http://169.254.169.254/latest"))
    assert failure.code == "SERVER_ADDRESS_DENIED"
    assert dialled == []


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_no_log_of_any_level_holds_more_of_an_address_than_its_origin(
    served: Served, mode: Mode, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with anyio.fail_after(60):
        async with a_client(f"{served.url}?key=hunter2", mode=mode) as client:
            assert await added(client, 1, 2) == "3"
    origin = served.url.removesuffix("/mcp")
    # The server of this test logs in the same process; what it says is its own affair.
    logged = [one for one in caplog.records if not one.name.startswith(("uvicorn", "mcp.server"))]
    said = "\n".join(one.getMessage() for one in logged)
    assert f"HTTP Request: POST {origin}/… " in said
    assert "hunter2" not in said
