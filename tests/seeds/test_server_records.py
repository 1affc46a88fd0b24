"""Servers, from registration to the failures that disable them, by commands and over REST."""

import json
import os
import shutil
import signal
from collections.abc import AsyncGenerator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread
from tests.cli.conftest import tw
from tests.cli.driving import Commands
from tests.cli.test_server_health import Flaky, flaky, record
from tests.seeds.asking import ask

from rest.house import House, house_in
from rest.test_server_health import until
from toolweave.clock import timestamp
from toolweave.servers.definition import definition_hash
from toolweave.testing.server import ScriptedServer

__all__ = ["flaky", "tw"]

pytestmark = pytest.mark.anyio


@pytest.mark.requirement(
    "002:MCPServerConfig.id",
    "002:MCPServerConfig.name",
    "002:MCPServerConfig.name-unique",
    "002:MCPServerConfig.transport",
    "002:MCPServerConfig.deploymentType",
    "002:MCPServerConfig.sseConfig.url",
    "002:MCPServerConfig.sse-requires-url",
    "002:MCPServerConfig.transition.created",
)
def test_servers_of_every_kind_are_registered_disabled(tw: Commands) -> None:
    tw.ok("servers", "add", "news-feed", "https://news.test/sse", "--sse")
    tw.ok("servers", "add", "clock", "--", "uvx", "mcp-server-time")
    tw.ok("servers", "add", "tick", "--image", "mcp/time:2")
    tw.ok("servers", "add", "web", "https://web.test/mcp")
    listed = {one["name"]: one for one in tw.ok("servers", "list", "--json").json}
    assert {
        name: (one["displayName"], one["transport"], one["deploymentType"])
        for name, one in listed.items()
    } == {
        "news-feed": ("News Feed", "sse", "external"),
        "clock": ("Clock", "stdio", "managed"),
        "tick": ("Tick", "stdio", "managed"),
        "web": ("Web", "http", "external"),
    }
    assert listed["news-feed"]["command"] == "https://news.test/sse"
    assert len({one["id"] for one in listed.values()}) == 4
    for one in listed.values():
        assert (one["enabled"], one["failureCount"], one["autoDisabled"]) == (False, 0, False)
    taken = tw("servers", "add", "clock", "https://clock.test/mcp")
    assert (taken.code, "[SERVER_NAME_TAKEN]" in taken.err) == (1, True)
    assert tw("servers", "add", "other", "--sse").code == 2
    assert "[SERVER_URL_INVALID]" in tw("servers", "add", "other", "file:///x", "--sse").err


def imported(tw: Commands, **entry: Any) -> tuple[int, set[str]]:
    """Import a server of the document plugin; the places of its problems."""
    (tw.project / "data.json").write_text(json.dumps({"mcpServers": [entry]}), encoding="utf-8")
    ran = tw("servers", "add", "--from", "data.json", "--json")
    if ran.code == 0:
        return 0, set()
    return ran.code, {one["pointer"] for one in ran.json["error"]["problems"]}


@pytest.mark.requirement("002:MCPServerConfig.name-unique")
async def test_a_list_with_a_name_that_is_taken_adds_nothing(tw: Commands, house: House) -> None:
    def plugin(*names: str) -> str:
        entry = {"transport": "sse", "sseConfig": {"url": "https://far.test/sse"}}
        return json.dumps({"mcpServers": [{"name": name, **entry} for name in names]})

    async def added(*names: str) -> str:
        body = {"definition": plugin(*names)}
        key = await house.key("servers:admin")
        answer = await house.client.post("/api/v1/servers", json=body, headers=key)
        return answer.text

    assert '"one"' in await added("one")
    for names in (("two", "two"), ("two", "one")):
        assert "SERVER_NAME_TAKEN" in await added(*names)
    assert [one.name for one in await house.home.registry.list()] == ["one"]
    (tw.project / "data.json").write_text(plugin("two", "two"), encoding="utf-8")
    ran = await to_thread.run_sync(lambda: tw("servers", "add", "--from", "data.json"))
    assert (ran.code, "SERVER_NAME_TAKEN" in ran.err) == (1, True)


