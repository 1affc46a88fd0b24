"""One suite for both dialects: what the interface promises holds on SQLite and Postgres alike."""

import asyncio
import re
from collections.abc import Callable, Coroutine
from importlib import resources

import anyio
import anyio.lowlevel
import pytest

from toolweave.errors import Conflict, Invalid, ToolweaveError, Unavailable
from toolweave.storage.database import Database, Transaction, Value, open_database
from toolweave.storage.dialects.sqlite import BINARY

pytestmark = pytest.mark.anyio

# Runs for a good part of a second on either database.
SLOW = (
    "WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 1000000)"
    " SELECT count(*) FROM counted"
)
SLOWER = SLOW.replace("1000000", "4000000")


async def add(database: Database, name: str) -> None:
    await database.execute("INSERT INTO things (name, n) VALUES (?, 0)", name)


async def names(database: Database) -> list[str]:
    return [name for (name,) in await database.rows("SELECT name FROM things ORDER BY name")]


async def test_values_come_back_as_they_were_stored(database: Database) -> None:
    blob = "BYTEA" if database.dialect.name == "postgresql" else "BLOB"
    # SQLite tells binary data from damaged text by the name of the column.
    await database.execute(
        f"CREATE TABLE kinds (a TEXT, b BIGINT, c DOUBLE PRECISION, content {blob})"
    )
    stored = [
        ("", 0, 0.1, b""),
        ("50% 'of' \"日本\" 😀\r\n", -(2**63), -1e300, bytes(range(256))),
        (None, 2**63 - 1, 1.5, b"\0"),
        (None, None, None, None),
    ]
    assert await database.executemany("INSERT INTO kinds VALUES (?, ?, ?, ?)", stored) == 4
    assert await database.rows("SELECT * FROM kinds ORDER BY b IS NULL, b DESC") == [
        stored[2], stored[0], stored[1], stored[3]
    ]  # fmt: skip


async def test_booleans_are_stored_as_integers(database: Database) -> None:
    await database.execute("INSERT INTO things VALUES (?, ?)", "on", True)
    assert await database.row("SELECT n + 1 FROM things") == (2,)


async def test_a_percent_sign_in_sql_is_only_a_percent_sign(database: Database) -> None:
    await add(database, "apple")
    await add(database, "pear")
    assert await database.rows("SELECT name FROM things WHERE name LIKE 'a%'") == [("apple",)]
    assert await database.rows("SELECT 7 % 4 FROM things WHERE name = ?", "pear") == [(3,)]


async def test_row_gives_the_first_row_or_nothing(database: Database) -> None:
    assert await database.row("SELECT name FROM things") is None
    await add(database, "b")
    await add(database, "a")
    assert await database.row("SELECT name FROM things ORDER BY name") == ("a",)


async def test_execute_counts_the_rows_it_touched(database: Database) -> None:
    await database.executemany("INSERT INTO things VALUES (?, ?)", [("a", 1), ("b", 1), ("c", 2)])
    assert await database.execute("UPDATE things SET n = 5 WHERE n = ?", 1) == 2
    assert await database.execute("DELETE FROM things WHERE n = ?", 99) == 0
    assert await database.execute("CREATE TABLE other (id TEXT)") == 0


async def test_sums_and_averages_are_plain_numbers(database: Database) -> None:
    await database.executemany("INSERT INTO things VALUES (?, ?)", [("a", 1), ("b", 2)])
    found = await database.row("SELECT sum(n), avg(n), count(*), -sum(n) FROM things")
    assert found == (3, 1.5, 2, -3)
    assert {type(value) for value in found or ()} <= {int, float}


async def test_executemany_stores_all_or_nothing(database: Database) -> None:
    with pytest.raises(Conflict):
        await database.executemany("INSERT INTO things VALUES (?, ?)", [("a", 1), ("a", 2)])
    assert await names(database) == []
    assert await database.executemany("INSERT INTO things VALUES (?, ?)", []) == 0


async def test_a_transaction_stores_everything_at_its_end(database: Database) -> None:
    async with database.transaction() as transaction:
        await transaction.execute("INSERT INTO things VALUES (?, ?)", "a", 1)
        await transaction.executemany("INSERT INTO things VALUES (?, ?)", [("b", 1), ("c", 1)])
        assert await transaction.row("SELECT count(*) FROM things") == (3,)
        assert await names(database) == []
    assert await names(database) == ["a", "b", "c"]


async def test_a_transaction_left_by_an_exception_stores_nothing(database: Database) -> None:
    async def fail_half_way() -> None:
        async with database.transaction() as transaction:
            await transaction.execute("INSERT INTO things VALUES (?, ?)", "a", 1)
            raise LookupError

    with pytest.raises(LookupError):
        await fail_half_way()
    await add(database, "b")
    assert await names(database) == ["b"]


