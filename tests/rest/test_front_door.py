"""The front door: other sites, revoked keys, streams, slow bodies, unknown names, old files."""

import os
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from starlette.types import Message

from rest.drawn import pausing
from rest.house import BASE, House, house_in
from toolweave.rest import auth, guard
from toolweave.storage import files

pytestmark = pytest.mark.anyio

HOOKED: dict[str, Any] = {
    "toolweave": 1,
    "name": "hooked",
    "nodes": [
        {
            "id": "hook",
            "type": "TRIGGER",
            "data": {
                "subtype": "WEBHOOK",
                "configurations": {
                    "webhook_path": "/orders",
                    "allowed_methods": ["GET", "POST"],
                    "authentication": "none",
                },
            },
        },
    ],
    "edges": [],
}


async def test_a_page_of_another_site_cannot_start_a_get_hook(house: House) -> None:
    key = await house.key()
    saved = await house.client.put(
        "/api/v1/workflows/hooked", json={"document": HOOKED}, headers=key
    )
    assert saved.status_code == 201, saved.text
    enabled = await house.client.post("/api/v1/triggers/hooked/enable", json={}, headers=key)
    assert enabled.status_code == 200, enabled.text
    with anyio.fail_after(60):
        while True:
            if (await house.client.get("/hooks/orders")).status_code != 404:
                break
            await anyio.sleep(0.02)
    for site in ("cross-site", "same-site"):
        refused = await house.client.get("/hooks/orders", headers={"Sec-Fetch-Site": site})
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "ORIGIN_DENIED")
    for headers in ({}, {"Sec-Fetch-Site": "none"}, {"Sec-Fetch-Site": "same-origin"}):
        started = await house.client.get("/hooks/orders", headers=headers)
        assert started.status_code == 202, started.text


async def waiting_run(house: House) -> str:
    answer = await house.client.post(
        "/api/v1/runs",
        json={"document": pausing(), "inputs": {"who": "Ada"}},
        headers=await house.key(),
    )
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]


class Listener:
    """One request whose events arrive while it is open; the in-process client waits for the end."""

    def __init__(
        self, house: House, path: str, key: str, body: bytes | None = None, **headers: str
    ) -> None:
        more = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
        self._app = house.app
        self._body = body or b""
        self.received = b""
        self._scope: dict[str, Any] = {
            "type": "http",
            "method": "GET" if body is None else "POST",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(b"host", b"127.0.0.1:8765"), (b"x-api-key", key.encode()), *more],
            "client": ("127.0.0.1", 50_000),
            "server": ("127.0.0.1", 8765),
            "scheme": "http",
            "http_version": "1.1",
        }
        self.started, self.ended, self.gone = anyio.Event(), anyio.Event(), anyio.Event()
        self.status = 0
        self._has_asked = False

    def header(self, name: str) -> str:
        """A header of the request."""
        return dict(self._scope["headers"])[name.encode()].decode()

    async def run(self) -> None:
        await self._app(self._scope, self._receive, self._send)
        self.ended.set()

    async def _receive(self) -> Message:
        if not self._has_asked:
            self._has_asked = True
            return {"type": "http.request", "body": self._body, "more_body": False}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        self.received += message.get("body", b"")
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.started.set()


@pytest.mark.parametrize("path", ["/api/v1/runs/{run}/events", "/api/v1/events"])
async def test_the_streams_of_a_revoked_key_end_and_those_of_others_go_on(
    house: House, path: str
) -> None:
    path = path.format(run=await waiting_run(house))
    revoked, text = await house.keys.create("first", ["workflows:read"])
    _, other = await house.keys.create("second", ["workflows:read"])
    mine, theirs = Listener(house, path, text), Listener(house, path, other)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(mine.run)
        tasks.start_soon(theirs.run)
        with anyio.fail_after(60):
            await mine.started.wait()
            await theirs.started.wait()
            await house.keys.revoke(revoked.id)
            house.clock.seconds += 2  # longer than a check of a key is cached
            await mine.ended.wait()
        assert not theirs.ended.is_set()  # the positive control
        theirs.gone.set()


async def test_a_key_has_a_limited_number_of_streams(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auth, "MAX_STREAMS_PER_KEY", 2)
    path = f"/api/v1/runs/{await waiting_run(house)}/events"
    _, text = await house.keys.create("first", ["workflows:read"])
    _, other = await house.keys.create("second", ["workflows:read"])
    listeners = [Listener(house, path, text) for _ in range(2)]
    async with anyio.create_task_group() as tasks:
        for listener in listeners:
            tasks.start_soon(listener.run)
        with anyio.fail_after(60):
            for listener in listeners:
                await listener.started.wait()
            refused = await house.client.get(path, headers={"X-API-Key": text})
            assert (refused.status_code, refused.json()["error"]["code"]) == (
                429,
                "STREAMS_LIMITED",
            )
            allowed = Listener(house, path, other)
            tasks.start_soon(allowed.run)
            await allowed.started.wait()
            monkeypatch.setattr(auth, "MAX_STREAMS", 3)  # as many as are open, of all keys
            _, third = await house.keys.create("third", ["workflows:read"])
            full = await house.client.get(path, headers={"X-API-Key": third})
            assert (full.status_code, full.json()["error"]["code"]) == (429, "STREAMS_LIMITED")
        for listener in (*listeners, allowed):
            listener.gone.set()
    again = Listener(house, path, text)  # what ended is not counted any more
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(again.run)
        with anyio.fail_after(60):
            await again.started.wait()
        again.gone.set()


