"""What every request passes: host, origin, size, a name for it, and no fault thrown at anyone."""

from collections.abc import AsyncGenerator, Callable
from typing import Any

import httpx2
import pytest
from starlette.types import Message, Receive, Scope, Send

from rest.house import BASE, HOST, House
from toolweave.rest.guard import MAX_BODY_BYTES, Guard
from toolweave.serve.http import ListenAddress

pytestmark = pytest.mark.anyio

INVOKE = "/api/v1/mcp/invoke"
JSON = {"Content-Type": "application/json"}
ADDRESSES = ("/health", "/api/v1/mcp/tools", "/mcp", "/nope", INVOKE)


def code_of(answer: httpx2.Response) -> str:
    error = answer.json()["error"]
    return error["data"]["code"] if "data" in error else error["code"]


@pytest.mark.parametrize("path", ADDRESSES)
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:8765.", ""]
)
async def test_another_host_is_answered_with_421(house: House, path: str, host: str) -> None:
    answer = await house.client.get(path, headers={"Host": host})
    assert (answer.status_code, code_of(answer)) == (421, "HOST_DENIED")
    assert answer.headers["x-request-id"].startswith("req-")


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "LOCALHOST:8765", "[::1]:8765"])
async def test_every_name_of_the_loopback_is_ours(house: House, host: str) -> None:
    assert (await house.client.get("/health", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize("path", ADDRESSES)
@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "", "http://127.0.0.1", "http://localhost:3000"]
)
async def test_a_page_of_another_origin_is_refused(house: House, path: str, origin: str) -> None:
    answer = await house.client.get(path, headers={"Origin": origin} | await house.key())
    assert (answer.status_code, code_of(answer)) == (403, "ORIGIN_DENIED")


async def test_a_second_origin_or_host_does_not_hide_the_other(house: House) -> None:
    own, host = ("Origin", BASE), ("Host", "127.0.0.1:8765")
    assert (await house.client.get("/health", headers=[host, own])).status_code == 200
    for origins in ([own, ("Origin", "https://evil.example")], [("Origin", "null"), own]):
        answer = await house.client.get("/health", headers=[host, *origins])
        assert (answer.status_code, code_of(answer)) == (403, "ORIGIN_DENIED")
    for hosts in ([host, ("Host", "evil.example")], [("Host", "evil.example"), host]):
        answer = await house.client.get("/health", headers=hosts)
        assert (answer.status_code, code_of(answer)) == (421, "HOST_DENIED")


@pytest.mark.parametrize("origin", [BASE, "http://localhost:8765", "https://127.0.0.1:8765"])
async def test_our_own_pages_may_ask(house: House, origin: str) -> None:
    assert (await house.client.get("/health", headers={"Origin": origin})).status_code == 200


@pytest.mark.parametrize(
    ("address", "host", "is_ours"),
    [
        (ListenAddress("0.0.0.0", 80), "127.0.0.1:80", True),
        (ListenAddress("::", 80), "[::1]:80", True),
        (ListenAddress("0.0.0.0", 80), "192.168.1.7:80", False),
        (ListenAddress("192.168.1.7", 80), "192.168.1.7:80", True),
        (ListenAddress("192.168.1.7", 80), "localhost:80", False),
        (ListenAddress("192.168.1.7", 80, ("studio.lan",)), "studio.lan:80", True),
        (ListenAddress("192.168.1.7", 80, ("studio.lan",)), "studio.lan", True),
        (ListenAddress("192.168.1.7", 80, ("studio.lan:443",)), "studio.lan:443", True),
        (ListenAddress("192.168.1.7", 80, ("studio.lan:443",)), "studio.lan:80", False),
    ],
)
async def test_the_names_we_answer_to_follow_from_where_we_listen(
    address: ListenAddress, host: str, is_ours: bool
) -> None:
    assert (host in address.hosts) is is_ours
    assert (f"http://{host}" in address.origins) is is_ours


