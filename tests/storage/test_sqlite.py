"""What is SQLite's own: its file, its disk, and being killed."""

import os
import resource
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import anyio
import pytest
from tests.storage.disks import read_only, small_disk

from toolweave.errors import Conflict, Unavailable
from toolweave.storage.database import Database, open_database

pytestmark = pytest.mark.anyio

WRITER = Path(__file__).with_name("writer.py")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "toolweave.db"


def write(file: Path, content: bytes) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content)


def read(file: Path) -> bytes:
    return file.read_bytes()


async def fill(database: Database, *, rows: int, kilobytes: int = 1) -> int:
    """Store rows until it fails; how many were acknowledged."""
    await database.execute("CREATE TABLE IF NOT EXISTS rows (n INTEGER, body TEXT)")
    for number in range(rows):
        try:
            await database.execute("INSERT INTO rows VALUES (?, ?)", number, "x" * 1024 * kilobytes)
        except Unavailable:
            return number
    return rows


async def count(database: Database) -> int:
    found = await database.row("SELECT count(*) FROM rows")
    assert found
    return found[0]


async def test_a_new_folder_and_file_are_closed_to_others(file: Path) -> None:
    before = os.umask(0)
    try:
        async with open_database(file) as database:
            await fill(database, rows=1)
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()}
            assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(["toolweave.db", "toolweave.db-wal", "toolweave.db-shm"], 0o600)


async def test_writes_are_synchronised_with_the_disk_through_a_write_ahead_log(
    file: Path,
) -> None:
    async with open_database(file) as database, database.transaction() as transaction:
        assert await transaction.row("PRAGMA journal_mode") == ("wal",)
        assert await transaction.row("PRAGMA synchronous") == (2,)
        assert await transaction.row("PRAGMA foreign_keys") == (1,)


async def test_closing_ends_the_threads_and_folds_the_log_into_the_file(file: Path) -> None:
    async with open_database(file) as database:
        await fill(database, rows=3)
    ended = [thread for thread in threading.enumerate() if "toolweave-sqlite" in thread.name]
    for thread in ended:
        thread.join(5)
    assert not any(thread.is_alive() for thread in ended)
    assert [path.name for path in file.parent.iterdir()] == ["toolweave.db"]


async def test_opening_sqlite_does_not_load_the_postgres_driver(file: Path) -> None:
    code = (
        "import anyio, sys\n"
        "from toolweave.storage.database import open_database\n"
        "async def main():\n"
        "    async with open_database(sys.argv[1]): pass\n"
        "anyio.run(main)\n"
        "print(sorted({'sqlite3', 'psycopg'} & set(sys.modules)))\n"
    )
    with anyio.fail_after(60):
        result = await anyio.run_process([sys.executable, "-c", code, str(file)])
    assert result.stdout == b"['sqlite3']\n"


