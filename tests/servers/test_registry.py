"""The registry: what is kept of a server, through all its states, on both databases."""

import re
from datetime import timedelta

import anyio
import pytest

from toolweave.clock import SystemClock
from toolweave.errors import Conflict, Invalid, NotFound
from toolweave.servers.definition import (
    CommandServer,
    ContainerServer,
    Definition,
    HttpServer,
    Server,
    SseServer,
    definition_hash,
)
from toolweave.servers.registry import FRESH_S, MAX_FAILURES, Registry
from toolweave.storage.database import Database, Row, Value, open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.clock import FakeClock

pytestmark = pytest.mark.anyio

COMMAND = CommandServer(command="npx", args=("-y", "some-server"), env={"TOKEN": "${vault:T}"})
KINDS: list[Definition] = [
    COMMAND,
    ContainerServer(
        image="mcp/time", container_name="time", command=("serve",), ports={"80": 8080}
    ),
    HttpServer(url="https://example.com/mcp", headers={"X-Key": "${KEY}"}),
    SseServer(url="https://example.com/sse"),
]


@pytest.fixture
def registry(either_database: Database, clock: FakeClock) -> Registry:
    return Registry(either_database, clock)


async def approved(registry: Registry, name: str = "tools") -> Server:
    await registry.add(name, COMMAND)
    return await registry.approve(name, definition_hash(COMMAND))


async def test_a_new_server_is_disabled_unapproved_and_without_failures(
    registry: Registry, clock: FakeClock
) -> None:
    server = await registry.add("tools", COMMAND, scope="project", found_in="Cursor")
    assert server == await registry.get("tools")
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", server.id)
    assert (server.enabled, server.failure_count, server.auto_disabled) == (False, 0, False)
    assert (server.is_approved, server.last_connected_at) == (False, None)
    assert (server.scope, server.found_in, server.created_at) == ("project", "Cursor", clock.now())


@pytest.mark.parametrize("definition", KINDS, ids=lambda one: one.kind)
async def test_a_definition_comes_back_as_it_was_after_a_restart(
    either_address: str, definition: Definition
) -> None:
    async with open_database(either_address) as database:
        await migrate(database)
        await Registry(database, SystemClock()).add("tools", definition)
    async with open_database(either_address) as database:
        (server,) = await Registry(database, SystemClock()).list()
    assert server.definition == definition


async def test_a_name_is_given_once(registry: Registry) -> None:
    await registry.add("tools", COMMAND)
    with pytest.raises(Conflict) as caught:
        await registry.add("tools", KINDS[2])
    assert caught.value.code == "SERVER_NAME_TAKEN"
    assert [server.definition for server in await registry.list()] == [COMMAND]


async def test_of_two_that_add_one_name_at_once_one_is_refused(registry: Registry) -> None:
    refused: list[str] = []

    async def add() -> None:
        try:
            await registry.add("tools", COMMAND)
        except Conflict as error:
            refused.append(error.code)

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(add)
    assert refused == ["SERVER_NAME_TAKEN"] * 3
    assert len(await registry.list()) == 1


async def test_a_name_that_could_not_be_shown_is_refused(registry: Registry) -> None:
    for name in ("", " a", "a ", "x" * 129, "a\nb", "a\x1b[31m", "\ud800", "a\u202eb"):
        with pytest.raises(Invalid) as caught:
            await registry.add(name, COMMAND)
        assert caught.value.code == "SERVER_NAME_INVALID"
    assert await registry.list() == ()


async def test_an_unknown_server_is_named_and_a_close_one_suggested(registry: Registry) -> None:
    await registry.add("weather", COMMAND)
    with pytest.raises(NotFound) as caught:
        await registry.get("wether")
    assert caught.value.code == "MCP_SERVER_NOT_FOUND"
    assert "'wether'" in caught.value.message
    assert caught.value.hint == "did you mean 'weather'?"
    with pytest.raises(NotFound) as caught:
        await registry.enable("something else")
    assert "discover" in (caught.value.hint or "")


async def test_a_person_turns_a_server_on_and_off(registry: Registry) -> None:
    await approved(registry)
    assert (await registry.disable("tools")).enabled is False
    assert (await registry.enable("tools")).enabled is True


async def test_approving_binds_to_what_was_shown_and_enables(registry: Registry) -> None:
    server = await approved(registry)
    assert (server.is_approved, server.enabled) == (True, True)
    with pytest.raises(Conflict) as caught:
        await registry.approve("tools", definition_hash(KINDS[1]))
    assert caught.value.code == "SERVER_CHANGED"


async def test_a_definition_changed_behind_our_back_is_unapproved_again(
    registry: Registry, either_database: Database, clock: FakeClock
) -> None:
    await approved(registry)
    other = COMMAND.model_copy(update={"args": ("-y", "evil-server")})
    await either_database.execute(
        "UPDATE servers SET definition = ? WHERE name = ?", other.model_dump_json(), "tools"
    )
    await clock.advance(FRESH_S)
    server = await registry.get("tools")
    assert server.definition == other
    assert not server.is_approved
    assert server.approved_hash == definition_hash(COMMAND)


async def test_failures_in_a_row_are_counted_until_a_success(
    registry: Registry, clock: FakeClock
) -> None:
    server = await approved(registry)
    counts = [
        (await registry.note_failure(server, f"no. {n}", will_retry=True)).failure_count
        for n in range(5)
    ]
    assert counts == [1, 2, MAX_FAILURES, MAX_FAILURES, MAX_FAILURES]
    assert (await registry.get("tools")).last_failure == "no. 4"
    await clock.advance(60)
    server = await registry.note_connected(server)
    assert (server.failure_count, server.last_failure) == (0, None)
    assert server.last_connected_at == clock.now()


