"""Reads runs from their table, without a workflow's plan or any node's code."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count

from toolweave.clock import timestamp
from toolweave.engine.events import STATUSES, RunStatus
from toolweave.engine.run_search import STARTED_BODY, RunSearch
from toolweave.errors import NotFound
from toolweave.storage.database import Database, Row, Value

# A time that has come by every clock, also by a slow one or one that was set back.
# Readers take it as the time at which the run was woken.
AT_ONCE = timestamp(datetime(1970, 1, 1, tzinfo=UTC))
ALL_RUNS = RunSearch()
# How many runs are read at once to compare their inputs.
_BATCH = 500
_COLUMNS = (
    "id, workflow, status, started_at, changed_at, finished_at, wake_at, trigger_kind, fork_of, "
    "error, queue"
)
# The start of the oldest run wanted of each workflow, then the runs from there on.
_LATEST = (
    "WITH wanted(name) AS (VALUES {wanted}), oldest(name, at) AS (SELECT name, coalesce("
    "(SELECT started_at FROM runs WHERE workflow = wanted.name ORDER BY started_at DESC "
    "LIMIT 1 OFFSET ?), '') FROM wanted) "
    f"SELECT {_COLUMNS} FROM oldest CROSS JOIN runs "
    "WHERE workflow = oldest.name AND started_at >= oldest.at ORDER BY started_at DESC, id"
)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as stored."""

    id: str
    workflow: str
    status: RunStatus
    started_at: str
    changed_at: str
    finished_at: str | None
    wake_at: str | None
    trigger: str | None
    fork_of: str | None
    error: str | None
    # The queue whose workers can continue it now; nothing if every worker can.
    queue: str | None = None


def unknown_run(run: str) -> NotFound:
    """Return the error for an id that no run has, or none that the caller may see."""
    hint = "give its whole id; `toolweave runs list` shows them"
    return NotFound("RUN_UNKNOWN", f"there is no run {run!r}", hint=hint)


class RunTable:
    """Reads runs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, run: str) -> RunRecord:
        """Return one run by its whole id. Raises `RUN_UNKNOWN`."""
        row = await self._database.row(f"SELECT {_COLUMNS} FROM runs WHERE id = ?", run)
        if row is None:
            raise unknown_run(run)
        return _run(row)

    async def match(self, run: str) -> RunRecord:
        """Return one run by its id or a prefix of it, to read it only. Raises `RUN_UNKNOWN`."""
        # Not by range: sort order depends on the database.
        begins = f"SELECT {_COLUMNS} FROM runs WHERE substr(id, 1, {len(run)}) = ? LIMIT 2"
        rows = await self._database.rows(begins, run)
        if not run or len(rows) != 1:
            hint = "give more of its id" if rows else "`toolweave runs list` shows them"
            raise NotFound("RUN_UNKNOWN", f"there is no run {run!r}", hint=hint)
        return _run(rows[0])

    async def newest(
        self,
        *,
        workflow: str | None = None,
        limit: int = 50,
        search: RunSearch = ALL_RUNS,
    ) -> list[RunRecord]:
        """Return the newest runs, by workflow name, status, time or inputs."""
        conditions = list(search.conditions())
        if workflow:
            conditions.append(("workflow = ?", (workflow,)))
        where = " AND ".join(sql for sql, _ in conditions) or "1 = 1"
        values = [value for _, given in conditions for value in given]
        body = f", {STARTED_BODY}" if search.text else ""
        query = f"SELECT {_COLUMNS}{body} FROM runs WHERE {where} ORDER BY started_at DESC, id"
        if not search.text:
            rows = await self._database.rows(f"{query} LIMIT ?", *values, limit)
            return [_run(row) for row in rows]
        found: list[RunRecord] = []
        for offset in count(step=_BATCH):
            rows = await self._database.rows(f"{query} LIMIT {_BATCH} OFFSET ?", *values, offset)
            found += [_run(row[:-1]) for row in rows if search.matches(_text(row[-1]))]
            if len(found) >= limit or len(rows) < _BATCH:
                break
        return found[:limit]

    async def latest(self, workflows: Sequence[str], limit: int) -> dict[str, list[RunRecord]]:
        """Return the last runs of each workflow, newest first; those without runs are left out.

        One query for many workflows, and it reads only these runs: both steps use the index by
        workflow and start, so older runs cost nothing.
        """
        found: dict[str, list[RunRecord]] = {}
        for start in range(0, len(workflows), _BATCH):
            names = workflows[start : start + _BATCH]
            wanted = ", ".join(["(?)"] * len(names))
            rows = await self._database.rows(_LATEST.format(wanted=wanted), *names, limit - 1)
            for run in map(_run, rows):
                found.setdefault(run.workflow, []).append(run)
        # Runs that started at the same time as the last one are read as well.
        return {name: runs[:limit] for name, runs in found.items()}


def _text(value: Value) -> str | None:
    return value if isinstance(value, str) else None


def _run(row: Row) -> RunRecord:
    found = RunRecord(*row)
    if found.status not in STATUSES:
        # Damaged, or of a later version.
        found = replace(found, status="failed", error=f"its status {found.status!r} is unknown")
    return replace(found, wake_at=found.changed_at) if found.wake_at == AT_ONCE else found
