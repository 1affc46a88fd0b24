"""The last runs of many workflows: in one query, which reads no older runs."""

import re

import pytest

from toolweave.engine.run_table import RunTable
from toolweave.storage.database import Database, Row, Value

pytestmark = pytest.mark.anyio

ADD = (
    "INSERT INTO runs (id, workflow, document, status, started_at, changed_at) "
    "VALUES (?, ?, 'd', 'success', ?, ?)"
)


async def add(database: Database, workflow: str, *seconds: int) -> None:
    times = [f"2026-01-01T00:00:{second:02}.000000Z" for second in seconds]
    rows = [
        (f"{workflow}-{second}", workflow, at, at)
        for second, at in zip(seconds, times, strict=True)
    ]
    await database.executemany(ADD, rows)


class Counted:
    """A database that keeps what it is asked."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.queries: list[tuple[str, tuple[Value, ...]]] = []

    async def rows(self, sql: str, *values: Value) -> list[Row]:
        self.queries.append((sql, values))
        return list(await self._database.rows(sql, *values))


async def test_the_last_runs_of_each_workflow_come_newest_first(database: Database) -> None:
    await add(database, "often", *range(30))
    await add(database, "once", 7)
    await add(database, "other", 50)
    found = await RunTable(database).latest(["often", "once", "never"], 3)
    ids = {name: [run.id for run in runs] for name, runs in found.items()}
    assert ids == {"often": ["often-29", "often-28", "often-27"], "once": ["once-7"]}
    assert await RunTable(database).latest([], 3) == {}


async def test_runs_that_started_together_are_not_more_than_wanted(database: Database) -> None:
    at = "2026-01-01T00:00:00.000000Z"
    await database.executemany(ADD, [(f"r{number}", "w", at, at) for number in range(9)])
    found = await RunTable(database).latest(["w"], 4)
    assert [run.id for run in found["w"]] == ["r0", "r1", "r2", "r3"]


async def test_five_hundred_workflows_take_one_query_that_uses_the_index(
    database: Database,
) -> None:
    names = [f"w{number}" for number in range(500)]
    for name in names[:20]:
        await add(database, name, *range(20))
    counted = Counted(database)
    found = await RunTable(counted).latest(names, 12)  # type: ignore[arg-type]  # it reads only
    assert [len(runs) for runs in found.values()] == [12] * 20
    [(sql, values)] = counted.queries
    if database.dialect.name == "sqlite":
        plan = [str(row[-1]) for row in await database.rows(f"EXPLAIN QUERY PLAN {sql}", *values)]
        reads = [line for line in plan if re.search(r"\bruns\b", line)]
        assert len(reads) == 2
        assert all(
            re.match(r"SEARCH runs USING (COVERING )?INDEX runs_by_workflow", line)
            for line in reads
        ), plan
