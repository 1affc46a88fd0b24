"""Entries with vectors in a table of a Postgres that has the extension pgvector."""

from collections.abc import Sequence
from dataclasses import dataclass

from toolweave import json_text
from toolweave.catalog.node_input import refused_at
from toolweave.errors import Conflict, Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.memory._embedding import Vector
from toolweave.nodes.memory._vectors import Hits, Search, VectorEntry
from toolweave.patterns import pattern
from toolweave.storage.database import Database, Transaction, Value

MAX_DIMENSION = 16_000
_NAME = pattern(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
_INSTALLED = "SELECT 1 FROM pg_extension WHERE extname = 'vector'"
# Whether this user may create it, so that nothing fails where they may not.
_CREATABLE = (
    "SELECT 1 FROM pg_available_extension_versions WHERE name = 'vector'"
    " AND (NOT superuser OR (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)"
    " OR (trusted AND has_database_privilege(current_database(), 'CREATE')))"
)
_COLUMNS = (
    "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute"
    " WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped"
)
_AT_ONCE = 500


async def has_pgvector(database: Database) -> bool:
    """Whether a database is a Postgres with the extension, or one where we may create it."""
    if database.dialect.name != "postgresql":
        return False
    return bool(await database.row(_INSTALLED) or await database.row(_CREATABLE))


def quoted(table: str) -> str:
    """The name of a table, with or without its schema, as SQL takes it."""
    parts = table.split(".")
    if len(parts) > 2 or not all(_NAME.fullmatch(part) for part in parts):
        raise refused_at(
            ("table_name",),
            "NODE_INPUT_INVALID",
            f"{table[:80]!r} is no name of a table",
            hint="use letters, digits and underscores; a schema may stand before a dot",
        )
    return ".".join(f'"{part}"' for part in parts)


@dataclass(frozen=True, slots=True)
class PgVectors:
    """`Vectors` in a table with the columns id, content, metadata and embedding."""

    database: Database
    # As SQL takes it.
    table: str

    @classmethod
    async def opened(cls, database: Database, table: str, dimension: int) -> "PgVectors":
        """Open a table; where it is missing it is made."""
        if dimension > MAX_DIMENSION:
            message = f"pgvector stores at most {MAX_DIMENSION} dimensions, not {dimension}"
            raise Invalid("VECTOR_TABLE_MISFIT", message)
        name = quoted(table)
        if not await database.rows(_COLUMNS, name):
            async with database.transaction() as transaction:
                await _make(transaction, name, dimension)
        _check(table, dimension, dict(await database.rows(_COLUMNS, name)))
        return cls(database, name)

    async def put(self, entries: Sequence[VectorEntry]) -> None:
        """Keep entries, in place of those of the same ids."""
        rows: list[tuple[Value, ...]] = [
            (one.id, one.content, json_text.write(one.metadata), _text(one.vector))
            for one in entries
        ]
        async with self.database.transaction() as transaction:
            # Not by ON CONFLICT: somebody else's table may have no unique id.
            await transaction.executemany(
                f"DELETE FROM {self.table} WHERE id = ?", [(one.id,) for one in entries]
            )
            await transaction.executemany(
                f"INSERT INTO {self.table} (id, content, metadata, embedding)"
                " VALUES (?, ?, ?::jsonb, ?::vector)",
                rows,
            )

    async def get(self, ids: Sequence[str]) -> dict[str, tuple[str, JsonObject]]:
        """Content and metadata of those that are there."""
        found: dict[str, tuple[str, JsonObject]] = {}
        for start in range(0, len(ids), _AT_ONCE):
            names = ids[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(names))
            sql = f"SELECT id, content, metadata::text FROM {self.table} WHERE id IN ({marks})"
            for name, content, metadata in await self.database.rows(sql, *names):
                found[str(name)] = (str(content), _object(metadata))
        return found

    async def delete(self, ids: Sequence[str]) -> int:
        """Forget them; how many were there."""
        sql = f"DELETE FROM {self.table} WHERE id = ?"
        return await self.database.executemany(sql, [(one,) for one in dict.fromkeys(ids)])

    async def search(self, search: Search) -> Hits:
        """The entries whose vectors point nearest the same way, by an exact comparison."""
        vector = _text(search.vector)
        conditions, values = _filter(search.filters)
        rows = await self.database.rows(
            "SELECT id, content, metadata, score FROM"
            " (SELECT id, content, metadata::text AS metadata,"
            f" 1 - (embedding <=> ?::vector) AS score FROM {self.table} WHERE {conditions})"
            " AS found WHERE score >= ? AND score <> 'NaN' ORDER BY score DESC, id LIMIT ?",
            vector,
            *values,
            search.threshold,
            search.max_results,
        )
        entries: list[JsonObject] = [
            {"id": str(name), "content": str(content), "metadata": _object(metadata)}
            for name, content, metadata, _ in rows
        ]
        return Hits(entries, [min(max(float(row[3]), 0.0), 1.0) for row in rows])


async def _make(transaction: Transaction, name: str, dimension: int) -> None:
    if not await transaction.row(_INSTALLED):
        if not await transaction.row(_CREATABLE):
            raise Conflict(
                "VECTOR_EXTENSION_MISSING",
                "this Postgres has no extension pgvector, and this user may not create it",
                hint="have an administrator run CREATE EXTENSION vector",
            )
        await transaction.execute("CREATE EXTENSION IF NOT EXISTS vector")
    await transaction.execute(
        f"CREATE TABLE IF NOT EXISTS {name} (id TEXT PRIMARY KEY, content TEXT NOT NULL,"
        f" metadata JSONB NOT NULL DEFAULT '{{}}', embedding vector({dimension}) NOT NULL)"
    )


def _check(table: str, dimension: int, columns: dict[str, str]) -> None:
    expected = {
        "id": {"text", "character varying"},
        "content": {"text", "character varying"},
        "metadata": {"jsonb"},
        "embedding": {f"vector({dimension})", "vector"},
    }
    for name, types in expected.items():
        found = columns.get(name)
        if found not in types:
            wanted = " or ".join(sorted(types))
            raise Conflict(
                "VECTOR_TABLE_MISFIT",
                f"column {name!r} of table {table!r} is {found or 'missing'}; expected {wanted}",
                hint="set vector_dimension to that of the table, or name another table",
            )


def _filter(filters: JsonObject) -> tuple[str, list[Value]]:
    """The condition of `fits`, in SQL."""
    conditions, values = ["TRUE"], list[Value]()
    for name, wanted in filters.items():
        options: list[Json] = wanted if isinstance(wanted, list) else [wanted]
        # Containment also finds a value in a list of them.
        either = " OR ".join(["coalesce(metadata -> ?, 'null') @> ?::jsonb"] * len(options))
        conditions.append(f"({either or 'FALSE'})")
        for one in options:
            values += [name, json_text.write(one)]
    return " AND ".join(conditions), values


def _text(vector: Vector) -> str:
    return f"[{','.join(format(one, '.9g') for one in vector)}]"


def _object(text: object) -> JsonObject:
    value = json_text.read(str(text))
    return value if isinstance(value, dict) else {}
