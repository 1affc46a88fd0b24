"""ACTION.DATABASE_QUERY on SQLite files and a real Postgres."""

import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import anyio
import psycopg
import pytest
from tests.network.wire import dialling
from tests.nodes.action.trying import code_of, run, secret_texts
from tests.storage.postgres import Postgres

from toolweave.catalog.resources.record import Resources
from toolweave.errors import Conflict, Invalid, NotFound, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.action.database_query import node
from toolweave.resources.databases import SqlDatabases
from toolweave.resources.files import AllowedFolders
from toolweave.resources.sql_statements import for_postgres

pytestmark = pytest.mark.anyio

TABLE = "CREATE TABLE orders (id INTEGER PRIMARY KEY, city TEXT NOT NULL, total REAL)"
ROWS = "INSERT INTO orders VALUES (1, 'London', 9.5), (2, 'Paris', NULL), (3, 'London', 20)"

Ask = Callable[..., Awaitable[JsonObject]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    with closing(sqlite3.connect(folder / "shop.db")) as connection, connection:
        connection.execute(TABLE)
        connection.execute(ROWS)
    return folder


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgres"))]
)
def ask(request: pytest.FixtureRequest, root: Path) -> Ask:
    """Ask the same of either database."""
    database, secret = "shop.db", ""
    if request.param == "postgresql":
        server: Postgres = request.getfixturevalue("postgres")
        database, secret = "${vault:shop-db}", server.new_database()
        with psycopg.connect(secret) as connection:
            connection.execute(TABLE.encode())
            connection.execute(ROWS.encode())
    databases = SqlDatabases(AllowedFolders([root]), secret_texts(shop_db=secret))

    async def asked(query: str, parameters: Json = None, **config: Json) -> JsonObject:
        configured: JsonObject = {"database": database, "query": query, **config}
        with anyio.fail_after(60):
            return await run(
                node, configured, Resources(databases=databases), parameters=parameters
            )

    return asked


@pytest.mark.exercises("ACTION.DATABASE_QUERY.database", "ACTION.DATABASE_QUERY.query")
async def test_rows_come_by_column(ask: Ask) -> None:
    query = "SELECT id, total FROM orders WHERE city = :city ORDER BY id"
    assert await ask(query, {"city": "London"}) == {
        "rows": [{"id": 1, "total": 9.5}, {"id": 3, "total": 20}],
        "columns": ["id", "total"],
        "row_count": 2,
        "affected_rows": 0,
        "truncated": False,
    }


@pytest.mark.exercises("ACTION.DATABASE_QUERY.inputs.parameters")
async def test_parameters_are_values_and_never_sql(ask: Ask) -> None:
    hostile = "x' OR 1=1; DROP TABLE orders; --"
    assert (await ask("SELECT id FROM orders WHERE city = ?", [hostile]))["rows"] == []
    assert (await ask("SELECT ':no ? %', city FROM orders WHERE id = ?", [2]))["row_count"] == 1
    assert (await ask("SELECT count(*) AS n FROM orders"))["rows"] == [{"n": 3}]


async def test_columns_of_one_name_are_told_apart(ask: Ask) -> None:
    found = await ask("SELECT a.id, b.id FROM orders a JOIN orders b ON a.id = b.id WHERE a.id = 1")
    assert found["rows"] == [{"id": 1, "id_2": 1}]
    assert found["columns"] == ["id", "id_2"]


@pytest.mark.exercises("ACTION.DATABASE_QUERY.max_rows")
@pytest.mark.parametrize(("most", "truncated"), [(2, True), (3, False)])
async def test_more_rows_than_asked_for_are_left_out(ask: Ask, most: int, truncated: bool) -> None:
    found = await ask("SELECT id FROM orders ORDER BY id", max_rows=most)
    assert (found["row_count"], found["truncated"]) == (most, truncated)


WRITES = [
    "DELETE FROM orders",
    "INSERT INTO orders VALUES (9, 'x', 1)",
    "UPDATE orders SET total = 0",
    "DROP TABLE orders",
    "CREATE TABLE x (a INTEGER)",
    "/* a */ -- b\n delete from orders",
]


@pytest.mark.parametrize("query", WRITES)
async def test_nothing_is_changed_unless_that_is_allowed(ask: Ask, query: str) -> None:
    with pytest.raises(ToolweaveError) as caught:
        await ask(query)
    assert code_of(caught) == "DATABASE_DENIED"
    assert (await ask("SELECT count(*) AS n FROM orders"))["rows"] == [{"n": 3}]


@pytest.mark.exercises("ACTION.DATABASE_QUERY.allow_writes")
async def test_a_change_is_kept_and_counted(ask: Ask) -> None:
    query = "UPDATE orders SET total = :total WHERE city = :city"
    changed = await ask(query, {"total": 1, "city": "London"}, allow_writes=True)
    assert changed["affected_rows"] == 2
    assert changed["rows"] == []
    assert (await ask("SELECT sum(total) AS s FROM orders"))["rows"] == [{"s": 2}]


