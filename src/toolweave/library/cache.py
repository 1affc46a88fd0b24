"""What was read of repositories, kept in the database: so it is there offline and after a restart.

Keys are `flows:list:{ref}`, `flow:{name}:{ref}`, `template:{name}:{ref}`. An entry is
good for as long as its ref stands for the commit it was read at; that is asked again after 15
minutes, and where nothing changed nothing is read again.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from toolweave.clock import Clock, timestamp
from toolweave.storage.database import Database

LIFE = timedelta(minutes=15)  # 003: TTL

Library = str


@dataclass(frozen=True, slots=True)
class KnownHead:
    """What a ref stood for when the remote was last asked."""

    commit: str
    checked_at: datetime
    is_fresh: bool


class Cache:
    """The tables of one database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def head(self, library: Library, ref: str) -> KnownHead | None:
        """What is known of a ref."""
        row = await self._database.row(
            "SELECT commit_id, checked_at FROM library_heads WHERE library = ? AND ref = ?",
            library,
            ref,
        )
        if row is None:
            return None
        checked_at = datetime.fromisoformat(str(row[1]))
        age = self._clock.now() - checked_at
        # A clock that was set back says nothing of the age.
        return KnownHead(str(row[0]), checked_at, timedelta(0) <= age < LIFE)

    async def note_head(self, library: Library, ref: str, commit: str) -> None:
        """The remote was asked just now."""
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
        """What is kept under a key, if it was read at this commit."""
        row = await self._database.row(
            "SELECT value FROM library_entries WHERE library = ? AND entry = ? AND commit_id = ?",
            library,
            key,
            commit,
        )
        return str(row[0]) if row else None

    async def put(self, library: Library, key: str, commit: str, value: str) -> None:
        """Keep something under a key, in the place of what was read at another commit."""
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
        """Have the remote asked again at the next use; what is kept stays for when it is down."""
        await self._database.execute(
            "UPDATE library_heads SET checked_at = ? WHERE library = ?",
            timestamp(datetime.fromisoformat("2000-01-01T00:00:00+00:00")),
            library,
        )

    async def forget(self, library: Library) -> None:
        """Keep nothing of a library."""
        async with self._database.transaction() as change:
            await change.execute("DELETE FROM library_heads WHERE library = ?", library)
            await change.execute("DELETE FROM library_entries WHERE library = ?", library)
