"""One statement of a node on Postgres. Imported only when needed."""

from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, asynccontextmanager, contextmanager
from typing import TypeAlias, cast
from urllib.parse import parse_qsl, unquote, urlsplit

import anyio
import psycopg
from psycopg import AsyncConnection, AsyncCursor
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import TupleRow

from toolweave.access.secret_destinations import HERE, to_host
from toolweave.access.secret_text import ExpandedText, SecretTexts
from toolweave.catalog.resources.databases import Parameters, QueryResult
from toolweave.errors import Conflict, Denied, Invalid, TimedOut, ToolweaveError, Unavailable
from toolweave.json_text import Json
from toolweave.network.allowed_address import allowed_address
from toolweave.resources.databases import POSTGRES
from toolweave.resources.http import PRIVATE_SETTING, any_host
from toolweave.resources.sql_statements import ResultSize, bound, for_postgres

CONNECT_S = 10
PORT = 5432
_SSL_MODES = frozenset({"disable", "allow", "prefer", "require", "verify-ca", "verify-full"})
_MAX_MS = 2**31 - 1

Values: TypeAlias = list[object] | dict[str, object]


async def query(
    secrets: SecretTexts,
    database: str,
    sql: str,
    parameters: Parameters,
    *,
    allow_writes: bool,
    allow_private: bool,
    max_rows: int,
    timeout_s: float,
) -> QueryResult:
    """Run one statement; see `Databases`."""
    values = bound(parameters)
    filled, conninfo = await _conninfo(secrets, database, allow_private=allow_private)
    try:
        with _explained(filled), anyio.fail_after(timeout_s):
            async with _connected(conninfo, timeout_s) as connection:
                await connection.set_read_only(not allow_writes)
                if not allow_writes:
                    return await _read(connection, for_postgres(sql), values, max_rows)
                found = await _write(connection, for_postgres(sql), values, max_rows)
                await connection.commit()
                return found
    except TimeoutError:
        message = f"the database did not answer in {timeout_s:g} s"
        raise TimedOut("DATABASE_TIMED_OUT", message) from None


async def _read(
    connection: AsyncConnection[TupleRow], sql: bytes, values: Values, max_rows: int
) -> QueryResult:
    size = ResultSize()
    rows: list[tuple[Json, ...]] = []
    async with connection.cursor() as cursor:
        # The cast: the declared type is too narrow.
        stream = cast("AsyncGenerator[TupleRow]", cursor.stream(sql, values))
        async with aclosing(stream):
            async for row in stream:
                if len(rows) == max_rows:
                    return QueryResult(_columns(cursor), tuple(rows), 0, True)
                rows.append(size.take(row))
        return QueryResult(_columns(cursor), tuple(rows), 0, False)


async def _write(
    connection: AsyncConnection[TupleRow], sql: bytes, values: Values, max_rows: int
) -> QueryResult:
    # Prepared: the server then accepts one statement only.
    cursor = await connection.execute(sql, values, prepare=True)
    if cursor.description is None:
        return QueryResult((), (), max(cursor.rowcount, 0), False)
    size = ResultSize()
    rows = [size.take(row) for row in await cursor.fetchmany(max_rows)]
    is_truncated = await cursor.fetchone() is not None
    only_read = (cursor.statusmessage or "").startswith(("SELECT", "SHOW", "EXPLAIN"))
    affected = 0 if only_read else cursor.rowcount
    return QueryResult(_columns(cursor), tuple(rows), affected, is_truncated)


def _columns(cursor: AsyncCursor[TupleRow]) -> tuple[str, ...]:
    return tuple(column.name for column in cursor.description or ())


@asynccontextmanager
async def _connected(conninfo: str, timeout_s: float) -> AsyncGenerator[AsyncConnection[TupleRow]]:
    timeout_ms = min(max(int(timeout_s * 1000), 1), _MAX_MS)
    theirs = str(conninfo_to_dict(conninfo).get("options") or "")
    connection = await AsyncConnection.connect(
        make_conninfo(
            conninfo,
            connect_timeout=CONNECT_S,
            application_name="toolweave",
            client_encoding="UTF8",
            options=f"{theirs} -c statement_timeout={timeout_ms}".strip(),
        )
    )
    try:
        yield connection
    finally:
        with anyio.CancelScope(shield=True):
            await connection.close()