async def test_a_change_can_give_rows(ask: Ask) -> None:
    query = "DELETE FROM orders WHERE id < ? RETURNING id"
    found = await ask(query, [3], allow_writes=True, max_rows=1)
    assert found["row_count"] == 1
    assert found["truncated"] is True
    assert found["affected_rows"] == 2
    assert (await ask("SELECT id FROM orders"))["rows"] == [{"id": 3}]


async def test_a_broken_key_is_a_conflict(ask: Ask) -> None:
    with pytest.raises(Conflict) as caught:
        await ask("INSERT INTO orders VALUES (1, 'x', 1)", allow_writes=True)
    assert code_of(caught) == "DATABASE_CONFLICT"


@pytest.mark.parametrize("allow_writes", [True, False])
@pytest.mark.parametrize(
    ("query", "parameters"),
    [
        ("SELECT 1; DELETE FROM orders", None),
        ("SELECT nothing FROM nowhere", None),
        ("SELECT FROM WHERE", None),
        ("SELECT :a", {"b": 1}),
        ("SELECT ?", []),
        ("", None),
        ("?", None),
        ("SELECT 1", "text"),
        ("SELECT ?", [2**70]),
        ("SELECT ?", ["a\0b"]),
        ("SELECT '" + "x" * 200_000 + "'", None),
    ],
    ids=lambda one: str(one)[:40],
)
async def test_what_cannot_be_asked_is_told(
    ask: Ask, query: str, parameters: Json, allow_writes: bool
) -> None:
    with pytest.raises(Invalid) as caught:
        await ask(query, parameters, allow_writes=allow_writes)
    assert code_of(caught) == "DATABASE_QUERY_INVALID"
    assert (await ask("SELECT count(*) AS n FROM orders"))["rows"] == [{"n": 3}]


@pytest.mark.parametrize("query", ["COPY orders TO PROGRAM 'id'", "VACUUM INTO 'x.db'",
                                   "ATTACH 'x.db' AS x", "DETACH x"])  # fmt: skip
async def test_files_and_programs_are_out_of_reach_even_for_writers(ask: Ask, query: str) -> None:
    with pytest.raises(ToolweaveError) as caught:
        await ask(query, allow_writes=True)
    assert code_of(caught) == "DATABASE_DENIED"


async def test_an_endless_query_is_stopped(ask: Ask) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"
    with pytest.raises(ToolweaveError) as caught:
        await ask(endless, timeout=0.2)
    assert code_of(caught) == "DATABASE_TIMED_OUT"


async def test_endless_rows_are_cut_off(ask: Ask) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    found = await ask(endless, max_rows=5)
    assert (found["row_count"], found["truncated"]) == (5, True)


async def test_huge_rows_are_refused(ask: Ask) -> None:
    wide = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        f"SELECT '{'x' * 90_000}' AS x FROM n"
    )
    with pytest.raises(Invalid) as caught:
        await ask(wide)
    assert code_of(caught) == "DATABASE_RESULT_TOO_LARGE"


async def test_values_of_postgres_become_json(postgres: Postgres, root: Path) -> None:
    databases = SqlDatabases(AllowedFolders([root]), secret_texts(db=postgres.new_database()))
    query = (
        "SELECT 1.50::numeric AS d, 3::numeric AS whole, 'NaN'::float8 AS nan, true AS yes, "
        "'2026-01-02T03:04:05Z'::timestamptz AT TIME ZONE 'UTC' AS at, '\\x00ff'::bytea AS raw, "
        "'{\"a\": [1]}'::jsonb AS j, ARRAY[1, 2] AS l, NULL AS nothing, "
        "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid AS u, interval '90 seconds' AS took, "
        "'5 % 3'::text AS p"
    )
    config: JsonObject = {"database": "${vault:db}", "query": query}
    found = await run(node, config, Resources(databases=databases))
    assert found["rows"] == [
        {
            "d": 1.5,
            "whole": 3,
            "nan": "nan",
            "yes": True,
            "at": "2026-01-02T03:04:05",
            "raw": "AP8=",
            "j": {"a": [1]},
            "l": [1, 2],
            "nothing": None,
            "u": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            "took": 90,
            "p": "5 % 3",
        }
    ]


async def sqlite(root: Path, database: str, query: str, **config: Json) -> JsonObject:
    databases = SqlDatabases(AllowedFolders([root]), secret_texts(other="mysql://x/y"))
    configured: JsonObject = {"database": database, "query": query, **config}
    return await run(node, configured, Resources(databases=databases))


async def test_a_sqlite_file_may_be_named_as_an_address(root: Path) -> None:
    found = await sqlite(root, "sqlite:///shop.db", "SELECT count(*) AS n FROM orders")
    assert found["rows"] == [{"n": 3}]


async def test_a_missing_file_is_made_only_to_be_written_to(root: Path) -> None:
    with pytest.raises(NotFound) as caught:
        await sqlite(root, "new.db", "SELECT 1")
    assert code_of(caught) == "FILE_NOT_FOUND"
    await sqlite(root, "new.db", "CREATE TABLE a (b)", allow_writes=True)
    assert (root / "new.db").exists()


