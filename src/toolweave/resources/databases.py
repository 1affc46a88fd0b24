"""The resource `databases`: SQLite files of the allowed folders, and Postgres by its module."""

import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import closing, contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import cast

from anyio import CapacityLimiter, to_thread

from toolweave.access.secret_text import SecretTexts
from toolweave.catalog.resources.databases import Parameters, QueryResult
from toolweave.catalog.sql_texts import address_fault
from toolweave.errors import Conflict, Denied, Invalid, NotFound, TimedOut, Unavailable
from toolweave.resources.files import AllowedFolders
from toolweave.resources.sql_statements import MAX_RESULT_BYTES, ResultSize, bound, check_statement

POSTGRES = ("postgresql://", "postgres://")
THREADS = 4
BUSY_S = 5.0
_EVERY_STEPS = 10_000
_READS = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
_NEVER = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH})
_TELLING = frozenset(
    {"table_info", "table_xinfo", "table_list", "index_list", "index_info", "foreign_key_list"}
)
_DENIED_FUNCTIONS = frozenset({"load_extension", "fts3_tokenizer"})


class SqlDatabases:
    """A `Databases`."""

    def __init__(
        self, folders: AllowedFolders, secrets: SecretTexts, *, allow_private: bool = False
    ) -> None:
        self._folders = folders
        self._secrets = secrets
        self._allow_private = allow_private
        self._threads = CapacityLimiter(THREADS)

    async def query(
        self,
        database: str,
        sql: str,
        parameters: Parameters,
        *,
        allow_writes: bool,
        max_rows: int,
        timeout_s: float,
    ) -> QueryResult:
        """Run one statement; see `Databases`."""
        check_statement(sql, allow_writes=allow_writes)
        if database.startswith(("${vault:", *POSTGRES)):
            # By name, so that SQLite users never load the Postgres driver.
            asked: Callable[..., Awaitable[QueryResult]]
            asked = import_module("toolweave.resources.postgres_query").query
            return await asked(
                self._secrets,
                database,
                sql,
                parameters,
                allow_writes=allow_writes,
                allow_private=self._allow_private,
                max_rows=max_rows,
                timeout_s=timeout_s,
            )
        if (fault := address_fault(database)) is not None:
            raise Invalid(fault.code, fault.message, hint=fault.hint)
        path = await self._folders.checked(database.removeprefix("sqlite:///"))
        stop = threading.Event()
        job = _Job(path, sql, parameters, allow_writes, max_rows, time.monotonic() + timeout_s)
        try:
            return await to_thread.run_sync(
                partial(job.run, stop), limiter=self._threads, abandon_on_cancel=True
            )
        finally:
            stop.set()


class _Job:
    def __init__(
        self,
        path: Path,
        sql: str,
        parameters: Parameters,
        allow_writes: bool,
        max_rows: int,
        until: float,
    ) -> None:
        self._path = path
        self._sql = sql
        self._values = bound(parameters)
        self._allow_writes = allow_writes
        self._max_rows = max_rows
        self._until = until

    def run(self, stop: threading.Event) -> QueryResult:
        if not self._allow_writes and not self._path.exists():
            raise NotFound("FILE_NOT_FOUND", f"there is no file {self._path.name!r}")
        mode = "rwc" if self._allow_writes else "ro"
        with _explained(self._path.name):
            opened = sqlite3.connect(
                f"{self._path.as_uri()}?mode={mode}", uri=True, timeout=BUSY_S, isolation_level=None
            )
            with closing(opened):
                opened.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_RESULT_BYTES)
                opened.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
                opened.set_authorizer(self._may)
                opened.set_progress_handler(
                    lambda: stop.is_set() or time.monotonic() > self._until, _EVERY_STEPS
                )
                return self._asked(opened)

    def _asked(self, opened: sqlite3.Connection) -> QueryResult:
        # The cast: what drivers take is wider than the stubs say.
        cursor = opened.execute(self._sql, cast("list[str]", self._values))
        size = ResultSize()
        rows = [size.take(row) for row in cursor.fetchmany(self._max_rows)]
        is_truncated = cursor.fetchone() is not None
        columns = tuple(str(column[0]) for column in cursor.description or ())
        affected = opened.total_changes
        return QueryResult(columns, tuple(rows), affected, is_truncated)

    def _may(self, action: int, first: str | None, second: str | None, *_: object) -> int:
        if action == sqlite3.SQLITE_PRAGMA:
            is_allowed = (first or "").lower() in _TELLING
        elif action == sqlite3.SQLITE_FUNCTION:
            is_allowed = (second or "").lower() not in _DENIED_FUNCTIONS
        else:
            is_allowed = action in _READS or (self._allow_writes and action not in _NEVER)
        return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY


@contextmanager
def _explained(name: str) -> Generator[None]:
    """What SQLite says, in our words."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise Conflict("DATABASE_CONFLICT", f"{name!r}: {error}") from None
    except (sqlite3.Error, sqlite3.Warning, OverflowError) as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_INTERRUPT:
            message = f"{name!r} took too long to answer"
            raise TimedOut("DATABASE_TIMED_OUT", message) from None
        if code in {sqlite3.SQLITE_AUTH, sqlite3.SQLITE_READONLY}:
            raise Denied("DATABASE_DENIED", f"{name!r}: {error}") from None
        if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR}:
            raise Unavailable("DATABASE_UNREACHABLE", f"{name!r}: {error}") from None
        raise Invalid("DATABASE_QUERY_INVALID", f"{name!r}: {error}") from None
