"""Keys in a table, on either database; a step that is tried again changes nothing twice."""

from dataclasses import dataclass

from toolweave.nodes.memory._keys import Now, Room
from toolweave.nodes.memory._storable_text import escaped, unescaped
from toolweave.storage.database import Database, Transaction

REMEMBERED_S = 30 * 24 * 3600.0
_LIVES = "(expires_at IS NULL OR expires_at > ?)"
_SET = (
    "INSERT INTO memory_keys (key, value, expires_at) VALUES (?, ?, ?)"
    " ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at"
)


async def is_first(transaction: Transaction, now: Now) -> bool:
    """Whether this step has not done its work yet; from now on it has."""
    await transaction.execute("DELETE FROM memory_steps WHERE at < ?", now.at_s - REMEMBERED_S)
    noted = await transaction.execute(
        "INSERT INTO memory_steps (step, at) VALUES (?, ?) ON CONFLICT (step) DO NOTHING",
        escaped(now.step, "the step"),
        now.at_s,
    )
    return noted > 0


@dataclass(frozen=True, slots=True)
class SqlKeys:
    """`Keys` in the table `memory_keys`."""

    database: Database
    now: Now

    async def get(self, key: str) -> str | None:
        """The text, if it is there."""
        sql = f"SELECT value FROM memory_keys WHERE key = ? AND {_LIVES}"
        row = await self.database.row(sql, escaped(key), self.now.at_s)
        return None if row is None else str(row[0])

    async def has(self, key: str) -> bool:
        """Whether it is there."""
        sql = f"SELECT 1 FROM memory_keys WHERE key = ? AND {_LIVES}"
        return await self.database.row(sql, escaped(key), self.now.at_s) is not None

    async def set(self, key: str, text: str, *, ttl_s: float, room: Room) -> bool:
        """Keep it; false where there is no room."""
        name = escaped(key)
        expires_s = self.now.at_s + ttl_s if ttl_s else None
        async with self.database.transaction() as transaction:
            await transaction.execute(
                "DELETE FROM memory_keys WHERE expires_at <= ?", self.now.at_s
            )
            if not await _fits(transaction, name, room):
                return False
            if await is_first(transaction, self.now):
                await transaction.execute(_SET, name, text, expires_s)
        return True

    async def delete(self, key: str) -> None:
        """Forget it, if it is there."""
        name = escaped(key)
        async with self.database.transaction() as transaction:
            if await is_first(transaction, self.now):
                await transaction.execute("DELETE FROM memory_keys WHERE key = ?", name)

    async def names(self, prefix: str) -> list[str]:
        """Every key that begins with `prefix`."""
        start = escaped(prefix)
        sql = f"SELECT key FROM memory_keys WHERE substr(key, 1, ?) = ? AND {_LIVES}"
        rows = await self.database.rows(sql, len(start), start, self.now.at_s)
        return [unescaped(str(row[0])) for row in rows]

    async def clear(self, prefix: str) -> None:
        """Forget every key that begins with `prefix`."""
        start = escaped(prefix)
        async with self.database.transaction() as transaction:
            if await is_first(transaction, self.now):
                sql = "DELETE FROM memory_keys WHERE substr(key, 1, ?) = ?"
                await transaction.execute(sql, len(start), start)


async def _fits(transaction: Transaction, name: str, room: Room) -> bool:
    if await transaction.row("SELECT 1 FROM memory_keys WHERE key = ?", name):
        return True
    start = escaped(room.prefix)
    sql = "SELECT count(*) FROM memory_keys WHERE substr(key, 1, ?) = ?"
    row = await transaction.row(sql, len(start), start)
    return row is not None and int(row[0]) < room.max_keys
