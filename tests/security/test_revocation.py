"""What a revoked key still gets: nothing; requests under way end, and runs go on by their rules."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import anyio
import orjson
import pytest
from tests.security.controls import Control

from rest.drawn import pausing
from rest.house import House, house_in
from rest.test_front_door import Listener, mcp_stream
from rest.test_triggers import hooked
from toolweave.mcp_server import list_changes
from toolweave.serve import mcp_endpoint

pytestmark = pytest.mark.anyio

MODERN = "2026-07-28"
SCOPES = ["tools:read", "workflows:read", "workflows:run"]


@pytest.fixture(scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[House]:
    home = tmp_path_factory.mktemp("house") / "home"
    async with house_in(home, rate_per_s=1e6, burst=10**6) as opened:
        yield opened


def modern(house: House, key: str, method: str, **params: Any) -> Listener:
    """One request of the sessionless protocol."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    named = {"mcp_name": str(params["name"])} if "name" in params else {}
    return Listener(
        *(house, "/mcp", key, orjson.dumps(body)),
        accept="application/json, text/event-stream",
        content_type="application/json",
        mcp_protocol_version=MODERN,
        mcp_method=method,
        **named,
    )


def listening(house: House, key: str) -> Listener:
    return modern(house, key, "subscriptions/listen", notifications={"toolsListChanged": True})


async def publish_pause(house: House, name: str = "pause") -> None:
    key = await house.key()
    for path, body in (
        (f"workflows/{name}", {"document": pausing(name)}),
        (f"published/{name}", {"description": "Waits.", "ifLeft": "cancel"}),
    ):
        answer = await house.client.put(f"/api/v1/{path}", json=body, headers=key)
        assert answer.status_code in (200, 201), answer.text


async def test_a_subscription_ends_with_its_key_and_that_of_another_goes_on(
    house: House, control: Control
) -> None:
    revoked, text = await house.keys.create("first", ["tools:read"])
    _, other = await house.keys.create("second", ["tools:read"])
    mine, theirs = listening(house, text), listening(house, other)
    async with anyio.create_task_group() as tasks:
        for one in (mine, theirs):
            tasks.start_soon(one.run)
        with anyio.fail_after(60):
            await mine.started.wait()
            await theirs.started.wait()
            control("both are open", (mine.status, theirs.status) == (200, 200))
            await house.keys.revoke(revoked.id)
            house.clock.seconds += 2  # longer than a check of a key is cached
            await mine.ended.wait()
        assert mine.ended.is_set()
        control("another key hears on", not theirs.ended.is_set())
        theirs.gone.set()


async def older(house: House, key: str, tool: str) -> Listener:
    """A call in a session of the older protocol, which handles it in a task of its own."""
    opened = await mcp_stream(house, key)
    session = opened.header("mcp-session-id")
    params = {"name": tool, "arguments": {"who": "Ada"}}
    body = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
    return Listener(
        *(house, "/mcp", key, orjson.dumps(body)),
        accept="application/json, text/event-stream",
        content_type="application/json",
        mcp_session_id=session,
    )


async def newer(house: House, key: str, tool: str) -> Listener:
    return modern(house, key, "tools/call", name=tool, arguments={"who": "Ada"})


@pytest.mark.parametrize("call_in", [older, newer])
async def test_a_call_ends_with_its_key_and_its_run_as_if_the_caller_had_left(
    house: House, control: Control, call_in: Callable[[House, str, str], Awaitable[Listener]]
) -> None:
    tool = f"pause_{call_in.__name__}"
    await publish_pause(house, tool)
    reader = await house.key("workflows:read")
    path = f"/api/v1/runs?workflow={tool}"

    async def statuses() -> list[str]:
        found = (await house.client.get(path, headers=reader)).json()["runs"]
        return [one["status"] for one in found]

    async def until(wanted: list[str]) -> None:
        while True:
            if await statuses() == wanted:
                return
            await anyio.sleep(0.02)

    revoked, text = await house.keys.create("caller", SCOPES)
    call = await call_in(house, text, tool)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call.run)
        with anyio.fail_after(60):
            await until(["waiting"])
            control("the call is under way", not call.ended.is_set())
            await house.keys.revoke(revoked.id)
            house.clock.seconds += 2
            await call.ended.wait()
            await until(["cancelled"])
    assert call.status in (200, 401)  # a stream that ends, or no answer at all
    again = await newer(house, text, tool)
    await again.run()
    assert again.status == 401
    assert await statuses() == ["cancelled"]  # nothing was started


