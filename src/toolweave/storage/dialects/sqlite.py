"""SQLite: one thread owns the writing connection, another the reading one.

A thread works strictly in order, so a rollback always follows what it undoes, even if
the waiting task was cancelled. WAL with `synchronous=FULL`: acknowledged writes survive
power loss. A disk or file that cannot be written is opened read-only.
"""

import asyncio
import errno
import os
import shutil
import sqlite3
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from queue import SimpleQueue
from types import MappingProxyType
from typing import Any, TypeVar

import anyio

from toolweave.errors import Conflict, ToolweaveError, Unavailable
from toolweave.storage.database import Database, Row, SqlDialect, Statement, Values
from toolweave.storage.files import make_private_folder, sync_folder

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

BUSY_TIMEOUT_S = 5.0
# The columns of the schema that hold binary data.
BINARY = ("nonce", "sealed", "vector", "content")
# How often a listener checks whether another process wrote.
LOOK_EVERY_S = 0.1
# Less free space than this is a full disk: SQLite's shared-memory file grows by 32 KiB.
_FULL_BELOW_BYTES = 64 * 1024

DIALECT = SqlDialect(
    name="sqlite",
    tokens=MappingProxyType(
        {
            "blob": "BLOB",
            "integer": "INTEGER",
            "real": "REAL",
            "identity": "INTEGER PRIMARY KEY AUTOINCREMENT",
        }
    ),
    find_table="SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?",
    clock="((julianday('now') - 2440587.5) * 86400.0)",
    version="sqlite_version()",
)


class _Session:
    """A connection and the only thread that uses it."""

    def __init__(self, path: Path, connect: Callable[[], sqlite3.Connection], name: str) -> None:
        self._path = path
        self._connect = connect
        self._connection: sqlite3.Connection | None = None
        # A plain queue: the futures and locks of an executor cost a third more.
        # Any: each job has its own kind of result.
        self._jobs: SimpleQueue[tuple[Callable[[], Any], asyncio.Future[Any]] | None] = (
            SimpleQueue()
        )
        self._is_closed = False
        name = f"toolweave-sqlite-{name}"
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)

    async def run(self, work: Work[T]) -> T:
        """Run `work` after all earlier work; it completes even if the caller is cancelled."""
        done = self._begun(work)
        with anyio.CancelScope(shield=True):
            await done
        return done.result()

    def _begun(self, work: Work[T]) -> "asyncio.Future[T]":
        if self._is_closed:
            raise RuntimeError("this database is closed")
        return self._submit(partial(self._do, work))

    def _submit(self, job: Callable[[], T]) -> "asyncio.Future[T]":
        if self._thread.ident is None:
            self._thread.start()
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._jobs.put((job, done))
        return done

    def _serve(self) -> None:
        while (next_job := self._jobs.get()) is not None:
            job, done = next_job
            result, error = None, None
            try:
                result = job()
            except BaseException as raised:  # raised again in the waiting task
                error = raised
            with suppress(RuntimeError):  # the loop was closed: nothing is waiting
                done.get_loop().call_soon_threadsafe(_report, done, result, error)
            del next_job, job, done, result, error

    def _do(self, work: Work[T]) -> T:
        try:
            if self._connection is None:
                self._connection = self._connect()
            return work(self._connection)
        except sqlite3.Error as error:
            typed = _typed_error(error, self._path)
            if typed is None:
                raise
            raise typed from error

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    async def close(self) -> None:
        """Close the connection, rolling back open work, and end the thread."""
        self._is_closed = True
        done = self._submit(self._disconnect)
        self._jobs.put(None)
        with anyio.CancelScope(shield=True):
            await done

    async def fetch(self, sql: str, values: Values) -> list[Row]:
        return await self.run(lambda connection: _rows(connection.execute(sql, values)))

    async def execute(self, sql: str, values: Values) -> int:
        return await self.run(lambda connection: max(connection.execute(sql, values).rowcount, 0))

    # SQLite is in autocommit mode whenever no transaction was begun.
    execute_alone = execute

    async def executemany(self, sql: str, rows: Sequence[Values]) -> int:
        return await self.run(lambda connection: max(connection.executemany(sql, rows).rowcount, 0))

    async def at_once(
        self, statements: Sequence[Statement], *, shared: bool = False, shielded: bool = False
    ) -> list[list[Row]]:
        work = partial(_at_once, statements=statements)
        return await (self._begun(work) if shielded else self.run(work))

    async def begin(self) -> None:
        await self.run(_begin)

    async def commit(self) -> None:
        await self.run(_commit)

    async def rollback(self) -> None:
        await self.run(_rollback)