async def test_two_hundred_transactions_at_once_lose_no_increment(database: Database) -> None:
    await add(database, "counter")
    async with anyio.create_task_group() as group:
        for _ in range(200):
            group.start_soon(increment, database)
    assert await database.row("SELECT n FROM things") == (200,)


async def test_writers_in_two_databases_lose_no_increment(database: Database, address: str) -> None:
    await add(database, "counter")
    async with open_database(address) as other, anyio.create_task_group() as group:
        for _ in range(25):
            group.start_soon(increment, database)
            group.start_soon(increment, other)
            group.start_soon(other.execute, "UPDATE things SET n = n + 1")
    assert await database.row("SELECT n FROM things") == (75,)


async def increment(database: Database) -> None:
    """The classic lost update, unless nobody else writes between the two statements."""
    async with database.transaction() as transaction:
        found = await transaction.row("SELECT n FROM things WHERE name = 'counter'")
        assert found
        await transaction.execute("UPDATE things SET n = ?", found[0] + 1)


async def test_a_read_neither_waits_for_a_transaction_nor_sees_into_it(database: Database) -> None:
    await add(database, "before")
    async with database.transaction() as transaction:
        await transaction.execute("DELETE FROM things")
        with anyio.fail_after(60):
            assert await names(database) == ["before"]
    assert await names(database) == []


async def test_a_long_write_does_not_hold_up_reads(database: Database) -> None:
    order: list[str] = []

    async def write() -> None:
        await database.execute(f"INSERT INTO things VALUES ('slow', ({SLOWER}))")
        order.append("written")

    async with anyio.create_task_group() as group:
        group.start_soon(write)
        await anyio.wait_all_tasks_blocked()
        await names(database)
        order.append("read")
    assert order == ["read", "written"]


Work = Callable[[anyio.Event], Coroutine[None, None, None]]
Cancel = Callable[[Work], Coroutine[None, None, None]]


async def cancelled_by_scope(work: Work) -> None:
    """Cancel `work` once it has set its event and waits."""
    ready = anyio.Event()
    async with anyio.create_task_group() as group:
        group.start_soon(work, ready)
        await ready.wait()
        await anyio.wait_all_tasks_blocked()
        group.cancel_scope.cancel()


async def cancelled_by_task(work: Work) -> None:
    """As libraries outside of anyio do it: scopes cannot shield against this."""
    ready = anyio.Event()
    task = asyncio.ensure_future(work(ready))
    await ready.wait()
    await anyio.wait_all_tasks_blocked()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


cancelled = pytest.mark.parametrize("cancel", [cancelled_by_scope, cancelled_by_task])


@cancelled
async def test_a_transaction_cancelled_in_its_body_is_undone(
    database: Database, cancel: Cancel
) -> None:
    async def work(ready: anyio.Event) -> None:
        async with database.transaction() as transaction:
            await transaction.execute("INSERT INTO things VALUES (?, ?)", "lost", 1)
            ready.set()
            await anyio.sleep_forever()

    with anyio.fail_after(60):
        await cancel(work)
        await add(database, "kept")
    assert await names(database) == ["kept"]


@cancelled
async def test_a_transaction_cancelled_in_a_running_statement_is_undone(
    database: Database, cancel: Cancel
) -> None:
    async def work(ready: anyio.Event) -> None:
        async with database.transaction() as transaction:
            await transaction.execute("INSERT INTO things VALUES (?, ?)", "lost", 1)
            ready.set()
            await transaction.rows(SLOW)
            await anyio.sleep_forever()

    with anyio.fail_after(60):
        await cancel(work)
        async with database.transaction() as transaction:
            assert await transaction.row("SELECT count(*) FROM things") == (0,)
            await transaction.execute("INSERT INTO things VALUES (?, ?)", "kept", 1)
    assert await names(database) == ["kept"]


async def test_a_transaction_cancelled_again_while_it_is_being_undone_is_undone(
    database: Database,
) -> None:
    running = anyio.Event()

    async def work() -> None:
        async with database.transaction() as transaction:
            await transaction.execute("INSERT INTO things VALUES (?, ?)", "lost", 1)
            running.set()
            await transaction.rows(SLOW)

    with anyio.fail_after(60):
        task = asyncio.ensure_future(work())
        await running.wait()
        for _ in range(5):
            await anyio.wait_all_tasks_blocked()
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await add(database, "kept")
    assert await names(database) == ["kept"]


@cancelled
async def test_a_cancelled_read_leaves_the_reader_usable(
    database: Database, cancel: Cancel
) -> None:
    async def work(ready: anyio.Event) -> None:
        ready.set()
        await database.rows(SLOW)
        await anyio.sleep_forever()

    with anyio.fail_after(60):
        for _ in range(5):
            await cancel(work)
        assert await names(database) == []