def killed_after(acknowledgements: int, manner: str, file: Path) -> list[int]:
    """Kill -9 a writer in full swing; the numbers it had acknowledged."""
    command = [sys.executable, str(WRITER), manner, str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout
        seen = [int(writer.stdout.readline()) for _ in range(acknowledgements)]
        writer.kill()
        # What was on its way through the pipe had been acknowledged too.
        return seen + [int(line) for line in writer.stdout]


def stored(file: Path) -> set[int]:
    with sqlite3.connect(file) as connection:
        found = {number for (number,) in connection.execute("SELECT n FROM acknowledged")}
    connection.close()
    return found


def test_a_killed_writer_has_lost_nothing_it_acknowledged(file: Path) -> None:
    acknowledged: list[int] = []
    for after in (1, 2, 17, 60):
        acknowledged += killed_after(after, "honest", file)
        assert set(acknowledged) <= stored(file)
    assert len(acknowledged) >= 80


def test_a_writer_that_acknowledges_too_early_is_found_out(file: Path) -> None:
    """The control of the test above: it can fail."""
    acknowledged = killed_after(1, "hasty", file)
    assert set(acknowledged) - stored(file) == {1}


async def test_a_full_disk_is_told_loses_nothing_and_heals_when_space_returns(
    tmp_path: Path,
) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        ballast = disk / "ballast"
        ballast.write_bytes(b"x" * 500_000)
        async with open_database(disk / "toolweave.db") as database:
            acknowledged = await fill(database, rows=1000)
            assert 0 < acknowledged < 1000
            with pytest.raises(Unavailable) as caught:
                await database.execute("INSERT INTO rows VALUES (?, ?)", 0, "x" * 100_000)
            assert caught.value.code == "STORAGE_FULL"
            assert await count(database) == acknowledged
            ballast.unlink()
            await database.execute("INSERT INTO rows VALUES (?, ?)", 0, "x" * 1024)
            assert await count(database) == acknowledged + 1
        async with open_database(disk / "toolweave.db") as database:
            assert await count(database) == acknowledged + 1


async def test_a_commit_on_a_full_disk_leaves_no_transaction_open(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        async with open_database(disk / "toolweave.db") as database:
            await database.execute("CREATE TABLE rows (n INTEGER, body TEXT)")
            with pytest.raises(Unavailable) as caught:
                await database.executemany(
                    "INSERT INTO rows VALUES (?, ?)", [(n, "x" * 1024) for n in range(2000)]
                )
            assert caught.value.code == "STORAGE_FULL"
            assert await count(database) == 0
            await database.execute("INSERT INTO rows VALUES (1, 'small')")
            assert await count(database) == 1


async def test_a_database_that_cannot_be_opened_for_want_of_space_says_so(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        async with open_database(disk / "toolweave.db") as database:
            await fill(database, rows=3)
        with suppress(OSError):
            write(disk / "ballast", b"x" * 2_000_000)
        with pytest.raises(Unavailable) as caught:
            async with open_database(disk / "toolweave.db"):
                pass
        assert caught.value.code == "STORAGE_FULL"
        (disk / "ballast").unlink()
        async with open_database(disk / "toolweave.db") as database:
            assert await count(database) == 3


async def test_a_new_database_on_a_full_disk_says_so(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64k") as disk:
        (disk / "ballast").write_bytes(b"x" * 60_000)
        with pytest.raises(Unavailable) as caught:
            async with open_database(disk / "toolweave.db") as database:
                await fill(database, rows=1000)
    assert caught.value.code == "STORAGE_FULL"


async def test_a_write_the_system_refuses_is_told_and_heals(file: Path) -> None:
    """A limit on file size stands for any error of the disk but being full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    async with open_database(file) as database:
        acknowledged = await fill(database, rows=10)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
        try:
            acknowledged += await fill(database, rows=1000)
            with pytest.raises(Unavailable) as caught:
                await database.execute("INSERT INTO rows VALUES (0, ?)", "x" * 400_000)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert caught.value.code == "STORAGE_BROKEN"
        assert str(file) in caught.value.message
        assert acknowledged < 1010
        assert await count(database) == acknowledged
        assert await fill(database, rows=5) == 5


async def test_a_read_only_disk_can_be_read_and_says_why_it_cannot_be_written(file: Path) -> None:
    async with open_database(file) as database:
        await fill(database, rows=3)
    with read_only(file.parent):
        async with open_database(file) as database:
            assert await count(database) == 3
            for attempt in (database.execute("DELETE FROM rows"), fill_in_a_transaction(database)):
                with pytest.raises(Unavailable) as caught:
                    await attempt
                assert caught.value.code == "STORAGE_READ_ONLY"
            assert await count(database) == 3


async def fill_in_a_transaction(database: Database) -> None:
    async with database.transaction() as transaction:
        await transaction.execute("DELETE FROM rows")


async def test_a_read_only_disk_shows_the_rows_of_a_killed_writers_log(file: Path) -> None:
    acknowledged = killed_after(5, "honest", file)
    log, shared = file.with_name(file.name + "-wal"), file.with_name(file.name + "-shm")
    assert log.stat().st_size > 0
    with read_only(file.parent):
        async with open_database(file) as database:
            found = await database.rows("SELECT n FROM acknowledged")
            assert {n for (n,) in found} >= set(acknowledged)
    shared.unlink()
    with read_only(file.parent), pytest.raises(Unavailable) as caught:
        # Without it the log cannot be read: better nothing than a history with holes.
        async with open_database(file):
            pass
    assert caught.value.code == "STORAGE_BROKEN"


async def test_a_database_that_is_missing_on_a_read_only_disk_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with read_only(home), pytest.raises(Unavailable) as caught:
        async with open_database(home / "toolweave.db"):
            pass
    assert caught.value.code == "STORAGE_READ_ONLY"


async def test_a_file_that_is_no_database_is_refused_by_name_and_left_alone(file: Path) -> None:
    write(file, b"Dear diary, " * 1000)
    with pytest.raises(Unavailable) as caught:
        async with open_database(file):
            pass
    assert caught.value.code == "STORAGE_BROKEN"
    assert str(file) in caught.value.message
    assert caught.value.hint
    assert read(file) == b"Dear diary, " * 1000


async def test_a_damaged_page_is_told_when_it_is_met(file: Path) -> None:
    async with open_database(file) as database:
        await fill(database, rows=200)
    sound = read(file)
    write(file, sound[: 4096 * 3] + os.urandom(len(sound) - 4096 * 3))
    async with open_database(file) as database:
        with pytest.raises(Unavailable) as caught:
            await database.rows("SELECT * FROM rows")
    assert caught.value.code == "STORAGE_BROKEN"
    assert str(file) in caught.value.message


async def test_a_writer_that_never_ends_is_told_as_a_conflict(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolweave.storage.dialects.sqlite.BUSY_TIMEOUT_S", 0.05)
    async with open_database(file) as first, open_database(file) as second:
        await fill(first, rows=1)
        async with first.transaction():
            with pytest.raises(Conflict) as caught:
                await second.execute("DELETE FROM rows")
        assert caught.value.code == "STORAGE_IN_USE"
        assert await second.execute("DELETE FROM rows") == 1
