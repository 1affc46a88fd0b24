"""What is Postgres's own: a server that goes away, and processes that hold each other up."""

from contextlib import suppress

import anyio
import pytest
from psycopg import AsyncConnection
from tests.storage.postgres import Postgres

from toolweave.errors import Conflict, Invalid, Unavailable
from toolweave.storage.database import Statement, open_database
from toolweave.storage.dialects import postgres as postgres_dialect

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("postgres")]


async def test_after_a_crash_of_the_server_reads_and_writes_go_on(postgres: Postgres) -> None:
    async with open_database(postgres.new_database()) as database:
        await database.execute("CREATE TABLE things (n BIGINT)")
        await database.rows("SELECT * FROM things")
        for number in range(2):
            await anyio.to_thread.run_sync(postgres.stop)
            for attempt in (database.execute("DELETE FROM things"), database.rows("SELECT 1")):
                with anyio.fail_after(60), pytest.raises(Unavailable) as caught:
                    await attempt
                assert caught.value.code == "STORAGE_UNREACHABLE"
            await anyio.to_thread.run_sync(postgres.start)
            assert await database.row("SELECT count(*) FROM things") == (number,)
            await database.execute("INSERT INTO things VALUES (?)", number)


async def test_a_restart_between_two_statements_goes_unnoticed(postgres: Postgres) -> None:
    async with open_database(postgres.new_database()) as database:
        await database.execute("CREATE TABLE things (n BIGINT)")
        await database.rows("SELECT * FROM things")
        await anyio.to_thread.run_sync(postgres.stop)
        await anyio.to_thread.run_sync(postgres.start)
        assert await database.rows("SELECT * FROM things") == []
        assert await database.execute("INSERT INTO things VALUES (1)") == 1
        await anyio.to_thread.run_sync(postgres.stop)
        await anyio.to_thread.run_sync(postgres.start)
        insert = Statement("INSERT INTO things VALUES (2) RETURNING n")
        assert await database.at_once([insert], shared=True) == [[(2,)]]
        assert await database.row("SELECT count(*) FROM things") == (2,)


async def test_a_crash_inside_a_transaction_undoes_it(postgres: Postgres) -> None:
    async with open_database(postgres.new_database()) as database:
        await database.execute("CREATE TABLE things (n BIGINT)")

        async def survive() -> None:
            async with database.transaction() as transaction:
                await transaction.execute("INSERT INTO things VALUES (1)")
                await anyio.to_thread.run_sync(postgres.stop)
                await anyio.to_thread.run_sync(postgres.start)
                await transaction.execute("INSERT INTO things VALUES (2)")

        with pytest.raises(Unavailable) as caught:
            await survive()
        assert caught.value.code == "STORAGE_UNREACHABLE"
        assert await database.rows("SELECT n FROM things") == []


async def test_who_pauses_inside_a_transaction_loses_it_to_the_next(postgres: Postgres) -> None:
    address = postgres.new_database()
    async with open_database(address) as paused, open_database(address) as other:
        await paused.execute("CREATE TABLE things (n BIGINT)")

        async def pause() -> None:
            async with paused.transaction() as transaction:
                await transaction.execute("SET idle_in_transaction_session_timeout = '200ms'")
                await transaction.execute("INSERT INTO things VALUES (1)")
                with anyio.fail_after(60):
                    await other.execute("INSERT INTO things VALUES (2)")

        with pytest.raises(Unavailable) as caught:
            await pause()
        assert caught.value.code == "STORAGE_UNREACHABLE"
        assert await paused.rows("SELECT n FROM things") == [(2,)]
        await paused.execute("INSERT INTO things VALUES (3)")


async def test_waiting_too_long_for_another_process_is_a_conflict(postgres: Postgres) -> None:
    address = postgres.new_database()
    hurried = f"{address}&options=-c%20lock_timeout%3D50ms"
    async with open_database(address) as first, open_database(hurried) as second:
        async with first.transaction():
            with pytest.raises(Conflict) as caught:
                await second.execute("CREATE TABLE things (n BIGINT)")
        assert caught.value.code == "STORAGE_IN_USE"
        await second.execute("CREATE TABLE things (n BIGINT)")


async def test_who_stops_in_the_middle_of_a_group_of_statements_loses_it_to_those_who_wait(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server takes such a process for a busy one: its own limits do not end that."""
    soon = postgres_dialect.END_STOPPED.replace(b"'5 seconds'", b"'0 seconds'")
    monkeypatch.setattr(postgres_dialect, "END_STOPPED", soon)
    address = postgres.new_database()
    hurried = f"{address}&options=-c%20lock_timeout%3D50ms"
    async with open_database(hurried) as database:
        await database.execute("CREATE TABLE things (n BIGINT)")
        stopped = await AsyncConnection.connect(
            address, autocommit=True, application_name="toolweave"
        )
        await stopped.execute(postgres_dialect.BEGIN_SHARED)
        stopped.pgconn.enter_pipeline_mode()
        stopped.pgconn.send_query_params(b"INSERT INTO things VALUES (1)", None)
        stopped.pgconn.send_flush_request()
        stopped.pgconn.flush()
        with pytest.raises(Conflict):
            await database.execute("INSERT INTO things VALUES (2)")
        with anyio.fail_after(60):
            while await database.rows("SELECT n FROM things") == []:
                with suppress(Conflict):
                    await database.execute("INSERT INTO things VALUES (2)")
        assert await database.rows("SELECT n FROM things") == [(2,)]
        await stopped.close()


async def test_many_readers_share_a_few_connections(postgres: Postgres) -> None:
    async with open_database(postgres.new_database()) as database:
        pids: set[int] = set()

        async def read() -> None:
            ((pid,),) = await database.rows("SELECT pg_backend_pid() FROM pg_sleep(0.01)")
            pids.add(pid)

        async with anyio.create_task_group() as group:
            for _ in range(40):
                group.start_soon(read)
        assert 1 < len(pids) <= 4


async def test_a_standby_can_be_read_and_says_why_it_cannot_be_written(postgres: Postgres) -> None:
    address = postgres.new_database()
    standby = f"{address}&options=-c%20default_transaction_read_only%3Don"
    async with open_database(standby) as database:
        assert await database.row("SELECT 1") == (1,)
        with pytest.raises(Unavailable) as caught:
            await database.execute("CREATE TABLE things (n BIGINT)")
    assert caught.value.code == "STORAGE_READ_ONLY"


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("postgresql://me:s3cret-word@127.0.0.1:1/name", "STORAGE_UNREACHABLE"),
        ("postgresql://me:s3cret-word@127.0.0.1:port/name", "STORAGE_UNREACHABLE"),
        ("postgresql://me:s3cret-word@[::1/name", "SETTING_INVALID"),
        ("postgresql://me:s3cret-word@host/name?nonsense=1", "SETTING_INVALID"),
    ],
)
async def test_a_bad_address_is_told_without_its_password(address: str, code: str) -> None:
    with pytest.raises((Unavailable, Invalid)) as caught:
        async with open_database(address):
            pass
    assert caught.value.code == code
    assert "s3cret-word" not in str(caught.value.as_json())
