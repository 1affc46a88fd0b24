"""Server health over REST: connected at start, true states, retries, notices, calls to stop."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from rest.house import ALL_SCOPES, House, house_in
from toolweave.home import Home, open_home
from toolweave.servers.definition import CommandServer, Definition, definition_hash
from toolweave.settings import Settings
from toolweave.testing.server import ScriptedServer, a_tool, never

pytestmark = pytest.mark.anyio

SCOPES = (*ALL_SCOPES, "servers:admin")
BROKEN = CommandServer(command="false")


async def approved(home: Home, name: str, definition: Definition) -> None:
    await home.registry.add(name, definition)
    await home.registry.approve(name, definition_hash(definition))


@pytest.fixture
def scripted(tmp_path: Path) -> ScriptedServer:
    server = ScriptedServer(tmp_path / "s", a_tool("echo"), a_tool("wait"))
    server.on_call("wait", [never()])
    return server


@pytest.fixture
async def house(tmp_path: Path, scripted: ScriptedServer) -> AsyncGenerator[House]:
    """A house whose home already has an enabled server, connected in an earlier session."""
    folder = tmp_path / "home"
    async with open_home(Settings(home=folder), environ={}, directory=tmp_path) as home:
        await approved(home, "good", scripted.definition)
        server = await home.registry.get("good")
        await home.registry.note_connected(server)
        await home.database.execute(
            "INSERT INTO health (server_id, at, ok, latency_ms) VALUES (?, ?, ?, ?)",
            server.id,
            "2026-11-15T00:00:00.000Z",
            1,
            5.0,
        )
    async with house_in(folder) as opened:
        yield opened


async def ask(house: House, method: str, path: str, body: Any = None) -> Any:
    answer = await house.client.request(
        method, f"/api/v1/{path}", json=body, headers=await house.key(*SCOPES)
    )
    return answer.json()


async def record(house: House, name: str) -> dict[str, Any]:
    listed = (await ask(house, "GET", "servers"))["servers"]
    return next(one for one in listed if one["name"] == name)


async def until(check: Callable[[], Awaitable[Any]]) -> Any:
    found: Any = None
    with anyio.fail_after(60):
        while not found:
            found = await check()
    return found


@pytest.mark.requirement(
    "002:health.starts-with-enabled",
    "002:session.health-rebuilt",
    "002:ServerHealthStatus.transition.initial",
    "002:ServerHealthStatus.connectionState",
)
async def test_enabled_servers_are_connected_at_start_and_not_called_so_before(
    house: House, scripted: ScriptedServer
) -> None:
    first = await record(house, "good")
    if not scripted.processes:
        assert first["connectionStatus"] == "disconnected"
        assert first["state"] in ("not tried", "connecting")

    async def is_connected() -> bool:
        return (await record(house, "good"))["connectionStatus"] == "connected"

    await until(is_connected)
    assert (await record(house, "good"))["state"] == "ready"
    assert len(scripted.heard("tools/call")) == 0


@pytest.mark.requirement(
    "002:ServerHealthStatus.retryState.isRetrying",
    "002:ServerHealthStatus.retryState.currentAttempt",
    "002:ServerHealthStatus.retryState.nextRetryAt",
    "002:ServerHealthStatus.transition.max-retries",
)
async def test_retries_are_shown_and_everybody_is_notified_of_a_disabled_server(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = {wait: anyio.Event() for wait in (1.0, 5.0, 15.0)}
    sleep = house.clock.sleep

    async def held(seconds: float) -> None:
        if seconds in turns and seconds != 1.0:
            await turns[seconds].wait()
        else:
            await sleep(seconds)

    monkeypatch.setattr(house.clock, "sleep", held)
    await approved(house.home, "bad", BROKEN)

    async def second_try() -> dict[str, Any] | None:
        found = (await record(house, "bad"))["retryState"]
        return found if found["currentAttempt"] == 2 and found["isRetrying"] else None

    retry = await until(second_try)
    assert retry["nextRetryAt"] == "2026-11-16T00:16:45.000Z"
    assert (await record(house, "bad"))["state"] == "failing"
    before = (await ask(house, "GET", "inbox"))["notices"]
    for turn in turns.values():
        turn.set()

    async def is_disabled() -> bool:
        return (await record(house, "bad"))["autoDisabled"]

    await until(is_disabled)
    found = await record(house, "bad")
    retry = found["retryState"]
    assert (retry["isRetrying"], retry["currentAttempt"], retry["nextRetryAt"]) == (False, 3, None)
    assert (found["enabled"], found["failureCount"]) == (False, 3)
    (notice,) = (await ask(house, "GET", "inbox"))["notices"]
    assert (before, notice["subject"]) == ([], "bad")
    # A key limited to some tools learns nothing about servers.
    _, text = await house.keys.create("limited", ["workflows:read"], ["greet"])
    inbox = await house.client.get("/api/v1/inbox", headers={"X-API-Key": text})
    assert (inbox.status_code, inbox.json()["notices"]) == (200, [])
    lines = [one for one in house.log_lines() if "disabled" in str(one)]
    assert any("bad" in str(one) for one in lines)


@pytest.mark.requirement("002:MCPServerConfig.transition.enabled")
async def test_enabling_connects(house: House, scripted: ScriptedServer) -> None:
    server = await house.home.registry.get("good")
    await ask(house, "POST", f"servers/{server.id}/disable")
    answer = await ask(house, "POST", f"servers/{server.id}/enable")
    assert answer["state"] in ("connecting", "ready", "not tried")

    async def is_connected() -> bool:
        return (await record(house, "good"))["connectionStatus"] == "connected"

    await until(is_connected)


@pytest.mark.requirement(
    "002:ExecutionTracker.stopped",
    "002:ExecutionTracker.activeExecutions",
    "002:ExecutionTracker.totalExecuted",
    "002:ExecutionTracker.canExecute.stopped",
)
async def test_active_calls_are_listed_and_stopped_all_at_once(
    house: House, scripted: ScriptedServer
) -> None:
    server = await house.home.registry.get("good")
    await ask(
        house,
        "POST",
        f"servers/{server.id}/approve",
        {"hash": definition_hash(server.definition)},
    )
    files = house.home.settings.home / "files"
    await anyio.Path(files).mkdir(exist_ok=True)
    await anyio.Path(files / "notes.md").write_text("```good\ntool: wait\n```\n")
    answers: list[Any] = []

    async def wait() -> None:
        answers.append(await ask(house, "POST", "documents/run", {"path": "notes.md"}))

    async def active() -> list[Any]:
        return (await ask(house, "GET", "calls"))["active"]

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        (running,) = await until(active)
        assert (running["server"], running["tool"]) == ("good", "wait")
        stopped = await ask(house, "POST", "calls/stop", {})
        assert stopped == {"ids": [running["id"]], "stopped": True}
    assert "CALL_CANCELLED" in answers[0]["results"][0]["text"]
    listed = await ask(house, "GET", "calls")
    assert (listed["active"], listed["stopped"], listed["total"]) == ([], True, 1)
    assert [one["status"] for one in listed["calls"]] == ["cancelled"]
    refused = await ask(house, "POST", "documents/run", {"path": "notes.md"})
    assert "CALLS_STOPPED" in refused["results"][0]["text"]
    assert await ask(house, "POST", "calls/resume") == {"ids": [], "stopped": False}
    missing = await ask(house, "POST", "calls/stop", {"id": "none"})
    assert missing["error"]["code"] == "CALL_NOT_FOUND"
