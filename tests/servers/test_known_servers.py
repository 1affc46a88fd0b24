"""What is known of servers without parsing their definitions is what the registry says."""

import pytest

from toolweave.clock import SystemClock
from toolweave.json_text import read, write
from toolweave.servers.definition import (
    CommandServer,
    ContainerServer,
    Definition,
    HttpServer,
    SseServer,
    definition_hash,
)
from toolweave.servers.known_servers import known_servers
from toolweave.servers.registry import Registry
from toolweave.storage.database import Database

pytestmark = pytest.mark.anyio
DEFINITIONS: dict[str, Definition] = {
    "command": CommandServer(command="x", args=("a",), env={"KEY": "secret", "A": "b"}),
    "container": ContainerServer(image="x", ports={"80": 8080}),
    "http": HttpServer(url="https://a.example", headers={"Authorization": "secret"}),
    "sse": SseServer(url="https://b.example"),
}


async def _registered(database: Database, *, approved: bool) -> Registry:
    registry = Registry(database, SystemClock())
    for name, definition in DEFINITIONS.items():
        await registry.add(name, definition)
        if approved:
            await registry.approve(name, definition_hash(definition))
    return registry


@pytest.mark.parametrize("approved", [False, True])
async def test_they_agree_with_the_registry(either_database: Database, approved: bool) -> None:
    registry = await _registered(either_database, approved=approved)
    known = await known_servers(either_database)
    assert [(one.name, one.is_approved, one.enabled, one.url) for one in known] == [
        (one.name, approved, approved, getattr(one.definition, "url", None))
        for one in await registry.list()
    ]


async def test_a_definition_that_changed_is_not_approved(either_database: Database) -> None:
    await _registered(either_database, approved=True)
    (row,) = await either_database.rows("SELECT definition FROM servers WHERE name = 'command'")
    stored = read(row[0])
    assert isinstance(stored, dict)
    await _store(either_database, {**stored, "command": "y"})
    assert not await _is_approved(either_database)
    # A new value of a variable is no other program.
    await _store(either_database, {**stored, "env": {"KEY": "new", "A": "b"}})
    assert await _is_approved(either_database)


async def test_a_field_that_an_earlier_release_did_not_write_has_its_default(
    either_database: Database,
) -> None:
    await _registered(either_database, approved=True)
    earlier = {"kind": "command", "command": "x", "args": ["a"], "env": {"KEY": "", "A": ""}}
    await _store(either_database, earlier)
    assert await _is_approved(either_database)


async def _store(database: Database, definition: object) -> None:
    await database.execute(
        "UPDATE servers SET definition = ? WHERE name = 'command'", write(definition)
    )


async def _is_approved(database: Database) -> bool:
    return {one.name: one.is_approved for one in await known_servers(database)}["command"]
