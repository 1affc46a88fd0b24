"""A row that makes no sense, in any table of the real schema, stops neither the service nor others.

The tables are read from the database, so a new one is tried without being named here.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.security.controls import Control

from rest.house import house_in
from security.test_damaged_records import fill, works

pytestmark = pytest.mark.anyio

# It says which schema the file has; without it there is no database.
NOT_TRIED = {"schema_version"}
GARBAGE: tuple[str | bytes, ...] = ("garbage{", b"\xff\x00", "7")


def tables(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return sorted(name for (name,) in rows if not name.startswith("sqlite_"))


def add_rows(path: Path, table: str) -> int:
    """Add a row of each kind of garbage; return how many the table has taken."""
    taken = 0
    with closing(sqlite3.connect(path)) as database:
        columns = database.execute(
            f"SELECT name, type FROM pragma_table_info('{table}')"
        ).fetchall()
        names = ", ".join(name for name, _ in columns)
        for number, garbage in enumerate(GARBAGE):
            values = [number - 5 if kind in ("INTEGER", "REAL") else garbage for _, kind in columns]
            marks = ", ".join("?" for _ in columns)
            try:
                database.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)
                taken += 1
            except sqlite3.IntegrityError:
                continue  # the table itself refuses it
        database.commit()
    return taken


async def test_a_row_of_garbage_in_any_table_harms_nothing_else(
    tmp_path: Path, control: Control
) -> None:
    home = tmp_path / "home"
    path = home / "toolweave.db"
    async with house_in(home, rate_per_s=1e6, burst=10**6) as house:
        await fill(house)
        control("everything is shown before", not await works(house, control))
    tried = [name for name in tables(path) if name not in NOT_TRIED]
    taken = {table: add_rows(path, table) for table in tried}
    control("the tables have the rows", len(taken) > 30 and all(taken.values()))
    async with house_in(home, rate_per_s=1e6, burst=10**6) as house:
        assert await works(house, control) == []
