"""The warm connections of a process: one per server, of the right definition, and no other."""

from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import psutil
import pytest

from servers.rooms import a_studio, approved, eventually
from toolweave.app.studio import Studio
from toolweave.errors import Denied, NotFound, Unavailable
from toolweave.servers.connections import STAGGER_S, Connections
from toolweave.servers.definition import CommandServer, Server
from toolweave.servers.registry import Registry
from toolweave.storage.database import Database, Row, Value
from toolweave.tasks import background
from toolweave.testing.clock import FakeClock
from toolweave.testing.server import ScriptedServer, a_tool

pytestmark = pytest.mark.anyio

NAME = "server"


@pytest.fixture
async def studio(tmp_path: Path, clock: FakeClock) -> AsyncGenerator[Studio]:
    async with a_studio(tmp_path / "home", clock=clock, keeps_trying=True) as opened:
        yield opened


async def replaced(studio: Studio, other: ScriptedServer) -> Server:
    """The server of this name removed, another one registered and approved in its place."""
    await studio.home.registry.remove(NAME)
    return await approved(studio, NAME, other.definition)


async def test_all_who_use_a_server_share_one_connection(studio: Studio, tmp_path: Path) -> None:
    scripted = ScriptedServer(tmp_path / "server")
    server = await approved(studio, NAME, scripted.definition)
    used: list[object] = []

    async def use() -> None:
        used.append((await studio.connections.use(server)).connection)

    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(use)
    assert len(set(map(id, used))) == 1
    assert len(scripted.processes) == 1


async def test_two_who_sign_in_at_once_are_both_connected_anew(
    studio: Studio, tmp_path: Path
) -> None:
    scripted = ScriptedServer(tmp_path / "server")
    server = await approved(studio, NAME, scripted.definition)
    counts: list[int] = []

    async def reconnect() -> None:
        counts.append(len((await studio.connections.reconnect(server)).tools))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(reconnect)
        await eventually(lambda: scripted.processes)  # started, not yet connected
        tasks.start_soon(reconnect)
    assert counts == [1, 1]


@pytest.mark.parametrize("state", ["unapproved", "disabled"])
async def test_what_may_not_run_is_refused_and_not_started(
    studio: Studio, tmp_path: Path, state: str
) -> None:
    scripted = ScriptedServer(tmp_path / "server")
    server = await studio.home.registry.add(NAME, scripted.definition)
    if state == "disabled":
        await studio.home.registry.remove(NAME)
        await approved(studio, NAME, scripted.definition)
        server = await studio.home.registry.disable(NAME)
    with pytest.raises(Denied) as caught:
        await studio.connections.use(server)
    assert caught.value.code == {"unapproved": "SERVER_NOT_APPROVED"}.get(state, "SERVER_DISABLED")
    assert scripted.processes == []


async def test_a_dropped_server_is_ended_and_starts_again_only_after_that(
    studio: Studio, tmp_path: Path
) -> None:
    scripted = ScriptedServer(tmp_path / "server")
    server = await approved(studio, NAME, scripted.definition)
    first = (await studio.connections.use(server)).connection
    studio.connections.drop(NAME)
    studio.connections.drop("unknown")
    second = (await studio.connections.use(server)).connection
    assert second is not first
    old, _new = scripted.processes
    assert not psutil.pid_exists(old)


async def test_another_definition_takes_over_when_the_old_one_is_gone(
    studio: Studio, tmp_path: Path
) -> None:
    old, new = ScriptedServer(tmp_path / "old"), ScriptedServer(tmp_path / "new", a_tool("new"))
    await studio.connections.use(await approved(studio, NAME, old.definition))
    server = await replaced(studio, new)
    assert (await studio.connections.use(server)).tools.keys() == {"new"}
    assert not psutil.pid_exists(old.processes[0])


async def test_a_stale_view_of_a_server_does_not_bring_the_old_definition_back(
    studio: Studio, tmp_path: Path
) -> None:
    old, new = ScriptedServer(tmp_path / "old"), ScriptedServer(tmp_path / "new", a_tool("new"))
    stale = await approved(studio, NAME, old.definition)
    server = await replaced(studio, new)
    await studio.connections.use(server)
    # Approved once, and kept by somebody who did not look since.
    assert (await studio.connections.use(stale)).tools.keys() == {"new"}
    await studio.home.registry.disable(NAME)
    with pytest.raises(Denied):
        await studio.connections.use(stale)
    await studio.home.registry.remove(NAME)
    with pytest.raises(NotFound):
        await studio.connections.use(stale)
    assert old.processes == []