async def test_a_request_that_waits_ends_with_its_key_and_that_of_another_goes_on(
    house: House, control: Control
) -> None:
    scopes = ["workflows:read", "workflows:write"]
    revoked, text = await house.keys.create("first", scopes)
    _, other = await house.keys.create("second", scopes)
    path, question = "/api/v1/triggers/listen", {"document": hooked("waited"), "node": "hook"}
    begun = await house.client.post(path, json=question, headers={"X-API-Key": text})
    body = orjson.dumps({**question, "listener": begun.json()["listener"]})
    mine, theirs = (
        Listener(house, path, key, body, content_type="application/json") for key in (text, other)
    )
    async with anyio.create_task_group() as tasks:
        for one in (mine, theirs):
            tasks.start_soon(one.run)
        with anyio.fail_after(60):
            await anyio.wait_all_tasks_blocked()
            control("both wait", not mine.ended.is_set() and not theirs.ended.is_set())
            await house.keys.revoke(revoked.id)
            house.clock.seconds += 2
            await mine.ended.wait()
            assert (mine.status, b"KEY_INVALID" in mine.received) == (401, True)
            control("another key waits on", not theirs.ended.is_set())
            await house.client.post("/hooks/waited", json={"order": 7})
            await theirs.ended.wait()
    control("and gets its event", (theirs.status, b'"order":7' in theirs.received) == (200, True))


async def test_one_key_cannot_take_all_sessions_and_subscriptions(
    house: House, control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_endpoint, "MAX_SESSIONS_PER_KEY", 1)
    monkeypatch.setattr(list_changes, "MAX_STREAMS_PER_KEY", 1)
    _, text = await house.keys.create("first", ["tools:read"])
    _, other = await house.keys.create("second", ["tools:read"])
    await mcp_stream(house, text)
    with pytest.raises(AssertionError, match="STREAMS_LIMITED"):
        await mcp_stream(house, text)
    control("another key opens one", await mcp_stream(house, other))
    first, second, theirs = (listening(house, key) for key in (text, text, other))
    async with anyio.create_task_group() as tasks:
        with anyio.fail_after(60):
            tasks.start_soon(first.run)
            await first.started.wait()
            await second.run()  # refused, so it ends by itself
            tasks.start_soon(theirs.run)
            await theirs.started.wait()
        control("another key subscribes", not theirs.ended.is_set())
        for one in (first, theirs):
            one.gone.set()


async def test_a_limited_key_hears_no_more_of_a_run_whose_tool_is_unpublished(
    house: House, control: Control
) -> None:
    await publish_pause(house, "rest")
    key = await house.key()
    body = {"workflow": "rest", "inputs": {"who": "Ada"}}
    run = (await house.client.post("/api/v1/runs", json=body, headers=key)).json()["id"]
    path = f"/api/v1/runs/{run}/events"
    _, text = await house.keys.create("limited", SCOPES, ["rest"])
    mine, theirs = Listener(house, path, text), Listener(house, path, key["X-API-Key"])

    async def until_waiting() -> None:
        while True:
            if b"step_waiting" in mine.received:
                return
            await anyio.sleep(0.02)

    async with anyio.create_task_group() as tasks:
        for one in (mine, theirs):
            tasks.start_soon(one.run)
        with anyio.fail_after(60):
            await until_waiting()
            await house.client.delete("/api/v1/published/rest", headers=key)
            await house.client.post(f"/api/v1/runs/{run}/cancel", headers=key)
            await mine.ended.wait()
            await theirs.ended.wait()
    control("a key without a limit hears the end", b"event: finished" in theirs.received)
    assert b"event: finished" not in mine.received
    assert b"cancel" not in mine.received