async def chunks(total: int) -> AsyncGenerator[bytes]:
    for _ in range(total // 65_536):
        yield b" " * 65_536


@pytest.mark.parametrize("path", [INVOKE, "/api/v1/mcp/invoke/internal", "/mcp"])
async def test_an_oversized_body_is_refused_with_and_without_its_length(
    house: House, path: str
) -> None:
    headers = JSON | await house.key() | house.service_token()
    headers["Accept"] = "application/json, text/event-stream"
    whole = b" " * (MAX_BODY_BYTES + 1)
    said = await house.client.post(path, content=whole, headers=headers)
    unsaid = await house.client.post(path, content=chunks(MAX_BODY_BYTES * 2), headers=headers)
    for answer in (said, unsaid):
        assert (answer.status_code, code_of(answer)) == (413, "BODY_TOO_LARGE")
    if path == INVOKE:
        assert said.json()["error"]["code"] == -32600


async def test_a_body_of_just_the_limit_is_read(house: House) -> None:
    start = b'{"name": "get_node_types"}'
    body = start + b" " * (MAX_BODY_BYTES - len(start))
    for content in (body, body[:-65_536]):
        answer = await house.client.post(INVOKE, content=content, headers=JSON | await house.key())
        assert answer.status_code == 200


async def test_a_body_with_two_framings_is_refused(house: House) -> None:
    headers = [
        *(await house.key()).items(),
        ("Content-Type", "application/json"),
        ("Transfer-Encoding", "chunked"),
    ]

    async def ask(*more: tuple[str, str]) -> httpx2.Response:
        body = b'{"name": "get_node_types"}'
        request = house.client.build_request("POST", "/api/v1/mcp/invoke", content=body)
        request.headers = httpx2.Headers([("Host", HOST), *headers, *more])
        return await house.client.send(request)

    assert (await ask()).status_code == 200  # the positive control
    refused = await ask(("Content-Length", "5"))
    assert (refused.status_code, refused.headers["connection"]) == (422, "close")


async def test_a_second_key_does_not_hide_the_other(house: House) -> None:
    key = (await house.key())["X-API-Key"]
    path = "/api/v1/workflows"
    for headers in (
        [("X-API-Key", key)],
        [("X-API-Key", key), ("Authorization", f"Bearer {key}")],
        [("X-API-Key", key), ("Authorization", "Basic YTpi")],
        # The page about keys says which one counts.
        [("X-API-Key", key), ("Authorization", "Bearer tw_other")],
        # An old key in the configuration of a client that has signed in since.
        [("X-API-Key", "tw_other"), ("Authorization", f"Bearer {key}")],
    ):
        assert (await house.client.get(path, headers=headers)).status_code == 200
    for headers in (
        [("X-API-Key", "tw_other"), ("Authorization", "Bearer tw_another")],
        [("X-API-Key", key), ("X-API-Key", "tw_other")],
        [("Authorization", f"Bearer {key}"), ("Authorization", "Bearer tw_other")],
    ):
        refused = await house.client.get(path, headers=headers)
        assert (refused.status_code, refused.json()["error"]["code"]) == (401, "KEY_INVALID")


@pytest.mark.parametrize("length", ["-1", "abc", "1e3", "9" * 5_000, "٣"])
async def test_a_length_that_is_none_is_refused(length: str) -> None:
    status, _, _ = await through(never, headers=[(b"content-length", length.encode())])
    assert status == 413


async def test_each_request_has_a_name_of_its_own(house: House) -> None:
    mine = {"X-Request-ID": "req-mine"}
    names = [(await house.client.get(p, headers=mine)).headers["x-request-id"] for p in ADDRESSES]
    assert len(set(names)) == len(ADDRESSES)
    assert "req-mine" not in names


Inner = Callable[[Scope, Receive, Send], Any]


async def never(_: Scope, __: Receive, ___: Send) -> None:
    raise AssertionError("the guard let it pass")


async def through(
    inner: Inner, *, kind: str = "http", headers: list[tuple[bytes, bytes]] | None = None
) -> tuple[int | None, bytes, list[Message]]:
    """Status, body and messages of one bare request through a guard before `inner`."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    given = [(b"host", b"here"), *(headers or [])]
    scope = {"type": kind, "method": "GET", "path": "/x", "headers": given}
    await Guard(inner, hosts=["here"], origins=[])(scope, receive, send)
    status = next((m["status"] for m in sent if m["type"] == "http.response.start"), None)
    return status, b"".join(m.get("body", b"") for m in sent), sent


@pytest.mark.requirement("004:response.jsonrpc.error")
async def test_a_fault_of_ours_is_a_clean_500_and_the_next_request_is_answered(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = await house.key()

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("tw_secret")

    with monkeypatch.context() as patch:
        patch.setattr("toolweave.catalog.knowledge.Knowledge.types_and_notes", broken)
        outside = await house.invoke("get_node_types", {}, key)
        inside = await house.client.post(
            "/api/v1/mcp/invoke/internal",
            json={"name": "get_node_types"},
            headers=house.service_token(),
        )
    assert (outside.status_code, inside.status_code) == (500, 500)
    assert outside.json()["error"]["code"] == -32603
    assert inside.json()["error"]["code"] == "INTERNAL"
    assert inside.json()["request_id"] == inside.headers["x-request-id"]
    assert "tw_secret" not in outside.text + inside.text
    faults = [line for line in house.log_lines() if line["message"] == "request failed"]
    by_id = {line["request_id"]: line for line in faults}
    for answer in (outside, inside):
        line = by_id[answer.headers["x-request-id"]]
        assert (line["error"], line["level"], line["tool"]) == (
            "ZeroDivisionError",
            "error",
            "get_node_types",
        )
        assert any("broken" in place for place in line["at"])
    assert "tw_secret" not in house.logged.getvalue()
    assert (await house.invoke("get_node_types", {}, key)).status_code == 200


async def test_a_fault_before_any_answer_is_answered_by_the_guard() -> None:
    async def broken(_: Scope, __: Receive, ___: Send) -> None:
        raise ZeroDivisionError

    status, body, _ = await through(broken)
    assert status == 500
    assert b"INTERNAL" in body


async def test_a_fault_after_the_head_sends_no_second_head() -> None:
    async def broken(_: Scope, __: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ZeroDivisionError

    status, body, sent = await through(broken)
    assert (status, body, len(sent)) == (200, b"", 1)


async def test_no_websocket_is_opened() -> None:
    _, _, sent = await through(never, kind="websocket")
    assert sent == [{"type": "websocket.close", "code": 1008}]
