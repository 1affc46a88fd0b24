"""Rows that cannot be read; what they describe is left out everywhere else, with a line in the log.

The journal and other large tables are not searched.
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from toolweave import json_text
from toolweave.doctor.finding import DoctorFinding
from toolweave.problems import quantity
from toolweave.storage.damaged_rows import UNREADABLE
from toolweave.storage.database import Database
from toolweave.workflow.formats.load import read

LARGE = frozenset({"journal", "blobs", "documents", "exchanges", "calls", "health", "media"})
MAX_ROWS = 10_000
SHOWN = 10
RESTORE = "restore a backup"


@dataclass(frozen=True, slots=True)
class _Kind:
    """A table whose rows have JSON objects: the name of a row, what it is, what helps."""

    table: str
    key: str
    what: str
    column: str
    remedy: str
    is_workflow: bool = False


_KINDS = (
    _Kind(
        *("published_tools", "tool", "published tool", "document"),
        "publish its workflow again, or `toolweave unpublish` it",
        is_workflow=True,
    ),
    _Kind("published_tools", "tool", "published tool", "input_schema", "publish it again"),
    _Kind(
        *("active_workflows", "slug", "triggers of workflow", "document"),
        "disable its triggers and enable them again",
        is_workflow=True,
    ),
    _Kind("questions", "id", "question", "body", "cancel the run that asks, and start it again"),
    _Kind("commands", "name", "command", "definition", "remove it and add it again"),
)


async def damaged_rows(database: Database) -> list[DoctorFinding]:
    """Find rows that cannot be read."""
    found: dict[str, DoctorFinding] = {}
    for kind in _KINDS:
        rows = await database.rows(
            f"SELECT {kind.key}, {kind.column} FROM {kind.table} LIMIT {MAX_ROWS}"
        )
        for name, text in rows:
            what = f"{kind.what} {name}"
            if not _is_readable(text, is_workflow=kind.is_workflow):
                details = f"its row in the database is damaged or of a later version: {kind.column}"
                found[what] = DoctorFinding("fault", what, details, kind.remedy)
    binary = [one async for one in _binary(database)] if database.dialect.name == "sqlite" else []
    return [*list(found.values())[:SHOWN], *binary[:SHOWN]]


def _is_readable(text: object, *, is_workflow: bool) -> bool:
    try:
        value = json_text.read(text) if isinstance(text, str) else None
        if is_workflow and isinstance(value, dict):
            read(value)
    except UNREADABLE:
        return False
    return isinstance(value, dict)


async def _binary(database: Database) -> AsyncGenerator[DoctorFinding]:
    """Find binary data in columns of text, which only SQLite accepts."""
    tables = await database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
    for (table,) in tables:
        if table in LARGE or str(table).startswith("sqlite_"):
            continue
        columns = await database.rows(f"SELECT name, type FROM pragma_table_info('{table}')")
        for column in [name for name, kind in columns if kind == "TEXT"]:
            sql = f"SELECT count(*) FROM {table} WHERE typeof({column}) = 'blob'"
            row = await database.row(sql)
            if row is not None and row[0]:
                details = f"{quantity(row[0], 'row')} with binary data in the text {column!r}"
                yield DoctorFinding("fault", f"table {table}", details, RESTORE)