async def mcp_stream(house: House, key: str) -> Listener:
    """The standing stream of a new MCP session."""
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    accept = "application/json, text/event-stream"
    headers = {"X-API-Key": key, "Accept": accept}
    opened = await house.client.post("/mcp", json=hello, headers=headers)
    assert opened.status_code == 200, opened.text
    session = opened.headers["mcp-session-id"]
    return Listener(house, "/mcp", key, accept=accept, mcp_session_id=session)


async def test_mcp_streams_are_counted_and_end_with_their_key(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auth, "MAX_STREAMS_PER_KEY", 1)
    revoked, text = await house.keys.create("first", ["tools:read"])
    _, other = await house.keys.create("second", ["tools:read"])
    mine, more = await mcp_stream(house, text), await mcp_stream(house, text)
    theirs = await mcp_stream(house, other)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(mine.run)
        with anyio.fail_after(60):
            await mine.started.wait()
            await more.run()
            tasks.start_soon(theirs.run)
            await theirs.started.wait()
            assert (mine.status, more.status, theirs.status) == (200, 429, 200)
            await house.keys.revoke(revoked.id)
            house.clock.seconds += 2  # longer than a check of a key is cached
            await mine.ended.wait()
        assert not theirs.ended.is_set()  # the positive control
        theirs.gone.set()


async def test_a_body_that_does_not_arrive_is_given_up(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow() -> AsyncGenerator[bytes]:
        yield b'{"name": '
        await anyio.sleep_forever()

    async def quick() -> AsyncGenerator[bytes]:
        yield b'{"name": '
        yield b'"get_node_types"}'

    headers = {**await house.key(), "Content-Type": "application/json"}
    path = "/api/v1/mcp/invoke"
    allowed = await house.client.post(path, content=quick(), headers=headers)
    assert allowed.status_code == 200, allowed.text
    monkeypatch.setattr(guard, "MAX_BODY_S", 0.05)
    with anyio.fail_after(60):
        refused = await house.client.post(path, content=slow(), headers=headers)
    assert refused.status_code == 408, refused.text


async def test_unknown_channels_share_one_rate_limit(tmp_path: Path) -> None:
    async with house_in(tmp_path / "home", rate_per_s=0.001, burst=3) as house:
        answers = [
            await house.client.post(f"/hooks/people/unknown-{number}", json={})
            for number in range(4)
        ]
        assert [answer.status_code for answer in answers] == [404, 404, 404, 429]
        known = await house.client.post("/hooks/people/slack", json={})
        assert known.status_code == 403, known.text  # the positive control: counted by itself


async def test_a_path_with_a_nul_is_not_found(house: House) -> None:
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(house.app, client=("127.0.0.1", 50_000)), base_url=BASE
    ) as client:
        assert (await client.get("/assets/%00")).status_code == 404
        assert (await client.get("/health")).status_code == 200


def test_temporary_files_of_a_killed_process_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, own = tmp_path / ".abc123.tmp", tmp_path / "mine.tmp"
    for path in (left, own):
        path.write_text("x", encoding="utf-8")
    files.sweep_temporary(tmp_path)
    assert left.exists()  # young: perhaps being written
    monkeypatch.setattr(files, "LEFT_AFTER_S", -1.0)
    files.sweep_temporary(tmp_path)
    assert (left.exists(), own.exists()) == (False, True)


@pytest.mark.parametrize("write", [files.write_private, files.replace_private])
def test_a_private_file_is_there_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path, str], None]
) -> None:
    path, sync, seen = tmp_path / "key", os.fsync, list[bool]()

    def noted(descriptor: int) -> None:
        sync(descriptor)
        seen.append(path.exists())

    monkeypatch.setattr(os, "fsync", noted)
    write(path, "text")
    assert seen == [False, True]  # not before its content is on the disk
    assert path.read_text(encoding="utf-8") == "text"
    assert path.stat().st_mode & 0o077 == 0
    assert [one.name for one in tmp_path.iterdir()] == ["key"]
    if write is files.write_private:
        with pytest.raises(FileExistsError):
            write(path, "other")
        assert path.read_text(encoding="utf-8") == "text"
        assert [one.name for one in tmp_path.iterdir()] == ["key"]