def _report(done: "asyncio.Future[T]", result: T, error: BaseException | None) -> None:
    if done.done():
        return  # the waiting task was cancelled by `Task.cancel`
    if error is None:
        done.set_result(result)
    else:
        done.set_exception(error)


class _Sender:
    """Detects writes by the file's data version, which other connections change."""

    needs_notify = False

    def __init__(self, writer: _Session) -> None:
        # The writer's version is not changed by our own writes.
        self._writer = writer

    async def notify(self, notice: str) -> None:
        """Do nothing: listeners poll the file."""

    @asynccontextmanager
    async def listen(self) -> AsyncGenerator["_Listener"]:
        yield _Listener(self._writer, await _version(self._writer))


class _Listener:
    def __init__(self, writer: _Session, version: int) -> None:
        self._writer = writer
        self._version = version

    async def received(self) -> Sequence[str]:
        await anyio.sleep(LOOK_EVERY_S)
        before, self._version = self._version, await _version(self._writer)
        return [""] if before != self._version else []


async def _version(session: _Session) -> int:
    """Return a number that changes after another connection has written."""
    ((version,),) = await session.fetch("PRAGMA data_version", ())
    return version


@asynccontextmanager
async def opened(address: str) -> AsyncGenerator[Database]:
    """Open the file at `address`, creating it (0600) and its folder (0700) if missing."""
    path, writable = await anyio.to_thread.run_sync(_prepare, address)
    if writable:
        writer = _Session(path, lambda: _connect_to_write(path), "write")
        reader = _Session(path, lambda: _connect_to_read(path), "read")
    else:
        writer = _Session(path, lambda: _connect_read_only(path), "write")
        reader = _Session(path, lambda: _connect_read_only(path), "read")
    try:
        # The writer first: it sets WAL mode for the reader.
        for session in (writer, reader):
            await session.fetch("SELECT count(*) FROM sqlite_master", ())
        yield Database(DIALECT, reader=reader, writer=writer, sender=_Sender(writer))
    finally:
        try:
            await reader.close()
        finally:
            await writer.close()


@asynccontextmanager
async def opened_in_memory() -> AsyncGenerator[Database]:
    """Open a database that is gone when it is closed; one thread reads and writes."""
    session = _Session(Path(":memory:"), _connect_in_memory, "memory")
    try:
        yield Database(DIALECT, reader=session, writer=session, sender=_Sender(session))
    finally:
        await session.close()


def _connect_in_memory() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", isolation_level=None)


def _prepare(address: str) -> tuple[Path, bool]:
    """Return the file, created if missing, and whether it is writable."""
    path = Path(address).expanduser().absolute()
    try:
        make_private_folder(path.parent)
        # SQLite gives its -wal and -shm files the mode of this one.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        sync_folder(path.parent)
    except OSError as error:
        if path.is_file():
            return path, False
        raise _cannot_create(path, error) from error
    return path, os.access(path.parent, os.W_OK)


def _connect(path: Path, options: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.as_uri()}?{options}",
        uri=True,
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,  # no implicit BEGIN or COMMIT
    )