async def test_auto_disabling_marks_the_server_and_leaves_a_notice(
    registry: Registry, clock: FakeClock
) -> None:
    server = await approved(registry)
    for _ in range(MAX_FAILURES - 1):
        server = await registry.note_failure(server, "it broke")
        assert (server.enabled, server.auto_disabled) == (True, False)
    server = await registry.note_failure(server, "it broke", will_retry=True)
    assert (server.enabled, server.auto_disabled) == (True, False)
    server = await registry.note_failure(server, "it broke")
    assert (server.enabled, server.auto_disabled) == (False, True)
    (notice,) = await registry.notices()
    assert (notice.kind, notice.subject) == ("server_auto_disabled", "tools")
    assert notice.at == "2026-01-01T00:00:00.000Z"
    assert "'tools' failed 3 times in a row and is disabled: it broke" in notice.message


@pytest.mark.parametrize("by", ["enable", "approve"])
async def test_enabling_again_clears_mark_and_count(registry: Registry, by: str) -> None:
    server = await approved(registry)
    await registry.note_failure(server, "it broke", threshold=1)
    if by == "enable":
        server = await registry.enable("tools")
    else:
        server = await registry.approve("tools", definition_hash(COMMAND))
    assert (server.enabled, server.auto_disabled, server.failure_count) == (True, False, 0)


async def test_newest_notices_come_first_and_no_more_than_asked_for(registry: Registry) -> None:
    for name in ("a", "b", "c"):
        await registry.note_failure(await approved(registry, name), "it broke", threshold=1)
    assert [notice.subject for notice in await registry.notices(2)] == ["c", "b"]


async def test_a_reason_no_column_can_hold_is_kept_in_part(registry: Registry) -> None:
    server = await approved(registry)
    server = await registry.note_failure(server, "zero \0 byte, \ud800 half, \x1b[2J" + "x" * 600)
    assert server.last_failure is not None
    assert server.last_failure.startswith("zero \ufffd byte, \ufffd half, \ufffd[2J")
    assert len(server.last_failure) == 500
    assert server.failure_count == 1


async def test_a_removed_server_is_gone_with_its_pings(
    registry: Registry, either_database: Database
) -> None:
    server = await registry.add("tools", COMMAND)
    await either_database.execute(
        "INSERT INTO health (server_id, at, ok) VALUES (?, ?, ?)", server.id, "2026", 1
    )
    await registry.remove("tools")
    assert await registry.list() == ()
    assert await either_database.rows("SELECT * FROM health") == []


async def test_what_happened_to_a_removed_server_is_not_noted_on_its_successor(
    registry: Registry,
) -> None:
    old = await approved(registry)
    await registry.remove("tools")
    new = await approved(registry)
    for note in (
        registry.note_failure(old, "the old one broke"),
        registry.note_connected(old),
        registry.note_failure(old, "the old one broke", threshold=1),
    ):
        with pytest.raises(NotFound):
            await note
    assert await registry.get("tools") == new
    assert await registry.notices() == []


async def test_another_process_is_noticed_within_a_second(
    registry: Registry, either_database: Database, clock: FakeClock
) -> None:
    await approved(registry)
    other = Registry(either_database, clock)
    assert (await other.get("tools")).enabled
    await registry.disable("tools")
    assert (await other.get("tools")).enabled  # from its copy
    await clock.advance(FRESH_S)
    assert not (await other.get("tools")).enabled


class HeldDatabase(Database):
    """A real database whose first read comes back late."""

    def __init__(self, real: Database) -> None:
        self.real = real
        self.has_read = anyio.Event()
        self.may_return = anyio.Event()

    async def rows(self, sql: str, *values: Value) -> list[Row]:
        found = await self.real.rows(sql, *values)
        if not self.has_read.is_set():
            self.has_read.set()
            await self.may_return.wait()
        return found

    async def execute(self, sql: str, *values: Value) -> int:
        return await self.real.execute(sql, *values)


async def test_a_read_that_a_write_overtook_is_not_kept(
    registry: Registry, either_database: Database, clock: FakeClock
) -> None:
    await approved(registry)
    held = HeldDatabase(either_database)
    registry = Registry(held, clock)
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(registry.list)
            await held.has_read.wait()
            await registry.disable("tools")
            held.may_return.set()
    assert (await registry.get("tools")).enabled is False


async def test_servers_come_sorted_by_name_with_their_age(
    registry: Registry, clock: FakeClock
) -> None:
    for name in ("b", "a", "c"):
        await registry.add(name, COMMAND)
        await clock.advance(1)
    servers = await registry.list()
    assert [server.name for server in servers] == ["a", "b", "c"]
    assert servers[1].created_at + timedelta(seconds=1) == servers[0].created_at


async def test_a_record_of_a_later_version_is_left_out_and_can_be_removed(
    either_database: Database, registry: Registry
) -> None:
    await approved(registry, "good")
    await approved(registry, "later")
    later = '{"kind": "satellite", "orbit": 3}'
    await either_database.execute("UPDATE servers SET definition = ? WHERE name = 'later'", later)
    assert [server.name for server in await registry.list()] == ["good"]
    assert registry.unreadable == ("later",)
    with pytest.raises(Invalid) as refused:
        await registry.get("later")
    assert refused.value.code == "SERVER_UNREADABLE"
    await registry.remove("later")
    assert [server.name for server in await registry.list()] == ["good"]
    assert registry.unreadable == ()
