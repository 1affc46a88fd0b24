"""Several statements as one transaction, at the price of one, on both databases."""

from collections.abc import AsyncGenerator

import anyio
import pytest
from tests.storage.postgres import Postgres

from toolweave.errors import Conflict, Unavailable
from toolweave.storage.database import Database, Statement, open_database

pytestmark = pytest.mark.anyio


@pytest.fixture
async def database(address: str) -> AsyncGenerator[Database]:
    async with open_database(address) as opened:
        await opened.execute("CREATE TABLE t (n BIGINT PRIMARY KEY, word TEXT)")
        yield opened


async def words(database: Database) -> list[tuple[int, str]]:
    return await database.rows("SELECT n, word FROM t ORDER BY n")


async def test_each_statement_gives_its_rows_in_order(database: Database) -> None:
    found = await database.at_once(
        [
            Statement("INSERT INTO t VALUES (?, ?) RETURNING n", (1, "a")),
            Statement("INSERT INTO t VALUES (?, ?)", many=((2, "b"), (3, "c"))),
            Statement("UPDATE t SET word = ? WHERE n > ? RETURNING n", ("x", 9)),
            Statement("SELECT n, word FROM t ORDER BY n"),
            Statement("DELETE FROM t WHERE n = 1"),
        ]
    )
    assert found == [[(1,)], [], [], [(1, "a"), (2, "b"), (3, "c")], []]
    assert await words(database) == [(2, "b"), (3, "c")]
    assert await database.at_once([]) == []


@pytest.mark.parametrize("is_many", [False, True])
async def test_if_one_fails_none_is_stored_and_the_next_call_works(
    database: Database, is_many: bool
) -> None:
    await database.execute("INSERT INTO t VALUES (1, 'old')")
    insert = "INSERT INTO t VALUES (?, ?)"
    clash = Statement(insert, many=((3, "c"), (1, "d"))) if is_many else Statement(insert, (1, "d"))
    with pytest.raises(Conflict) as refused:
        await database.at_once([Statement(insert, (2, "b")), clash, Statement(insert, (4, "e"))])
    assert refused.value.code == "STORAGE_CONFLICT"
    assert await words(database) == [(1, "old")]
    await database.at_once([Statement(insert, (2, "b"))])
    assert await words(database) == [(1, "old"), (2, "b")]


async def test_whoever_is_cancelled_meanwhile_leaves_all_or_nothing(database: Database) -> None:
    insert = "INSERT INTO t VALUES (?, ?)"
    for number in range(0, 40, 2):
        with anyio.move_on_after(0.0002 * (number % 7)):
            await database.at_once(
                [Statement(insert, (number, "a")), Statement(insert, (number + 1, "b"))]
            )
    found = [number for number, _ in await words(database)]
    assert all((number ^ 1) in found for number in found)
    await database.at_once([Statement(insert, (1000, "after"))])
    assert (1000, "after") in await words(database)


async def test_it_shares_the_turn_with_transactions_of_others(
    database: Database, address: str
) -> None:
    async with open_database(address) as other:

        async def add(one: Database, start: int) -> None:
            for number in range(start, start + 20):
                await one.at_once([Statement("INSERT INTO t VALUES (?, ?)", (number, "x"))])

        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(add, database, 0)
                tasks.start_soon(add, database, 100)
                tasks.start_soon(add, other, 200)
                async with database.transaction() as transaction:
                    await transaction.execute("INSERT INTO t VALUES (999, 'y')")
    assert len(await words(database)) == 61


async def test_a_lost_connection_is_told_and_the_next_call_connects_again(
    postgres: Postgres,
) -> None:
    async with open_database(postgres.new_database()) as database:
        await database.execute("CREATE TABLE t (n BIGINT)")
        with pytest.raises(Unavailable):
            await database.at_once(
                [
                    Statement("INSERT INTO t VALUES (1)"),
                    Statement("SELECT pg_terminate_backend(pg_backend_pid())"),
                    Statement("INSERT INTO t VALUES (2)"),
                ]
            )
        assert await database.rows("SELECT n FROM t") == []
        await database.at_once([Statement("INSERT INTO t VALUES (3)")])
        assert await database.rows("SELECT n FROM t") == [(3,)]