def _connect_to_write(path: Path) -> sqlite3.Connection:
    connection = _connect(path, "mode=rw")
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "temp_store=MEMORY"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _connect_to_read(path: Path) -> sqlite3.Connection:
    connection = _connect(path, "mode=rw")
    for pragma in ("query_only=ON", "temp_store=MEMORY"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _connect_read_only(path: Path) -> sqlite3.Connection:
    connection = _connect(path, "mode=ro")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        connection.close()
        log = path.with_name(path.name + "-wal")
        # Without its -shm file the log cannot be read in place, and ignoring it would lose rows.
        if log.exists() and log.stat().st_size:
            raise
        return _connect(path, "immutable=1")
    return connection


def _at_once(connection: sqlite3.Connection, statements: Sequence[Statement]) -> list[list[Row]]:
    found: list[list[Row]] = []
    _begin(connection)
    try:
        for one in statements:
            if one.many is None:
                found.append(_rows(connection.execute(one.sql, one.values)))
            else:
                connection.executemany(one.sql, one.many)
                found.append([])
    except BaseException:
        _rollback(connection)
        raise
    _commit(connection)
    return found


def _rows(cursor: sqlite3.Cursor) -> list[Row]:
    """Fetch all rows; binary data in a column of text, which SQLite accepts, is read as text."""
    rows: list[Row] = cursor.fetchall()
    if bytes not in set(map(type, chain.from_iterable(rows))):
        return rows
    are_binary = [any(word in one[0] for word in BINARY) for one in cursor.description]
    return [
        tuple(
            value.decode(errors="replace") if isinstance(value, bytes) and not is_binary else value
            for value, is_binary in zip(row, are_binary, strict=True)
        )
        for row in rows
    ]


def _begin(connection: sqlite3.Connection) -> None:
    _rollback(connection)
    connection.execute("BEGIN IMMEDIATE")


def _commit(connection: sqlite3.Connection) -> None:
    try:
        connection.execute("COMMIT")
    except sqlite3.Error:
        _rollback(connection)
        raise


def _rollback(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")


def _cannot_create(path: Path, error: OSError) -> Unavailable:
    return Unavailable(
        "STORAGE_FULL" if error.errno == errno.ENOSPC else "STORAGE_READ_ONLY",
        f"the database {str(path)!r} does not exist and cannot be created: {error.strerror}",
        hint="set TOOLWEAVE_HOME to a writable folder",
    )


@dataclass(frozen=True, slots=True)
class _TypedError:
    """The typed error for one kind of SQLite error."""

    error: type[ToolweaveError]
    code: str
    message: str
    hint: str | None = None


_NOT_SOUND = _TypedError(
    Unavailable,
    "STORAGE_BROKEN",
    "{file!r} is not a valid SQLite database: {error}",
    "move the file, or restore it from a backup together with its -wal file;"
    " `sqlite3 FILE .recover` extracts what is still readable",
)
_NO_ACCESS = _TypedError(
    Unavailable,
    "STORAGE_BROKEN",
    "{file!r} cannot be read or written: {error}",
    "check the disk, and the permissions of the file, its folder and its -wal file",
)
_ERRORS = {
    sqlite3.SQLITE_CONSTRAINT: _TypedError(Conflict, "STORAGE_CONFLICT", "not stored: {error}"),
    sqlite3.SQLITE_BUSY: _TypedError(
        Conflict,
        "STORAGE_IN_USE",
        "another process has kept {file!r} locked for " + f"{BUSY_TIMEOUT_S:g} s",
        "stop the other process, then try again",
    ),
    sqlite3.SQLITE_FULL: _TypedError(
        Unavailable,
        "STORAGE_FULL",
        "the disk of {file!r} is full; this call stored nothing",
        "free disk space, then try again; no restart is needed",
    ),
    sqlite3.SQLITE_READONLY: _TypedError(
        Unavailable,
        "STORAGE_READ_ONLY",
        "{file!r} is read-only",
        "make the file and its folder writable, then restart",
    ),
    sqlite3.SQLITE_NOTADB: _NOT_SOUND,
    sqlite3.SQLITE_CORRUPT: _NOT_SOUND,
    sqlite3.SQLITE_IOERR: _NO_ACCESS,
    sqlite3.SQLITE_CANTOPEN: _NO_ACCESS,
}


def _typed_error(error: sqlite3.Error, path: Path) -> ToolweaveError | None:
    # The low byte is the kind; errors of the sqlite3 module itself have no code.
    kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if kind == sqlite3.SQLITE_IOERR and _is_full(path.parent):
        kind = sqlite3.SQLITE_FULL
    known = _ERRORS.get(kind)
    if known is None:
        return None
    return known.error(
        known.code,
        known.message.format(file=str(path), error=error),
        hint=known.hint,
        facts={"file": str(path), "sqlite": getattr(error, "sqlite_errorname", None)},
    )


def _is_full(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < _FULL_BELOW_BYTES
    except OSError:
        return False
