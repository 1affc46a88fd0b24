"""One warm connection: kept up, checked, brought back, given up. Real processes, a moved clock."""

import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import psutil
import pytest

from hostile.catalogue import GOOD_HTTP, http_server
from servers.rooms import a_studio, approved, eventually
from toolweave.app.studio import Studio
from toolweave.errors import Denied, TimedOut, ToolweaveError, Unavailable
from toolweave.servers.definition import CommandServer, Definition, HttpServer, Server
from toolweave.servers.health import Health, RetryState
from toolweave.servers.supervisor import LOOK_PAUSE_S
from toolweave.tasks import background
from toolweave.testing.clock import FakeClock
from toolweave.testing.server import ScriptedServer, a_tool, exits, never, warns
from toolweave.tools.tool import ToolCall

pytestmark = pytest.mark.anyio

NAME = "server"
BROKEN = CommandServer(command="false")
HELLO_ONLY = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "server/discover":
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601,
            "message": "?"}}), flush=True)
    if asked["method"] == "initialize":
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {
            "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "x", "version": "1"}}}), flush=True)
"""


@asynccontextmanager
async def followed(
    home: Path, clock: FakeClock, definition: Definition, **more: Any
) -> AsyncGenerator[tuple[Studio, Server]]:
    """A studio that keeps its servers up, with one server approved."""
    async with a_studio(home, clock=clock, keeps_trying=True, **more) as studio:
        server = await approved(studio, NAME, definition)
        async with background() as tasks:
            tasks.start_soon(studio.connections.follow)
            yield studio, server


async def refreshed(studio: Studio) -> Server:
    return {server.name: server for server in await studio.home.registry.list()}[NAME]


def health(studio: Studio, server: Server) -> Health:
    return studio.connections.health(server)


async def test_a_server_goes_from_disconnected_over_connecting_to_connected(
    tmp_path: Path,
) -> None:
    scripted = ScriptedServer(tmp_path / "server", a_tool("a"), a_tool("b"))
    async with a_studio(tmp_path) as studio:
        server = await approved(studio, NAME, scripted.definition)
        assert health(studio, server) == Health()
        async with background() as tasks:
            tasks.start_soon(studio.connections.use, server)
            await eventually(lambda: health(studio, server).state == "connecting")
            await eventually(lambda: health(studio, server).state == "connected")
        found = health(studio, server)
        assert (found.consecutive_failures, found.tool_count, found.retry) == (0, 2, RetryState())
        assert found.latency_ms is not None
        assert found.latency_ms > 0
        assert found.last_ping_at is not None
        assert found.protocol_version == "2025-06-18"
        await eventually(lambda: _has_connected(studio))
        last = await studio.home.pings.last(server.id)
        assert (last.state, last.tool_count) == ("connected", 2)
    # Another start knows nothing before it has asked.
    async with a_studio(tmp_path) as studio:
        assert health(studio, await refreshed(studio)).state == "disconnected"


async def _has_connected(studio: Studio) -> bool:
    server = await refreshed(studio)
    return server.last_connected_at is not None and server.failure_count == 0


async def test_watching_begins_with_every_enabled_server_and_enabling_one_connects_it(
    tmp_path: Path, clock: FakeClock
) -> None:
    scripted = ScriptedServer(tmp_path / "server")
    async with followed(tmp_path, clock, scripted.definition) as (studio, server):
        await eventually(lambda: health(studio, server).state == "connected")
        await studio.home.registry.disable(NAME)
        await clock.advance(1)
        await eventually(lambda: health(studio, server).state == "disconnected")
        (first,) = scripted.processes
        await eventually(lambda: not psutil.pid_exists(first))
        await studio.home.registry.enable(NAME)
        await clock.until_asleep(1)
        await clock.advance(1)
        await eventually(lambda: health(studio, server).state == "connected")
    assert len(scripted.processes) == 2


async def test_an_unapproved_server_is_not_started_however_enabled(
    tmp_path: Path, clock: FakeClock
) -> None:
    scripted = ScriptedServer(tmp_path / "server")
    other = ScriptedServer(tmp_path / "other")
    async with followed(tmp_path, clock, scripted.definition) as (studio, server):
        await studio.home.registry.add("other", other.definition)
        await studio.home.registry.enable("other")
        await eventually(lambda: health(studio, server).state == "connected")
        for _ in range(3):
            await clock.advance(1)
    assert other.processes == []


async def test_a_connected_server_is_checked_every_thirty_seconds(
    tmp_path: Path, clock: FakeClock
) -> None:
    scripted = ScriptedServer(tmp_path / "server")
    async with a_studio(tmp_path, clock=clock) as studio:
        server = await approved(studio, NAME, scripted.definition)
        await studio.connections.use(server)
        for number in range(1, 4):
            with anyio.fail_after(60):
                await clock.until_asleep(30)
            assert len(scripted.heard("ping")) == number
            assert health(studio, server).last_ping_at == clock.now()
            await clock.advance(29)
            assert len(scripted.heard("ping")) == number
            await clock.advance(1)


async def test_the_tools_found_by_a_check_are_those_in_use(
    tmp_path: Path, clock: FakeClock
) -> None:
    scripted = ScriptedServer(tmp_path / "server")
    async with a_studio(tmp_path, clock=clock) as studio:
        server = await approved(studio, NAME, scripted.definition)
        await studio.connections.use(server)
        scripted.change(tools=[a_tool("other")])
        with anyio.fail_after(60):
            await clock.until_asleep(30)
            await clock.advance(30)
            await clock.until_asleep(30)
        assert (await studio.connections.use(server)).tools.keys() == {"other"}


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_tools_are_listed_again_when_the_server_says_so_but_at_most_once_a_second(
    tmp_path: Path, clock: FakeClock, era: str
) -> None:
    scripted = ScriptedServer(tmp_path / "server")
    scripted.change(era=era)
    async with a_studio(tmp_path, clock=clock) as studio:
        server = await approved(studio, NAME, scripted.definition)
        connection = (await studio.connections.use(server)).connection
        if era == "modern":
            await eventually(lambda: scripted.heard("subscriptions/listen"))
        with anyio.fail_after(60):
            await clock.until_asleep(30)
        before = len(scripted.heard("tools/list"))
        scripted.change(tools=[a_tool("new")])
        scripted.announce()
        with anyio.fail_after(60):
            await clock.until_asleep(LOOK_PAUSE_S)
        assert (await studio.connections.use(server)).tools.keys() == {"new"}
        # Said during the pause: not lost, and not listed before the pause is over.
        scripted.change(tools=[a_tool("newer")])
        scripted.announce()
        with anyio.fail_after(60):
            await connection.needs_check.wait()
        assert len(scripted.heard("tools/list")) == before + 1
        await clock.advance(LOOK_PAUSE_S)
        await eventually(lambda: len(scripted.heard("tools/list")) == before + 2)
        with anyio.fail_after(60):
            await clock.until_asleep(LOOK_PAUSE_S)
        assert (await studio.connections.use(server)).tools.keys() == {"newer"}


async def test_after_tries_at_1_5_and_15_seconds_a_server_is_disabled_and_the_person_told(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with followed(tmp_path, clock, BROKEN) as (studio, server):
        for attempt, wait_s in enumerate((1, 5, 15), start=1):
            await eventually(lambda attempt=attempt: _retries(studio, server) == attempt)
            found = health(studio, server)
            assert found.state == "error"
            assert found.consecutive_failures == attempt
            assert found.retry == RetryState(True, attempt, clock.now() + timedelta(seconds=wait_s))
            assert (await refreshed(studio)).failure_count == attempt
            with pytest.raises(Unavailable):
                await studio.connections.use(server)  # at once, with the reason
            await clock.advance(wait_s)
        await eventually(lambda: health(studio, server).auto_disabled_at)
        disabled_at = clock.now()
        await eventually(lambda: _is_auto_disabled(studio))
        found = health(studio, server)
        assert (found.state, found.consecutive_failures) == ("error", 3)
        assert found.auto_disabled_at == disabled_at
        assert not found.retry.is_retrying
        (notice,) = await studio.home.registry.notices()
        assert (notice.kind, notice.subject) == ("server_auto_disabled", NAME)
        assert "closed the connection" in notice.message
        # It stays known, and nothing is tried any more.
        for _ in range(3):
            await clock.advance(60)
        assert health(studio, server).auto_disabled_at == disabled_at
        with pytest.raises(Denied) as caught:
            await studio.connections.use(await refreshed(studio))
        assert caught.value.code == "SERVER_DISABLED"
        assert "after failures" in caught.value.message


def _retries(studio: Studio, server: Server) -> int:
    retry = health(studio, server).retry
    return retry.attempt if retry.is_retrying else 0


async def _is_auto_disabled(studio: Studio) -> bool:
    return (await refreshed(studio)).auto_disabled


async def test_a_server_enabled_again_is_tried_again_with_all_its_tries(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with followed(tmp_path, clock, BROKEN, waits_s=(1.0,)) as (studio, server):
        await eventually(lambda: _retries(studio, server) == 1)
        await clock.advance(1)
        await eventually(lambda: _is_auto_disabled(studio))
        again = await studio.home.registry.enable(NAME)
        assert (again.failure_count, again.auto_disabled) == (0, False)
        await clock.advance(1)
        await eventually(lambda: _retries(studio, server) == 1)
        assert health(studio, server).consecutive_failures == 1
        assert health(studio, server).auto_disabled_at is None


async def test_a_lost_server_comes_back_and_its_failures_are_forgotten(
    tmp_path: Path, clock: FakeClock
) -> None:
    scripted = ScriptedServer(tmp_path / "server")
    async with followed(tmp_path, clock, scripted.definition) as (studio, server):
        await eventually(lambda: health(studio, server).state == "connected")
        os.kill(scripted.processes[0], signal.SIGKILL)
        await eventually(lambda: _retries(studio, server) == 1)
        found = health(studio, server)
        assert (found.state, found.consecutive_failures) == ("error", 1)
        assert found.last_ping_at is not None
        await clock.advance(1)
        await eventually(lambda: health(studio, server).state == "connected")
        assert health(studio, server).consecutive_failures == 0
        await eventually(lambda: _has_connected(studio))
    assert len(scripted.processes) == 2


async def test_without_keeping_on_trying_the_next_use_connects_again(tmp_path: Path) -> None:
    scripted = ScriptedServer(tmp_path / "server")
    async with a_studio(tmp_path) as studio:
        server = await approved(studio, NAME, scripted.definition)
        for number in range(1, 4):
            connection = (await studio.connections.use(server)).connection
            assert len(scripted.processes) == number
            os.kill(scripted.processes[-1], signal.SIGKILL)
            await eventually(connection.faults.ended.is_set)


async def test_everybody_who_waits_for_a_connection_gets_the_reason_it_failed(
    tmp_path: Path,
) -> None:
    async with a_studio(tmp_path) as studio:
        server = await approved(studio, NAME, BROKEN)
        errors: list[ToolweaveError] = []

        async def use() -> None:
            try:
                await studio.connections.use(server)
            except ToolweaveError as error:
                errors.append(error)

        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                for _ in range(3):
                    tasks.start_soon(use)
        assert [error.code for error in errors] == ["MCP_SERVER_DISCONNECTED"] * 3
        # One error for all would hold on to everybody who raised it.
        assert len({id(error) for error in errors}) == 3


async def test_an_old_server_that_dies_of_the_new_greeting_is_greeted_the_old_way(
    tmp_path: Path, clock: FakeClock
) -> None:
    scripted = ScriptedServer(tmp_path / "server", era="dies")
    async with followed(tmp_path, clock, scripted.definition) as (studio, server):
        await eventually(lambda: health(studio, server).state == "connected")
        assert (await refreshed(studio)).failure_count == 0
        assert len(scripted.processes) == 2
        # What works is remembered: one start the next time.
        os.kill(scripted.processes[-1], signal.SIGKILL)
        await eventually(lambda: _retries(studio, server) == 1)
        await clock.advance(1)
        await eventually(lambda: health(studio, server).state == "connected")
        assert len(scripted.processes) == 3
        # And forgotten when it does not: the server was renewed.
        scripted.change(era="modern")
        os.kill(scripted.processes[-1], signal.SIGKILL)
        await eventually(lambda: _retries(studio, server) == 1)
        await clock.advance(1)
        await eventually(lambda: _retries(studio, server) == 2)
        await clock.advance(5)
        await eventually(lambda: health(studio, server).state == "connected")
        assert health(studio, server).protocol_version == "2026-07-28"


async def test_a_program_that_fails_before_it_reads_a_message_is_started_once(
    tmp_path: Path,
) -> None:
    starts = tmp_path / "starts"
    code = f"open({str(starts)!r}, 'a').write('x'); raise SystemExit(3)"
    definition = CommandServer(command=sys.executable, args=("-I", "-S", "-c", code))
    async with a_studio(tmp_path / "home") as studio:
        await approved(studio, "bad", definition)
        with pytest.raises(Unavailable) as refused:
            await studio.gate.tools("bad")
        assert "exit code 3" in refused.value.message
        assert starts.read_text() == "x"
        # The control: one that reads the message and dies of it gets the older handshake.
        scripted = ScriptedServer(tmp_path / "server", era="dies")
        await approved(studio, "old", scripted.definition)
        assert len(await studio.gate.tools("old")) == 1
        assert len(scripted.processes) == 2


async def test_a_failed_start_does_not_settle_the_era(tmp_path: Path, clock: FakeClock) -> None:
    scripted = ScriptedServer(tmp_path / "server", era="modern")
    # Dies at first whatever it is told, as a server whose database is down.
    scripted.change(era="dies", refuses=["initialize"])
    async with followed(tmp_path, clock, scripted.definition) as (studio, server):
        await eventually(lambda: _retries(studio, server) == 1)
        scripted.change(era="modern")
        await clock.advance(1)
        await eventually(lambda: health(studio, server).state == "connected")
        assert health(studio, server).protocol_version == "2026-07-28"


async def test_a_server_that_hangs_in_a_check_is_brought_back(
    tmp_path: Path, clock: FakeClock
) -> None:
    scripted = ScriptedServer(tmp_path / "server")
    async with followed(tmp_path, clock, scripted.definition, connect_deadline_s=0.5) as (
        studio,
        server,
    ):
        await eventually(lambda: health(studio, server).state == "connected")
        os.kill(scripted.processes[0], signal.SIGSTOP)
        with anyio.fail_after(60):
            await clock.until_asleep(30)
        await clock.advance(30)
        await eventually(lambda: _retries(studio, server) == 1)
        assert "did not answer a health check in 0.5 s" in (health(studio, server).reason or "")
        await clock.advance(1)
        await eventually(lambda: health(studio, server).state == "connected")


async def test_a_server_that_lists_no_tools_in_time_is_not_connected(tmp_path: Path) -> None:
    async with a_studio(tmp_path, connect_deadline_s=0.5) as studio:
        definition = CommandServer(command=sys.executable, args=("-I", "-S", "-c", HELLO_ONLY))
        server = await approved(studio, NAME, definition)
        with pytest.raises(TimedOut) as caught:
            await studio.connections.use(server)
    assert caught.value.code == "SERVER_CONNECT_TIMEOUT"


async def test_a_busy_server_that_answers_no_check_is_left_alone(
    tmp_path: Path, clock: FakeClock
) -> None:
    scripted = ScriptedServer(tmp_path / "server")
    scripted.on_call("echo", [never()])
    async with a_studio(tmp_path, clock=clock, connect_deadline_s=1.0) as studio:
        server = await approved(studio, NAME, scripted.definition)
        connection = (await studio.connections.use(server)).connection
        async with background() as tasks:
            tasks.start_soon(lambda: connection.call("echo", {}))
            await eventually(lambda: scripted.heard("tools/call"))
            os.kill(scripted.processes[0], signal.SIGSTOP)
            with anyio.fail_after(60):
                await clock.until_asleep(30)
                await clock.advance(30)
                await clock.until_asleep(30)  # the check is over, and nothing came of it
            assert (await studio.connections.use(server)).connection is connection
            os.kill(scripted.processes[0], signal.SIGCONT)


async def test_stopping_ends_a_server_that_still_connects(tmp_path: Path) -> None:
    async with a_studio(tmp_path) as studio:
        server = await approved(studio, NAME, CommandServer(command="sleep", args=("600",)))
        failed: list[str] = []

        async def use() -> None:
            try:
                await studio.connections.use(server)
            except ToolweaveError as error:
                failed.append(error.code)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(use)
            await eventually(lambda: health(studio, server).state == "connecting")
            await eventually(lambda: _children("sleep"))
            studio.connections.drop(NAME)
            await eventually(lambda: failed)
        assert failed == ["MCP_SERVER_DISCONNECTED"]
        await eventually(lambda: not _children("sleep"))
        assert health(studio, server).state == "disconnected"


def _children(name: str) -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children()
        if child.status() != psutil.STATUS_ZOMBIE and child.name() == name
    ]


async def test_a_removed_server_is_left_at_the_next_occasion(
    tmp_path: Path, clock: FakeClock
) -> None:
    scripted = ScriptedServer(tmp_path / "server")
    async with a_studio(tmp_path, clock=clock, keeps_trying=True) as studio:
        server = await approved(studio, NAME, scripted.definition)
        await studio.connections.use(server)
        await eventually(lambda: _has_connected(studio))
        await studio.home.registry.remove(NAME)
        os.kill(scripted.processes[0], signal.SIGKILL)
        await eventually(lambda: health(studio, server).state == "error")
        await eventually(lambda: clock.sleeping == ())
        await clock.advance(100)
    assert len(scripted.processes) == 1


async def test_secrets_in_last_words_are_masked_wherever_they_are_kept(
    tmp_path: Path, clock: FakeClock
) -> None:
    secret = "tok-0123456789abcdef"
    scripted = ScriptedServer(tmp_path / "server")
    scripted.on_call("echo", [warns(f"bad token {secret}"), exits()])
    definition = scripted.definition.model_copy(update={"env": {"T": "${vault:TOKEN}"}})
    async with a_studio(tmp_path, clock=clock, keeps_trying=True, waits_s=()) as studio:
        await studio.home.vault.put("TOKEN", secret)
        server = await approved(studio, NAME, definition)
        studio.home.lockfile.pin(NAME, await studio.gate.tools(NAME))
        with pytest.raises(Unavailable) as caught:
            await studio.gate.call(ToolCall(NAME, "echo", {}))
        await eventually(lambda: _is_auto_disabled(studio))
        kept = [
            caught.value.message,
            health(studio, server).reason,
            (await refreshed(studio)).last_failure,
            (await studio.home.registry.notices())[0].message,
            (await studio.home.pings.last(server.id)).reason,
            (await studio.gate.history.recent())[0][-1],
        ]
        assert all("bad token ***" in str(text) for text in kept), kept
    database = (tmp_path / "toolweave.db").read_bytes()
    assert secret.encode() not in database


async def test_an_http_server_that_went_away_between_calls_is_noticed_by_the_next_check(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with a_studio(tmp_path, clock=clock, keeps_trying=True) as studio:
        with http_server(GOOD_HTTP) as url:
            server = await approved(studio, NAME, HttpServer(url=url))
            studio.home.lockfile.pin(NAME, await studio.gate.tools(NAME))
            with anyio.fail_after(60):
                await clock.until_asleep(30)
        assert health(studio, server).state == "connected"
        await clock.advance(30)
        await eventually(lambda: _retries(studio, server) == 1)
        assert health(studio, server).state == "error"


async def test_a_call_that_finds_an_http_server_gone_has_it_checked_at_once(
    tmp_path: Path, clock: FakeClock
) -> None:
    async with a_studio(tmp_path, clock=clock, keeps_trying=True) as studio:
        with http_server(GOOD_HTTP) as url:
            server = await approved(studio, NAME, HttpServer(url=url))
            studio.home.lockfile.pin(NAME, await studio.gate.tools(NAME))
        with pytest.raises(Unavailable):
            await studio.gate.call(ToolCall(NAME, "echo", {"text": "hi"}))
        await eventually(lambda: _retries(studio, server) == 1)