async def test_health_is_that_of_the_very_server_and_not_of_its_namesake(
    studio: Studio, tmp_path: Path
) -> None:
    scripted = ScriptedServer(tmp_path / "server")
    old = await approved(studio, NAME, scripted.definition)
    await studio.connections.use(old)
    assert studio.connections.health(old).state == "connected"
    new = await replaced(studio, scripted)
    assert studio.connections.health(new).state == "disconnected"


async def test_following_connects_what_is_enabled_and_leaves_what_is_removed(
    studio: Studio, tmp_path: Path, clock: FakeClock
) -> None:
    names = ("one", "two")
    scripted = {name: ScriptedServer(tmp_path / name) for name in names}
    servers = {name: await approved(studio, name, scripted[name].definition) for name in names}
    async with background() as tasks:
        tasks.start_soon(studio.connections.follow)
        # One after the other.
        await clock.until_asleep(STAGGER_S)
        assert studio.connections.health(servers["two"]).state == "disconnected"
        await clock.advance(STAGGER_S)
        for server in servers.values():
            await eventually(
                lambda server=server: studio.connections.health(server).state == "connected"
            )
        await studio.home.registry.remove("one")
        await clock.advance(1)
        await eventually(lambda: not psutil.pid_exists(scripted["one"].processes[0]))
        assert studio.connections.health(servers["two"]).state == "connected"


class TiredDatabase(Database):
    """A real database that cannot be read for a while."""

    def __init__(self, real: Database) -> None:
        self.real = real
        self.is_tired = True

    async def rows(self, sql: str, *values: Value) -> list[Row]:
        if self.is_tired:
            raise Unavailable("STORAGE_UNREACHABLE", "the database does not answer")
        return await self.real.rows(sql, *values)

    async def execute(self, sql: str, *values: Value) -> int:
        return await self.real.execute(sql, *values)


async def test_following_outlives_a_database_that_does_not_answer(
    studio: Studio, tmp_path: Path, clock: FakeClock
) -> None:
    scripted = ScriptedServer(tmp_path / "server")
    server = await approved(studio, NAME, scripted.definition)
    database = TiredDatabase(studio.home.database)
    connections = Connections(
        Registry(database, clock),
        studio.transports,
        studio.home.pings,
        clock=clock,
        settings=studio.home.settings,
        keeps_trying=True,
    )
    async with connections.running(), background() as tasks:
        tasks.start_soon(connections.follow)
        for _ in range(2):
            with anyio.fail_after(60):
                await clock.until_asleep(1)
            await clock.advance(1)
        assert scripted.processes == []
        database.is_tired = False
        with anyio.fail_after(60):
            await clock.until_asleep(1)
        await clock.advance(1)
        await eventually(lambda: connections.health(server).state == "connected")


async def test_leaving_ends_every_server(tmp_path: Path) -> None:
    scripted = [ScriptedServer(tmp_path / f"server {number}") for number in range(3)]
    async with a_studio(tmp_path / "home") as studio:
        for number, one in enumerate(scripted):
            await studio.connections.use(await approved(studio, f"s{number}", one.definition))
    pids = [one.processes[0] for one in scripted]
    await eventually(lambda: not any(psutil.pid_exists(pid) for pid in pids))


async def test_a_server_that_cannot_start_hinders_no_other(tmp_path: Path) -> None:
    scripted = ScriptedServer(tmp_path / "server")
    async with a_studio(tmp_path / "home") as studio:
        bad = await approved(studio, "bad", CommandServer(command="no-such-program-anywhere"))
        good = await approved(studio, "good", scripted.definition)
        with pytest.raises(Unavailable) as caught:
            await studio.connections.use(bad)
        assert caught.value.code == "SERVER_COMMAND_NOT_FOUND"
        assert "echo" in (await studio.connections.use(good)).tools

        async def is_told() -> bool:
            listed = await studio.home.registry.list()
            told = [(server.name, bool(server.last_failure)) for server in listed]
            return told == [("bad", True), ("good", False)]

        await eventually(is_told)
