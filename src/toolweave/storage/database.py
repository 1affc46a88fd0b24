"""The one interface to a database: rows, row, execute, executemany, transaction.

SQL is written once, with `?` for values and no literal `?`; a dialect provides connections
(`DatabaseReader`, `DatabaseWriter`) and its differences (`SqlDialect`). Writes are exclusive
on every dialect, across processes too, so a transaction may read, decide and write safely.
"""

from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import anyio

from toolweave.errors import Invalid

Value: TypeAlias = str | bytes | int | float | None
Values: TypeAlias = tuple[Value, ...]
# Any: only the store that wrote the SQL knows its columns; it checks what it reads.
Row: TypeAlias = tuple[Any, ...]

_OPENERS = {
    "sqlite": "toolweave.storage.dialects.sqlite",
    "postgresql": "toolweave.storage.dialects.postgres",
    "postgres": "toolweave.storage.dialects.postgres",
}


@dataclass(frozen=True, slots=True)
class SqlDialect:
    """The SQL differences of a database: migration tokens, a query for a table, expressions."""

    name: Literal["sqlite", "postgresql"]
    tokens: Mapping[str, str]
    find_table: str
    # An expression: the time of the database in seconds, the same for all its processes.
    clock: str
    # An expression: the version of the database.
    version: str


class DatabaseReader(Protocol):
    """A connection (or several) that reads."""

    async def fetch(self, sql: str, values: Values) -> list[Row]: ...


class DatabaseWriter(DatabaseReader, Protocol):
    """The connection that writes; `Database` ensures that one task uses it at a time.

    `rollback` never fails and is safe at any moment; a failed `commit` leaves nothing open.
    """

    async def begin(self) -> None: ...

    async def commit(self) -> None: ...

    async def rollback(self) -> None: ...

    async def execute(self, sql: str, values: Values) -> int: ...

    async def executemany(self, sql: str, rows: Sequence[Values]) -> int: ...

    async def execute_alone(self, sql: str, values: Values) -> int:
        """Run one statement as its own transaction."""
        ...

    async def at_once(
        self, statements: "Sequence[Statement]", *, shared: bool = False, shielded: bool = False
    ) -> list[list[Row]]:
        """Run all statements as one transaction and return the rows of each."""
        ...


class NotificationListener(Protocol):
    """Receives notifications about other processes' writes."""

    async def received(self) -> Sequence[str]:
        """Return the next notifications, maybe none; an empty one means some write."""
        ...