@pytest.mark.parametrize("database", ["../shop.db", "/etc/passwd", "link.db", "sqlite:////etc/x"])
async def test_a_database_outside_the_folders_is_denied(root: Path, database: str) -> None:
    (root.parent / "other.db").write_bytes(b"")
    (root / "link.db").symlink_to(root.parent / "other.db")
    for allow_writes in (False, True):
        with pytest.raises(ToolweaveError) as caught:
            await sqlite(root, database, "SELECT 1", allow_writes=allow_writes)
        assert code_of(caught) == "FILE_DENIED"


async def test_what_is_no_database_is_told(root: Path) -> None:
    (root / "text.db").write_text("no database at all" * 100, encoding="utf-8")
    with pytest.raises(Invalid) as caught:
        await sqlite(root, "text.db", "SELECT * FROM sqlite_master")
    assert code_of(caught) == "DATABASE_QUERY_INVALID"


@pytest.mark.parametrize(
    "query",
    [
        "PRAGMA writable_schema = 1",
        "PRAGMA temp_store_directory = 'x'",
        "SELECT load_extension('x')",
        "EXPLAIN DELETE FROM orders",
        "WITH x AS (SELECT 1) DELETE FROM orders",
    ],
)
async def test_the_authorizer_sees_what_words_do_not_tell(root: Path, query: str) -> None:
    with pytest.raises(ToolweaveError) as caught:
        await sqlite(root, "shop.db", query)
    assert code_of(caught) in {"DATABASE_DENIED", "DATABASE_QUERY_INVALID"}
    found = await sqlite(root, "shop.db", "SELECT count(*) AS n FROM orders")
    assert found["rows"] == [{"n": 3}]


async def test_tables_can_be_looked_at(root: Path) -> None:
    found = await sqlite(root, "shop.db", "PRAGMA table_info(orders)")
    assert found["row_count"] == 3


ADDRESSES = [
    ("postgresql://u@127.0.0.1/x", "DATABASE_DENIED"),
    ("postgresql://u@localhost/x", "DATABASE_DENIED"),
    ("postgresql://u@10.1.2.3:5433/x", "DATABASE_DENIED"),
    ("postgresql://u@169.254.169.254/x", "DATABASE_DENIED"),
    ("postgresql://u@2130706433/x", "DATABASE_DENIED"),
    ("postgresql://u:secret@db.example.com/x", "DATABASE_ADDRESS_INVALID"),
    ("postgresql:///x?host=/var/run", "DATABASE_ADDRESS_INVALID"),
    ("postgresql://u@db.example.com/x?passfile=/etc/passwd", "DATABASE_ADDRESS_INVALID"),
    ("postgresql://u@db.example.com:port/x", "DATABASE_ADDRESS_INVALID"),
    ("postgresql://u@db.example.com/x?sslmode=maybe", "DATABASE_ADDRESS_INVALID"),
    ("mysql://u@db.example.com/x", "DATABASE_ADDRESS_INVALID"),
    ("${vault:other}", "DATABASE_ADDRESS_INVALID"),
    ("${vault:gone}", "SECRET_NOT_FOUND"),
]


@pytest.mark.parametrize(("database", "code"), ADDRESSES)
async def test_an_address_that_may_not_be_used_is_refused(
    root: Path, database: str, code: str
) -> None:
    with dialling() as dialled, pytest.raises(ToolweaveError) as caught:
        await sqlite(root, database, "SELECT 1")
    assert code_of(caught) == code
    assert "secret@" not in caught.value.message
    assert dialled == []


async def test_nobody_there_may_pass(root: Path) -> None:
    databases = SqlDatabases(
        AllowedFolders([root]), secret_texts(pw="hidden-word"), allow_private=True
    )
    config: JsonObject = {
        "database": "postgresql://u:${vault:pw}@127.0.0.1:9/x",
        "query": "SELECT 1",
    }
    with pytest.raises(ToolweaveError) as caught:
        await run(node, config, Resources(databases=databases))
    assert code_of(caught) == "DATABASE_UNREACHABLE"
    assert "hidden-word" not in caught.value.message


TRANSLATED = {
    "SELECT ?, :a, b::text": "SELECT %s, %(a)s, b::text",
    "SELECT '?', ':a', \"?\", 5 % 2": "SELECT '?', ':a', \"?\", 5 %% 2",
    "SELECT 'it''s ?' -- ?\n, ?": "SELECT 'it''s ?' -- ?\n, %s",
    "SELECT /* :a ? */ $x$ ? $x$, $$ :a $$, :b": "SELECT /* :a ? */ $x$ ? $x$, $$ :a $$, %(b)s",
    "SELECT '100%' LIKE ?": "SELECT '100%%' LIKE %s",
}


@pytest.mark.parametrize("sql", TRANSLATED, ids=str)
async def test_places_for_values_are_found_outside_of_texts_and_comments(sql: str) -> None:
    assert for_postgres(sql).decode() == TRANSLATED[sql]


async def test_only_reading_may_be_done_again() -> None:
    assert node.effect_of({"allow_writes": False}) == "keyed"
    assert node.effect_of({"allow_writes": True}) == "once"
    assert node.effect_of({"allow_writes": "{{ data.w }}"}) == "once"
