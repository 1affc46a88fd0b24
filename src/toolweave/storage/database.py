"""The one interface to a database: rows, row, execute, executemany, transaction.

SQL is written once, with `?` for values and no literal `?`; a dialect provides connections
(`DatabaseReader`, `DatabaseWriter`) and says how it differs (`SqlDialect`). Writes are exclusive
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
    """How one database's SQL differs: tokens of migrations, and how to ask for a table."""

    name: Literal["sqlite", "postgresql"]
    tokens: Mapping[str, str]
    find_table: str


class DatabaseReader(Protocol):
    """A connection (or several) that reads."""

    async def fetch(self, sql: str, values: Values) -> list[Row]: ...


class DatabaseWriter(DatabaseReader, Protocol):
    """The connection that writes; `Database` sees to it that one task uses it at a time.

    `rollback` never fails and is safe at any moment; a failed `commit` leaves nothing open.
    """

    async def begin(self) -> None: ...

    async def commit(self) -> None: ...

    async def rollback(self) -> None: ...

    async def execute(self, sql: str, values: Values) -> int: ...

    async def executemany(self, sql: str, rows: Sequence[Values]) -> int: ...

    async def execute_alone(self, sql: str, values: Values) -> int:
        """One statement as a transaction of its own."""
        ...

    async def at_once(
        self, statements: "Sequence[Statement]", *, shared: bool = False
    ) -> list[list[Row]]:
        """All statements as one transaction, and the rows of each."""
        ...


class NotificationListener(Protocol):
    """Hears what other processes say of what they wrote."""

    async def heard(self) -> Sequence[str]:
        """The next notices, maybe none; an empty one says that something was written."""
        ...


class NotificationSender(Protocol):
    """How the processes of one database hear of each other's writes."""

    @property
    def tells(self) -> bool:
        """Whether notices must be given: else writing is notice enough."""
        ...

    async def tell(self, notice: str) -> None: ...

    def ears(self) -> AbstractAsyncContextManager[NotificationListener]: ...


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement, for one row of values or for many; with many it gives no rows."""

    sql: str
    values: Values = ()
    many: tuple[Values, ...] | None = None


class Transaction:
    """What can be done until the `async with` ends; after a failed statement, nothing."""

    def __init__(self, writer: DatabaseWriter) -> None:
        self._writer = writer
        self._state: Literal["open", "failed", "over"] = "open"

    async def rows(self, sql: str, *values: Value) -> list[Row]:
        """All rows of a query, or of a statement with `RETURNING`."""
        with self._usable():
            return await self._writer.fetch(sql, checked(values))

    async def row(self, sql: str, *values: Value) -> Row | None:
        """The first row, if there is one."""
        found = await self.rows(sql, *values)
        return found[0] if found else None

    async def execute(self, sql: str, *values: Value) -> int:
        """Run one statement; the number of rows it touched."""
        with self._usable():
            return await self._writer.execute(sql, checked(values))

    async def executemany(self, sql: str, rows: Iterable[Sequence[Value]]) -> int:
        """Run one statement for each of `rows`; the number of rows touched in all."""
        with self._usable():
            return await self._writer.executemany(sql, [checked(row) for row in rows])

    def end(self, *, to_store: bool) -> None:
        """Refuse further use; nothing can be stored after a statement failed."""
        if to_store:
            self._check()
        self._state = "over"

    def _check(self) -> None:
        if self._state != "open":
            raise RuntimeError(f"this transaction is {self._state}; begin a new one")

    @contextmanager
    def _usable(self) -> Generator[None]:
        # Postgres refuses to go on after a failed statement, SQLite would: neither does here.
        self._check()
        try:
            yield
        except BaseException:
            self._state = "failed"
            raise


class Database:
    """An open database; reads never wait for writes.

    Raises (every method):
        Conflict: `STORAGE_CONFLICT` for a broken unique or foreign key, `STORAGE_IN_USE` when
            another process writes for too long.
        Unavailable: `STORAGE_FULL`, `STORAGE_BROKEN`, `STORAGE_READ_ONLY`, `STORAGE_UNREACHABLE`.
        Invalid: `STORAGE_VALUE_INVALID` for a value no column can hold.
    """

    def __init__(
        self,
        dialect: SqlDialect,
        *,
        reader: DatabaseReader,
        writer: DatabaseWriter,
        voice: NotificationSender,
    ) -> None:
        self.dialect = dialect
        self._voice = voice
        self._reader = reader
        self._writer = writer
        self._turn = anyio.Lock(fast_acquire=True)

    async def rows(self, sql: str, *values: Value) -> list[Row]:
        """All rows of a query; it cannot write."""
        return await self._reader.fetch(sql, checked(values))

    async def row(self, sql: str, *values: Value) -> Row | None:
        """The first row of a query, if there is one."""
        found = await self.rows(sql, *values)
        return found[0] if found else None

    async def execute(self, sql: str, *values: Value) -> int:
        """Run one statement durably; the number of rows it touched."""
        checked_values = checked(values)
        async with self._turn:
            return await self._writer.execute_alone(sql, checked_values)

    async def executemany(self, sql: str, rows: Iterable[Sequence[Value]]) -> int:
        """Run one statement for each of `rows`, all or none; the number of rows touched."""
        async with self.transaction() as transaction:
            return await transaction.executemany(sql, rows)

    async def at_once(
        self, statements: Sequence[Statement], *, shared: bool = False
    ) -> list[list[Row]]:
        """All statements as one transaction, at the price of one; the rows each `RETURNING` gave.

        For what need not decide between two statements. Where the database can, those that are
        `shared` wait for each other's rows only: they must touch rows in one order.
        """
        async with self._turn:
            return await self._writer.at_once(statements, shared=shared)

    @property
    def tells(self) -> bool:
        """Whether other processes hear of writes only by `tell`."""
        return self._voice.tells

    async def tell(self, notice: str) -> None:
        """Let whoever listens in other processes know; it may get lost."""
        await self._voice.tell(notice)

    def ears(self) -> AbstractAsyncContextManager[NotificationListener]:
        """Listen to other processes for as long as this is entered."""
        return self._voice.ears()

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Transaction]:
        """All or nothing, and nobody else writes meanwhile; left by an exception, nothing."""
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
    """Open `sqlite:///path`, a path, or `postgresql://…`; a missing SQLite file is created.

    Raises:
        Invalid: `SETTING_INVALID` for an address of another kind.
        Unavailable: `STORAGE_BROKEN`, `STORAGE_READ_ONLY`, `STORAGE_UNREACHABLE`.
    """
    text = str(address)
    scheme, found, rest = text.partition("://")
    if isinstance(address, Path) or not found:
        scheme, text = "sqlite", text
    elif scheme == "sqlite":
        text = rest.removeprefix("/")
    if scheme not in _OPENERS or not text:
        raise Invalid(
            "SETTING_INVALID",
            f"a database address cannot begin with {scheme + '://'!r}",
            hint="use a file's path, sqlite:///path or postgresql://user@host/name",
        )
    # By name: whoever uses SQLite never loads the Postgres driver.
    opened: Callable[[str], AbstractAsyncContextManager[Database]]
    opened = import_module(_OPENERS[scheme]).opened
    return opened(text)


def checked(values: Sequence[Value]) -> Values:
    """`values` as every dialect stores them alike: booleans as integers, no odd text.

    Raises:
        Invalid: `STORAGE_VALUE_INVALID` for NUL or a lone surrogate in text, or a huge integer.
    """
    return tuple(_checked(value) for value in values)


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