class NotificationSender(Protocol):
    """Notifications between the processes of one database."""

    @property
    def needs_notify(self) -> bool:
        """Whether notifications must be sent explicitly; otherwise a write is enough."""
        ...

    async def notify(self, notice: str) -> None: ...

    def listen(self) -> AbstractAsyncContextManager[NotificationListener]: ...


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement with one or many rows of values; with many it returns no rows."""

    sql: str
    values: Values = ()
    many: tuple[Values, ...] | None = None


class Transaction:
    """An open transaction; unusable after a failed statement."""

    def __init__(self, writer: DatabaseWriter) -> None:
        self._writer = writer
        self._state: Literal["open", "failed", "over"] = "open"

    async def rows(self, sql: str, *values: Value) -> list[Row]:
        """Return all rows of a query, or of a statement with `RETURNING`."""
        with self._usable():
            return await self._writer.fetch(sql, check_values(values))

    async def row(self, sql: str, *values: Value) -> Row | None:
        """Return the first row, if there is one."""
        found = await self.rows(sql, *values)
        return found[0] if found else None

    async def execute(self, sql: str, *values: Value) -> int:
        """Run one statement and return the number of affected rows."""
        with self._usable():
            return await self._writer.execute(sql, check_values(values))

    async def executemany(self, sql: str, rows: Iterable[Sequence[Value]]) -> int:
        """Run one statement for each of `rows` and return the number of affected rows."""
        with self._usable():
            return await self._writer.executemany(sql, [check_values(row) for row in rows])

    def end(self, *, to_store: bool) -> None:
        """End the transaction; nothing can be stored after a statement failed."""
        if to_store:
            self._check()
        self._state = "over"

    def _check(self) -> None:
        if self._state != "open":
            raise RuntimeError(f"this transaction is {self._state}; begin a new one")

    @contextmanager
    def _usable(self) -> Generator[None]:
        # Postgres rejects statements after a failure, SQLite does not: here neither continues.
        self._check()
        try:
            yield
        except BaseException:
            self._state = "failed"
            raise


class Database:
    """An open database; reads never wait for writes.

    Raises (every method):
        Conflict: `STORAGE_CONFLICT` for a unique or foreign key violation, `STORAGE_IN_USE` if
            another process holds the write lock for too long.
        Unavailable: `STORAGE_FULL`, `STORAGE_BROKEN`, `STORAGE_READ_ONLY`, `STORAGE_UNREACHABLE`.
        Invalid: `STORAGE_VALUE_INVALID` for a value no column can store.
    """

    def __init__(
        self,
        dialect: SqlDialect,
        *,
        reader: DatabaseReader,
        writer: DatabaseWriter,
        sender: NotificationSender,
    ) -> None:
        self.dialect = dialect
        self._sender = sender
        self._reader = reader
        self._writer = writer
        self._turn = anyio.Lock(fast_acquire=True)

    async def rows(self, sql: str, *values: Value) -> list[Row]:
        """Return all rows of a read-only query."""
        return await self._reader.fetch(sql, check_values(values))

    async def row(self, sql: str, *values: Value) -> Row | None:
        """Return the first row of a query, if there is one."""
        found = await self.rows(sql, *values)
        return found[0] if found else None

    async def execute(self, sql: str, *values: Value) -> int:
        """Run one statement durably and return the number of affected rows."""
        checked_values = check_values(values)
        async with self._turn:
            return await self._writer.execute_alone(sql, checked_values)

    async def executemany(self, sql: str, rows: Iterable[Sequence[Value]]) -> int:
        """Run one statement for each of `rows`, all or none; return the number of affected rows."""
        async with self.transaction() as transaction:
            return await transaction.executemany(sql, rows)

    async def at_once(
        self, statements: Sequence[Statement], *, shared: bool = False, shielded: bool = False
    ) -> list[list[Row]]:
        """Run all statements as one transaction in one round trip; return their `RETURNING` rows.

        For statements that do not depend on each other's results. If the database can,
        `shared` ones wait only for the same rows: they must touch rows in one order.
        `shielded` says that the caller cannot be cancelled, which need not be ensured again.
        """
        try:
            self._turn.acquire_nowait()
        except anyio.WouldBlock:
            await self._turn.acquire()
        try:
            return await self._writer.at_once(statements, shared=shared, shielded=shielded)
        finally:
            self._turn.release()

    @property
    def needs_notify(self) -> bool:
        """Whether other processes learn of writes only through `notify`."""
        return self._sender.needs_notify

    async def notify(self, notice: str) -> None:
        """Notify listeners in other processes; delivery is not guaranteed."""
        await self._sender.notify(notice)

    def listen(self) -> AbstractAsyncContextManager[NotificationListener]:
        """Listen to other processes while the context is active."""
        return self._sender.listen()

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Transaction]:
        """Open an exclusive write transaction; an exception rolls it back."""
        async with self._turn:
            transaction = Transaction(self._writer)
            try:
                await self._writer.begin()
                yield transaction
                transaction.end(to_store=True)
                await self._writer.commit()
            except BaseException:
                transaction.end(to_store=False)
                with anyio.CancelScope(shield=True):
                    await self._writer.rollback()
                raise


def open_database(address: str | Path) -> AbstractAsyncContextManager[Database]:
    """Open `sqlite:///path`, a path, or `postgresql://…`; a missing SQLite file is created."""
    text = str(address)
    scheme, found, rest = text.partition("://")
    if isinstance(address, Path) or not found:
        scheme, text = "sqlite", text
    elif scheme == "sqlite":
        text = rest.removeprefix("/")
    if scheme not in _OPENERS or not text:
        raise Invalid(
            "SETTING_INVALID",
            f"unsupported database address: {scheme + '://'!r}",
            hint="use a file's path, sqlite:///path or postgresql://user@host/name",
        )
    # By name: with SQLite the Postgres driver is never loaded.
    opened: Callable[[str], AbstractAsyncContextManager[Database]]
    opened = import_module(_OPENERS[scheme]).opened
    return opened(text)


def check_values(values: Sequence[Value]) -> Values:
    """Return `values` as every dialect stores them: booleans as integers, only valid text."""
    for value in values:
        if isinstance(value, str):
            if not value.isascii() or "\0" in value:
                break
        elif isinstance(value, int) and (type(value) is not int or value.bit_length() > 63):
            break
    else:
        return tuple(values)
    return tuple([_checked(value) for value in values])


def _checked(value: Value) -> Value:
    if isinstance(value, str):
        if "\0" in value:
            raise Invalid("STORAGE_VALUE_INVALID", "text with a NUL character cannot be stored")
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise Invalid(
                    "STORAGE_VALUE_INVALID", "text with a lone surrogate cannot be stored"
                ) from None
    elif isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise Invalid("STORAGE_VALUE_INVALID", f"{value} does not fit into 64 bits")
        return int(value)
    return value
