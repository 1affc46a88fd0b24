"""The saved versions of workflows: what each save wrote, when and by whom.

Contents are stored once per hash. A version that was named or published is kept; of the others, the
newest `keep` of each workflow.
"""

import hashlib
import logging
from dataclasses import dataclass

from toolweave.clock import Clock, timestamp
from toolweave.errors import NotFound, Unavailable
from toolweave.storage.database import Database, Row, Transaction

logger = logging.getLogger(__name__)

MAX_LABEL = 100
_COLUMNS = "number, revision, saved_at, author, label"


@dataclass(frozen=True, slots=True)
class WorkflowVersion:
    """One saved version; the revision is the hash of its content."""

    number: int
    revision: str
    saved_at: str
    # None for a file that another program wrote.
    author: str | None
    label: str | None


class WorkflowVersions:
    """The versions of all workflows of one database."""

    def __init__(self, database: Database, clock: Clock, *, keep: int) -> None:
        """`keep` is the number of versions without a name per workflow; 0 keeps all."""
        self._database = database
        self._clock = clock
        self._keep = keep

    async def record(
        self,
        slug: str,
        content: bytes,
        *,
        author: str | None,
        before: bytes | None = None,
        moved_from: str | None = None,
    ) -> None:
        """Add what was saved, unless it is the newest version already.

        `before` is the content that the save replaced: recorded first if another program wrote it.
        The file is saved by then, so an unavailable database is only logged.
        """
        try:
            async with self._database.transaction() as transaction:
                if moved_from is not None:
                    await _move(transaction, moved_from, slug)
                if before is not None:
                    await self._add(transaction, slug, before, None)
                await self._add(transaction, slug, content, author)
                if self._keep:
                    await _prune(transaction, slug, self._keep)
        except Unavailable as error:
            logger.warning("a version of %r was not recorded: %s", slug, error.message)

    async def list(self, slug: str) -> list[WorkflowVersion]:
        """The versions of a workflow, newest first."""
        sql = f"SELECT {_COLUMNS} FROM workflow_versions WHERE slug = ? ORDER BY number DESC"
        return [_version(row) for row in await self._database.rows(sql, slug)]

    async def get(self, slug: str, number: int) -> tuple[WorkflowVersion, bytes]:
        """One version with its content. Raises `NotFound`: `WORKFLOW_VERSION_NOT_FOUND`."""
        sql = (
            f"SELECT {_COLUMNS}, (SELECT content FROM workflow_contents AS contents"
            " WHERE contents.revision = workflow_versions.revision)"
            " FROM workflow_versions WHERE slug = ? AND number = ?"
        )
        row = await self._database.row(sql, slug, number)
        if row is None:
            raise _not_found(slug, number)
        return _version(row[:-1]), bytes(row[-1])

    async def set_label(self, slug: str, number: int, label: str | None) -> None:
        """Name a version, or remove its name. Raises `NotFound`: `WORKFLOW_VERSION_NOT_FOUND`."""
        sql = "UPDATE workflow_versions SET label = ? WHERE slug = ? AND number = ?"
        if not await self._database.execute(sql, label or None, slug, number):
            raise _not_found(slug, number)

    async def _add(
        self, transaction: Transaction, slug: str, content: bytes, author: str | None
    ) -> None:
        revision = hashlib.sha256(content).hexdigest()
        sql = "SELECT number, revision FROM workflow_versions WHERE slug = ? ORDER BY number DESC"
        newest = await transaction.row(f"{sql} LIMIT 1", slug)
        if newest is not None and newest[1] == revision:
            return
        sql = "SELECT 1 FROM workflow_contents WHERE revision = ?"
        if await transaction.row(sql, revision) is None:
            sql = "INSERT INTO workflow_contents (revision, content) VALUES (?, ?)"
            await transaction.execute(sql, revision, content)
        sql = f"INSERT INTO workflow_versions (slug, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"
        number = newest[0] + 1 if newest is not None else 1
        now = timestamp(self._clock.now())
        await transaction.execute(sql, slug, number, revision, now, author, None)


async def _move(transaction: Transaction, old: str, new: str) -> None:
    """Give the versions of `old` to `new`, after those of a deleted workflow of that name."""
    sql = "SELECT COALESCE(MAX(number), 0) FROM workflow_versions WHERE slug = ?"
    there = await transaction.row(sql, new)
    sql = "UPDATE workflow_versions SET slug = ?, number = number + ? WHERE slug = ?"
    await transaction.execute(sql, new, there[0] if there else 0, old)


async def _prune(transaction: Transaction, slug: str, keep: int) -> None:
    rows = await transaction.rows(
        "SELECT number FROM workflow_versions WHERE slug = ? AND label IS NULL"
        " ORDER BY number DESC LIMIT 1000 OFFSET ?",
        slug,
        keep,
    )
    if not rows:
        return
    await transaction.executemany(
        "DELETE FROM workflow_versions WHERE slug = ? AND number = ?"
        " AND revision NOT IN (SELECT revision FROM published_tools)",
        [(slug, row[0]) for row in rows],
    )
    await transaction.execute(
        "DELETE FROM workflow_contents WHERE revision NOT IN"
        " (SELECT revision FROM workflow_versions)"
    )


def _version(row: Row) -> WorkflowVersion:
    return WorkflowVersion(*row)


def _not_found(slug: str, number: int) -> NotFound:
    return NotFound(
        "WORKFLOW_VERSION_NOT_FOUND",
        f"the workflow {slug!r} has no version {number}",
        hint="list its versions; old ones without a name are deleted",
    )