@pytest.mark.requirement(
    "002:MCPServerConfig.stdio-requires-managed", "002:MCPServerConfig.sse-requires-url"
)
def test_a_transport_needs_what_belongs_to_it(tw: Commands) -> None:
    docker = {"image": "mcp/git:1", "containerName": "git"}
    sse = {"url": "https://far.test/sse"}
    at = "/mcpServers/0"
    wrong = {"name": "a", "transport": "stdio", "deploymentType": "external"}
    assert imported(tw, **wrong, dockerConfig=docker) == (1, {f"{at}/deploymentType"})
    assert imported(tw, **wrong | {"deploymentType": "managed"}) == (1, {f"{at}/dockerConfig"})
    assert imported(tw, **wrong | {"deploymentType": "cloud"}) == (1, {f"{at}/deploymentType"})
    far = {"name": "a", "transport": "sse", "deploymentType": "external"}
    assert imported(tw, **far) == (1, {f"{at}/sseConfig"})
    assert imported(tw, **far, sseConfig={"url": "far.test"})[0] == 1
    assert imported(tw, **far | {"transport": "pipe"}, sseConfig=sse) == (1, {f"{at}/transport"})
    assert tw.ok("servers", "list", "--json").json == []
    assert imported(tw, **wrong | {"deploymentType": "managed"}, dockerConfig=docker) == (0, set())
    assert imported(tw, **far | {"name": "b"}, sseConfig=sse) == (0, set())


@pytest.mark.requirement(
    "002:MCPServerConfig.enabled",
    "002:MCPServerConfig.lastConnectedAt",
    "002:MCPServerConfig.autoDisabled",
    "002:MCPServerConfig.transition.connected",
    "002:MCPServerConfig.transition.failed",
    "002:MCPServerConfig.transition.re-enabled",
    "002:ServerHealthStatus.autoDisabledAt",
    "002:ServerHealthStatus.consecutiveFailures",
    "002:ServerHealthStatus.lastPingAt",
    "002:ToolInvocationRequest.serverId",
)
def test_a_server_is_switched_by_people_and_by_its_failures(tw: Commands, flaky: Flaky) -> None:
    tw.ok("servers", "disable", "mine")
    refused = tw("call", "mine", "echo", "--json")
    assert (record(tw)["enabled"], refused.json["error"]["code"]) == (False, "SERVER_DISABLED")
    [checked] = tw("servers", "check", "mine", "--json").json
    assert (checked["state"], checked["code"]) == ("disabled", "SERVER_DISABLED")
    tw.ok("servers", "enable", "mine")
    connected = record(tw)
    assert (connected["enabled"], connected["autoDisabled"]) == (True, False)
    assert str(connected["lastConnectedAt"]) >= str(connected["lastPingAt"]) > "2026"
    flaky.fail(100)
    for count in (1, 2, 3):
        assert tw("servers", "check", "mine").code == 1
        found = record(tw)
        assert (found["failureCount"], found["autoDisabled"]) == (count, count == 3)
        assert found["lastPingAt"] == connected["lastPingAt"]
    assert (found["enabled"], str(found["autoDisabledAt"]) > str(found["lastPingAt"])) == (
        False,
        True,
    )
    flaky.fail(0)
    tw.ok("servers", "enable", "mine")
    again = record(tw)
    assert (again["enabled"], again["autoDisabled"], again["autoDisabledAt"]) == (True, False, None)
    assert (again["failureCount"], again["state"]) == (0, "ready")
    assert str(again["lastConnectedAt"]) > str(connected["lastConnectedAt"])


@pytest.fixture
async def house(tmp_path: Path) -> AsyncGenerator[House]:
    async with house_in(tmp_path / "home") as opened:
        yield opened


