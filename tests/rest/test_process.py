"""`toolweave serve` as it really runs: its own process, its own log, real sockets."""

import signal
import socket
import subprocess
from collections.abc import Generator
from pathlib import Path

import anyio
import httpx2
import orjson
import pytest

from rest.process import PROGRAM, Served, environ_of, key_in, served
from toolweave.access.keys import FRESH_S

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    with served(tmp_path_factory.mktemp("serve") / "home") as running:
        yield running


async def test_a_key_revoked_by_the_command_is_refused_within_a_second(server: Served) -> None:
    text = key_in(server.home, "tools:read", name="soon")
    async with httpx2.AsyncClient(base_url=server.url, headers={"X-API-Key": text}) as client:
        assert (await client.get("/api/v1/mcp/tools")).status_code == 200
        revoke = [*PROGRAM, "keys", "revoke", "soon"]
        await anyio.run_process(revoke, env=environ_of(server.home), stdin=subprocess.DEVNULL)
        await anyio.sleep(FRESH_S)
        assert (await client.get("/api/v1/mcp/tools")).status_code == 401


@pytest.mark.requirement("004:access.rate-limit")
async def test_a_thousand_requests_at_once_are_answered_or_told_to_wait(server: Served) -> None:
    text = key_in(server.home, "tools:execute")
    statuses: list[int] = []
    body = {"name": "get_node_types"}

    async def hurry(client: httpx2.AsyncClient) -> None:
        for _ in range(25):
            answer = await client.post("/api/v1/mcp/invoke", json=body)
            statuses.append(answer.status_code)
            if answer.status_code == 429:
                assert int(answer.headers["retry-after"]) >= 1

    with anyio.fail_after(60):
        async with (
            httpx2.AsyncClient(base_url=server.url, headers={"X-API-Key": text}) as client,
            anyio.create_task_group() as tasks,
        ):
            for _ in range(40):
                tasks.start_soon(hurry, client)
    assert set(statuses) == {200, 429}
    assert len(statuses) == 1_000
    assert statuses.count(200) >= 200
    assert httpx2.get(server.url + "/health").status_code == 200


def test_the_log_is_json_after_the_first_words_and_holds_no_key(server: Served) -> None:
    httpx2.get(server.url + "/api/v1/mcp/tools", headers=server.headers)
    said = server.log.read_text(encoding="utf-8")
    lines = [line for line in said.splitlines() if line.startswith('{"')]
    assert lines
    assert all(orjson.loads(line)["logger"].startswith("toolweave.") for line in lines)
    assert server.key not in said
    studio = (server.home / "studio.key").read_text(encoding="ascii").strip()
    assert studio.startswith("tw_")
    assert studio not in said  # standard error is no terminal here
    assert "its key is in the file studio.key" in said


@pytest.mark.parametrize(
    "request_text",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET /api/v1/mcp/tools HTTP/1.0\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: {host}\r\n\r\n",
        b"GET /%00%ff HTTP/1.1\r\nHost: {host}\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\nHost: {host}\r\nX-API-Key: \xff\xfe\r\n\r\n",
        b"NONSENSE\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /nope HTTP/1.1\r\nHost: {host}\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
    ],
)
def test_bytes_that_are_no_good_request_get_a_4xx_or_nothing(
    server: Served, request_text: bytes
) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as wire:
        wire.sendall(request_text.replace(b"{host}", f"{host}:{port}".encode()))
        wire.shutdown(socket.SHUT_WR)
        try:
            head = wire.recv(4096)
        except ConnectionResetError:
            head = b""
    assert head == b"" or head.startswith(b"HTTP/1.1 4")
    assert httpx2.get(server.url + "/health").status_code == 200


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
async def test_it_stops_when_told_though_a_stream_is_open(
    tmp_path: Path, stop: signal.Signals
) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
    accept = {"Accept": "application/json, text/event-stream"}
    with served(tmp_path / "home") as server:
        async with httpx2.AsyncClient(
            base_url=server.url, headers=server.headers, timeout=60
        ) as client:
            opened = await client.post("/mcp", json=hello, headers=accept)
            session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
            async with client.stream("GET", "/mcp", headers=accept | session) as stream:
                assert stream.status_code == 200
                server.process.send_signal(stop)
                with anyio.fail_after(60):
                    code = await anyio.to_thread.run_sync(server.process.wait)
    assert code == 0
