"""A cache of repository contents in the database, available offline and after a restart.

Keys are `flows:list:{ref}`, `flow:{name}:{ref}`, `template:{name}:{ref}`. An entry is valid while
its ref points to the commit it was read at; the remote is asked again after 15 minutes.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from toolweave.clock import Clock, timestamp
from toolweave.storage.database import Database

LIFE = timedelta(minutes=15)  # How long a ref is valid.

Library = str


@dataclass(frozen=True, slots=True)
class KnownHead:
    """The commit of a ref when the remote was last asked."""

    commit: str
    checked_at: datetime
    is_fresh: bool


class Cache:
    """The tables of one database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def head(self, library: Library, ref: str) -> KnownHead | None:
        """Return what is known of a ref."""
        row = await self._database.row(
            "SELECT commit_id, checked_at FROM library_heads WHERE library = ? AND ref = ?",
            library,
            ref,
        )
        if row is None:
            return None
        checked_at = datetime.fromisoformat(str(row[1]))
        age = self._clock.now() - checked_at
        # After the clock was set back, the age is unknown.
        return KnownHead(str(row[0]), checked_at, timedelta(0) <= age < LIFE)

    async def note_head(self, library: Library, ref: str, commit: str) -> None:
        """Record an answer of the remote."""
        await self._database.execute(
            "INSERT INTO library_heads (library, ref, commit_id, checked_at) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (library, ref) DO UPDATE SET commit_id = excluded.commit_id,"
            " checked_at = excluded.checked_at",
            library,
            ref,
            commit,
            timestamp(self._clock.now()),
        )

    async def get(self, library: Library, key: str, commit: str) -> str | None:
        """Return the value of a key, if it was read at this commit."""
        row = await self._database.row(
            "SELECT value FROM library_entries WHERE library = ? AND entry = ? AND commit_id = ?",
            library,
            key,
            commit,
        )
        return str(row[0]) if row else None

    async def put(self, library: Library, key: str, commit: str, value: str) -> None:
        """Store a value under a key, replacing one of another commit."""
        await self._database.execute(
            "INSERT INTO library_entries (library, entry, commit_id, value) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (library, entry) DO UPDATE SET commit_id = excluded.commit_id,"
            " value = excluded.value",
            library,
            key,
            commit,
            value,
        )

    async def expire(self, library: Library) -> None:
        """Make the next use ask the remote again; entries stay for when it is down."""
        await self._database.execute(
            "UPDATE library_heads SET checked_at = ? WHERE library = ?",
            timestamp(datetime.fromisoformat("2000-01-01T00:00:00+00:00")),
            library,
        )

    async def forget(self, library: Library) -> None:
        """Delete all entries of a library."""
        async with self._database.transaction() as change:
            await change.execute("DELETE FROM library_heads WHERE library = ?", library)
            await change.execute("DELETE FROM library_entries WHERE library = ?", library)