async def approved(house: House, name: str, server: ScriptedServer) -> str:
    added = await house.home.registry.add(name, server.definition)
    body = {"hash": definition_hash(server.definition)}
    await ask(house, "POST", f"servers/{added.id}/approve", **body)
    return added.id


async def shown(house: House, id: str) -> dict[str, Any]:
    return (await ask(house, "GET", f"servers/{id}"))["server"]


@pytest.mark.requirement(
    "002:health.every-30s",
    "002:ServerHealthStatus.serverId",
    "002:ServerHealthStatus.lastPingAt",
    "002:ServerHealthStatus.pingLatency",
    "002:ServerHealthStatus.transition.connected",
    "002:ServerHealthStatus.transition.ping-success",
)
async def test_a_connected_server_is_checked_every_thirty_seconds(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    due, waiting = anyio.Event(), anyio.Event()
    sleep = house.clock.sleep

    async def held(seconds: float) -> None:
        if 25 <= seconds <= 30:
            waiting.set()
            await due.wait()
            house.clock.seconds += seconds
        else:
            await sleep(seconds)

    monkeypatch.setattr(house.clock, "sleep", held)
    one = await approved(house, "one", ScriptedServer(tmp_path / "one"))
    with anyio.fail_after(60):
        await waiting.wait()
        first = await shown(house, one)
        assert (first["connectionStatus"], first["failureCount"]) == ("connected", 0)
        assert first["latencyMs"] >= 0
    due.set()

    async def is_later() -> bool:
        return (await shown(house, one))["lastPingAt"] > first["lastPingAt"]

    await until(is_later)
    checks = (await ask(house, "GET", f"servers/{one}/health"))["checks"]
    assert [check["ok"] for check in checks[:2]] == [True, True]
    other = await house.home.registry.add("other", ScriptedServer(tmp_path / "two").definition)
    assert (await shown(house, other.id))["lastPingAt"] is None


@pytest.mark.requirement(
    "002:ServerHealthStatus.retryState.backoffIntervals",
    "002:ServerHealthStatus.transition.connect-attempt",
    "002:ServerHealthStatus.transition.retry-scheduled",
    "002:ServerHealthStatus.consecutiveFailures",
    "002:health.failure-counts",
    "002:MCPServerConfig.transition.failed",
)
async def test_a_server_that_is_lost_is_tried_again_after_1_5_and_15_seconds(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = {wait: anyio.Event() for wait in (1.0, 5.0, 15.0)}
    sleep = house.clock.sleep

    async def held(seconds: float) -> None:
        await (turns[seconds].wait() if seconds in turns else sleep(seconds))

    server = ScriptedServer(tmp_path / "s")
    id = await approved(house, "box", server)
    await ask(house, "POST", f"servers/{id}/check")
    assert (await shown(house, id))["state"] == "ready"
    monkeypatch.setattr(house.clock, "sleep", held)
    pid = server.processes[-1]
    # Its next starts fail, and the running process ends.
    shutil.rmtree(tmp_path / "s")
    os.kill(pid, signal.SIGKILL)

    async def retrying(count: int) -> dict[str, Any] | None:
        found = await shown(house, id)
        # The failure is stored a moment after the state is shown.
        is_counted = found["failureCount"] == count
        return found if is_counted and found["retryState"]["currentAttempt"] == count else None

    for count, (wait, turn) in enumerate(turns.items(), 1):
        found = await until(partial(retrying, count))
        assert found["retryState"] == {
            "isRetrying": True,
            "currentAttempt": count,
            "nextRetryAt": timestamp(house.clock.now() + timedelta(seconds=wait)),
            "backoffIntervals": [1000, 5000, 15000],
        }
        assert (found["enabled"], found["state"]) == (True, "failing")
        assert found["failureCount"] == count
        turn.set()

    async def is_disabled() -> bool:
        return (await shown(house, id))["autoDisabled"]

    await until(is_disabled)
    last = await shown(house, id)
    assert (last["enabled"], last["autoDisabledAt"]) == (False, timestamp(house.clock.now()))