async def _conninfo(
    secrets: SecretTexts, database: str, *, allow_private: bool
) -> tuple[ExpandedText, str]:
    """Return the connection parameters and the secrets in them.

    A whole address in the vault was stored by a person and may be anywhere; one written in a
    workflow is subject to the rule for addresses that workflows name.
    """
    if database.startswith("${vault:"):
        filled = await secrets.fill({"conninfo": database}, HERE)
        if not filled.texts["conninfo"].startswith(POSTGRES):
            raise _bad("the secret holds no postgresql:// address")
        return filled, filled.texts["conninfo"]
    parts = _split(database)
    filled = await secrets.fill({"password": parts["password"]}, to_host(parts["host"]))
    address = await _checked_address(parts["host"], int(parts["port"]), allow_private=allow_private)
    password = filled.texts["password"]
    named = {**parts, "password": password, "hostaddr": address}
    return filled, make_conninfo(**{name: value for name, value in named.items() if value})


def _split(database: str) -> dict[str, str]:
    try:
        parts = urlsplit(database)
        host, port = parts.hostname or "", parts.port or PORT
        options = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
    except ValueError:
        raise _bad("it cannot be read") from None
    if not host or parts.path.count("/") > 1 or parts.fragment:
        raise _bad("it is not written as postgresql://user@host/name")
    password = parts.password or ""
    if password and not (password.startswith("${vault:") and password.endswith("}")):
        raise _bad("it holds a password", "write ${vault:NAME} in its place")
    if options.keys() - {"sslmode"} or options.get("sslmode", "prefer") not in _SSL_MODES:
        raise _bad("of its options only sslmode is taken")
    return {
        "host": host,
        "port": str(port),
        "user": unquote(parts.username or ""),
        "password": password,
        "dbname": unquote(parts.path.removeprefix("/")),
        **options,
    }


async def _checked_address(host: str, port: int, *, allow_private: bool) -> str:
    """Return an allowed address of the host; the driver resolves nothing itself."""
    try:
        address = await allowed_address(host, port, any_host(allow_private=allow_private))
    except (OSError, UnicodeError):
        message = f"there is no address for the name {host!r}"
        raise Unavailable("DATABASE_UNREACHABLE", message) from None
    except ToolweaveError as error:
        raise Denied("DATABASE_DENIED", error.message) from None
    if address is not None:
        return address
    raise Denied(
        "DATABASE_DENIED",
        f"{host!r} is not a public address and nobody approved it",
        hint=f"keep the whole address in the vault, or set {PRIVATE_SETTING}=1",
    )


def _bad(why: str, hint: str | None = None) -> Invalid:
    message = f"the database's address cannot be used: {why}"
    return Invalid("DATABASE_ADDRESS_INVALID", message, hint=hint)


@contextmanager
def _explained(filled: ExpandedText) -> Generator[None]:
    try:
        yield
    except psycopg.Error as error:
        raise _translated(error, filled.hide(str(error).partition("\n")[0][:300])) from None


def _translated(error: psycopg.Error, message: str) -> ToolweaveError:
    if isinstance(error, psycopg.errors.QueryCanceled):
        return TimedOut("DATABASE_TIMED_OUT", message)
    if isinstance(error, psycopg.IntegrityError):
        return Conflict("DATABASE_CONFLICT", message)
    if isinstance(
        error, psycopg.errors.ReadOnlySqlTransaction | psycopg.errors.InsufficientPrivilege
    ):
        return Denied("DATABASE_DENIED", message)
    if isinstance(error, psycopg.OperationalError):
        return Unavailable("DATABASE_UNREACHABLE", message)
    return Invalid("DATABASE_QUERY_INVALID", message)
