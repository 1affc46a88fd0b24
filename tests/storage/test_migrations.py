"""The shape of the database is brought up to date once, by any process, or left alone."""

import sys
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from tests.storage.disks import read_only

from toolweave.errors import Conflict, Unavailable
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import Migration, migrate, shipped

pytestmark = pytest.mark.anyio

ONE = Migration(1, "one", "CREATE TABLE one (id {identity}, body {blob});\n")
TWO = Migration(2, "two", "CREATE TABLE two (n {integer});\nCREATE INDEX two_n ON two (n);\n")
BAD = Migration(2, "bad", "CREATE TABLE two (n {integer});\nCREATE NONSENSE;\n")


async def versions(database: Database) -> list[int]:
    found = await database.rows("SELECT version FROM schema_version ORDER BY version")
    return [version for (version,) in found]


async def test_an_empty_database_gets_every_table_once(address: str) -> None:
    async with open_database(address) as database:
        assert await migrate(database) == len(shipped())
        assert await migrate(database) == 0
        for table in ("servers", "calls", "secrets", "notices", "health"):
            assert await database.row(f"SELECT count(*) FROM {table}") == (0,)


def test_shipped_migrations_are_numbered_from_one_without_gaps() -> None:
    assert [step.version for step in shipped()] == list(range(1, len(shipped()) + 1))


async def test_identities_count_up_and_defaults_are_filled_in(address: str) -> None:
    async with open_database(address) as database:
        await migrate(database)
        for kind in ("disabled", "enabled"):
            await database.execute(
                "INSERT INTO notices (at, kind, subject, message) VALUES (?, ?, ?, ?)",
                "2025-11-16T10:30:00.000Z", kind, "aws", "told",
            )  # fmt: skip
        found = await database.rows("SELECT id, kind FROM notices ORDER BY id")
        assert found == [(1, "disabled"), (2, "enabled")]
        await database.execute(
            "INSERT INTO servers (id, name, definition, scope, created_at) VALUES (?, ?, ?, ?, ?)",
            "1", "aws", "{}", "user", "2025-11-16T10:30:00.000Z",
        )  # fmt: skip
        assert await database.row("SELECT enabled, failure_count FROM servers") == (0, 0)


async def test_only_what_is_missing_is_applied(address: str) -> None:
    async with open_database(address) as database:
        assert await migrate(database, (ONE,)) == 1
        assert await migrate(database, (ONE, TWO)) == 1
        assert await versions(database) == [1, 2]


async def test_a_step_that_fails_leaves_no_trace(address: str) -> None:
    async with open_database(address) as database:
        await migrate(database, (ONE,))
        with pytest.raises(Exception, match="NONSENSE"):
            await migrate(database, (ONE, BAD))
        assert await versions(database) == [1]
        assert not await database.row(database.dialect.find_table, "two")
        assert await migrate(database, (ONE, TWO)) == 1


async def test_a_database_of_a_newer_version_is_refused(address: str) -> None:
    async with open_database(address) as database:
        await migrate(database, (ONE, TWO))
        with pytest.raises(Conflict) as caught:
            await migrate(database, (ONE,))
    assert caught.value.code == "STORAGE_NEWER"
    assert caught.value.facts == {"database": 2, "program": 1}


async def test_a_migration_edited_after_it_was_applied_is_refused(address: str) -> None:
    async with open_database(address) as database:
        await migrate(database, (ONE,))
        with pytest.raises(Conflict) as caught:
            await migrate(database, (replace(ONE, sql=ONE.sql + "-- edited\n"), TWO))
    assert caught.value.code == "STORAGE_MIGRATION_CHANGED"


async def test_processes_that_start_together_apply_each_step_once(address: str) -> None:
    code = (
        "import anyio, sys\n"
        "from toolweave.storage.database import open_database\n"
        "from toolweave.storage.migrations import migrate\n"
        "async def main():\n"
        "    async with open_database(sys.argv[1]) as database:\n"
        "        sys.stdout.write(str(await migrate(database)))\n"
        "anyio.run(main)\n"
    )
    applied: list[int] = []

    async def start() -> None:
        result = await anyio.run_process([sys.executable, "-c", code, address])
        applied.append(int(result.stdout))

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for _ in range(4):
                group.start_soon(start)
    assert sorted(applied) == [0, 0, 0, len(shipped())]


async def test_a_read_only_database_is_used_when_it_is_up_to_date_only(tmp_path: Path) -> None:
    file = tmp_path / "home" / "toolweave.db"
    async with open_database(file) as database:
        await migrate(database, (ONE,))
    with read_only(file.parent):
        async with open_database(file) as database:
            assert await migrate(database, (ONE,)) == 0
            with pytest.raises(Unavailable) as caught:
                await migrate(database, (ONE, TWO))
    assert caught.value.code == "STORAGE_READ_ONLY"
