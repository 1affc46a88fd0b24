"""Database migrations: one numbered SQL file per step in `migrations/`, each applied once.

A file is dialect-neutral except for a few tokens (`{blob}`, `{identity}`, …); a statement ends at a
`;` that ends its line. A file that has been released is never edited: its checksum is recorded.

Processes of two versions may use one database while they are replaced one by one. A file that only
adds begins with `-- Compatible from N.`: programs that know version N go on with it. A file without
that line needs every older process to stop; those that run notice it (`require_known_schema`).
"""

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from toolweave.clock import Clock, SystemClock, timestamp
from toolweave.errors import Conflict
from toolweave.storage.database import Database, SqlDialect, Transaction, Value

_RECORD = (
    "CREATE TABLE schema_version (version INTEGER PRIMARY KEY, name TEXT NOT NULL,"
    " checksum TEXT NOT NULL, applied_at TEXT NOT NULL)"
)
_COMPATIBLE = "UPDATE schema_version SET compatible_from = ? WHERE version = ?"
# Not by name: a database of an older version has no column `compatible_from`.
_NEWER = "SELECT * FROM schema_version WHERE version > ? ORDER BY version"
_NOTE = "INSERT INTO schema_version (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: its number, its name and its SQL with tokens."""

    version: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """The checksum that detects edits after it was applied."""
        return hashlib.sha256(self.sql.encode()).hexdigest()

    @property
    def compatible_from(self) -> int | None:
        """The version that a program must know to use the database after it; its own if none."""
        found = re.match(r"-- Compatible from (\d+)\.", self.sql)
        return int(found[1]) if found else None

    def statements(self, dialect: SqlDialect) -> list[str]:
        """Return the SQL statements for one dialect."""
        sql = re.sub(r"\{(\w+)\}", lambda token: dialect.tokens[token[1]], self.sql)
        sql = re.sub(r"^\s*--.*$", "", sql, flags=re.MULTILINE)
        parts = re.split(r";[ \t]*$", sql, flags=re.MULTILINE)
        return [part.strip() for part in parts if part.strip()]


@cache
def shipped() -> tuple[Migration, ...]:
    """Return the migrations of this version of the program, in order."""
    found: list[Migration] = []
    for file in (Path(__file__).parent / "migrations").iterdir():
        named = re.fullmatch(r"(\d{4})_(\w+)\.sql", file.name)
        if named:
            found.append(Migration(int(named[1]), named[2], file.read_text(encoding="utf-8")))
    return tuple(sorted(found, key=lambda migration: migration.version))


async def migrate(
    database: Database,
    migrations: tuple[Migration, ...] | None = None,
    *,
    clock: Clock | None = None,
) -> int:
    """Apply all pending migrations, all or nothing; return the number of applied steps.

    An up-to-date database is only read, so a read-only one can still be used.

    Raises `Conflict`: `STORAGE_NEWER` if a newer version of the program migrated it,
    `STORAGE_MIGRATION_CHANGED` if an applied file was edited later; `Unavailable`:
    `STORAGE_READ_ONLY` if a pending migration cannot be written.
    """
    wanted = shipped() if migrations is None else migrations
    dialect = database.dialect
    await require_known_schema(database, wanted)
    if not _pending(wanted, await _applied(database, dialect)):
        return 0
    # Writes are exclusive: a second process waits here, then has nothing left to do.
    async with database.transaction() as transaction:
        applied = await _applied(transaction, dialect)
        if not applied:
            await transaction.execute(_RECORD)
        pending = _pending(wanted, applied)
        now = timestamp((clock or SystemClock()).now())
        for step in pending:
            for statement in step.statements(dialect):
                await transaction.execute(statement)
            await transaction.execute(_NOTE, step.version, step.name, step.checksum, now)
            if step.compatible_from is not None:
                await transaction.execute(_COMPATIBLE, step.compatible_from, step.version)
    return len(pending)


async def require_known_schema(
    database: Database, migrations: tuple[Migration, ...] | None = None
) -> None:
    """Check that this program can use the database as it is now. Raises `STORAGE_NEWER`."""
    wanted = shipped() if migrations is None else migrations
    known = max((step.version for step in wanted), default=0)
    if not await database.row(database.dialect.find_table, "schema_version"):
        return
    rows = await database.rows(_NEWER, known)
    needed = max((_compatible_from(*row) for row in rows), default=0)
    if needed > known:
        raise Conflict(
            "STORAGE_NEWER",
            f"the database has version {rows[-1][0]}, which needs a program that knows version "
            f"{needed}; this program supports {known}",
            hint="upgrade this program, or use another database",
            facts={"database": rows[-1][0], "program": known},
        )


def _compatible_from(version: int, *columns: Value) -> int:
    """The version that a newer step needs; a step of a database without that column, itself."""
    found = columns[3] if len(columns) > 3 else None
    return found if isinstance(found, int) else version


async def _applied(source: Database | Transaction, dialect: SqlDialect) -> dict[int, str]:
    """Return version and checksum of every applied step."""
    if not await source.row(dialect.find_table, "schema_version"):
        return {}
    return dict(await source.rows("SELECT version, checksum FROM schema_version"))


def _pending(wanted: tuple[Migration, ...], applied: dict[int, str]) -> list[Migration]:
    known = {step.version: step for step in wanted}
    newest_known = max(known, default=0)
    for version, checksum in applied.items():
        if version > newest_known:
            continue  # compatible: see `require_known_schema`
        if version not in known or known[version].checksum != checksum:
            raise Conflict(
                "STORAGE_MIGRATION_CHANGED",
                f"migration {version} differs from the one applied to this database",
                hint="install an official release; a released migration is never edited",
                facts={"version": version},
            )
    return [step for step in wanted if step.version not in applied]