@cancelled
async def test_a_write_cancelled_while_it_waits_its_turn_never_happens(
    database: Database, cancel: Cancel
) -> None:
    async def work(ready: anyio.Event) -> None:
        ready.set()
        await add(database, "late")

    async with database.transaction() as transaction:
        await cancel(work)
        await transaction.execute("INSERT INTO things VALUES (?, ?)", "first", 1)
    assert await names(database) == ["first"]


async def test_writers_cancelled_at_random_leave_whole_transactions_only(
    database: Database,
) -> None:
    async def work(number: int) -> None:
        async with database.transaction() as transaction:
            for half in ("left", "right"):
                await transaction.execute("INSERT INTO things VALUES (?, ?)", f"{half}{number}", 1)

    async def all_work() -> None:
        for number in range(100):
            task = asyncio.ensure_future(work(number))
            for _ in range(number % 7):
                await anyio.lowlevel.checkpoint()
            if number % 3:
                task.cancel()
            await asyncio.wait([task])

    with anyio.fail_after(60):
        await all_work()
        found = await names(database)
        left = {name.removeprefix("left") for name in found if name.startswith("left")}
        assert left == {name.removeprefix("right") for name in found if name.startswith("right")}
        assert len(left) >= 33


async def test_rows_cannot_write(database: Database) -> None:
    with pytest.raises(Unavailable) as caught:
        await database.rows("INSERT INTO things VALUES ('a', 1)")
    assert caught.value.code == "STORAGE_READ_ONLY"
    assert await names(database) == []


async def test_a_name_taken_twice_is_a_conflict_that_does_not_repeat_the_value(
    database: Database,
) -> None:
    await add(database, "hunter2")
    with pytest.raises(Conflict) as caught:
        await add(database, "hunter2")
    assert caught.value.code == "STORAGE_CONFLICT"
    assert "hunter2" not in str(caught.value.as_json())


async def test_a_failed_statement_ends_its_transaction(database: Database) -> None:
    async def go_on_after_a_failure() -> None:
        async with database.transaction() as transaction:
            await transaction.execute("INSERT INTO things VALUES ('a', 1)")
            with pytest.raises(Conflict):
                await transaction.execute("INSERT INTO things VALUES ('a', 2)")
            with pytest.raises(RuntimeError, match="failed"):
                await transaction.execute("INSERT INTO things VALUES ('b', 2)")

    with pytest.raises(RuntimeError, match="failed"):
        await go_on_after_a_failure()
    assert await names(database) == []


async def test_a_transaction_is_of_no_use_after_its_end(database: Database) -> None:
    async with database.transaction() as transaction:
        pass
    with pytest.raises(RuntimeError, match="over"):
        await transaction.execute("DELETE FROM things")
    leaked: list[Transaction] = []

    async def leak() -> None:
        async with database.transaction() as transaction:
            leaked.append(transaction)
            raise LookupError

    with pytest.raises(LookupError):
        await leak()
    with pytest.raises(RuntimeError, match="over"):
        await leaked[0].execute("DELETE FROM things")


async def test_writing_beside_ones_own_transaction_is_an_error_not_a_deadlock(
    database: Database,
) -> None:
    with anyio.fail_after(60):
        async with database.transaction():
            with pytest.raises(RuntimeError):
                await add(database, "a")


@pytest.mark.parametrize("value", ["nul \0 inside", "lone \ud800", 2**63, -(2**63) - 1])
async def test_what_no_column_can_hold_is_refused_alike(database: Database, value: Value) -> None:
    with pytest.raises(Invalid) as caught:
        await database.execute("INSERT INTO things (n) VALUES (?)", value)
    assert caught.value.code == "STORAGE_VALUE_INVALID"


async def test_a_fault_in_our_sql_is_not_told_as_the_databases(database: Database) -> None:
    with pytest.raises(Exception, match="nonsense") as caught:
        await database.rows("SELECT nonsense FROM things")
    assert not isinstance(caught.value, ToolweaveError)
    assert await names(database) == []


@pytest.mark.parametrize("address", ["mysql://host/name", "sqlite://", "sqlite:///", "://x"])
async def test_an_address_of_another_kind_is_refused(address: str) -> None:
    with pytest.raises(Invalid) as caught:
        open_database(address)
    assert caught.value.code == "SETTING_INVALID"


def test_every_binary_column_is_known_to_sqlite_by_its_name() -> None:
    folder = resources.files("toolweave.storage") / "migrations"
    texts = [
        one.read_text(encoding="utf-8") for one in folder.iterdir() if one.name.endswith("sql")
    ]
    columns = {name for text in texts for name in re.findall(r"(\w+) \{blob\}", text)}
    assert columns == set(BINARY)
