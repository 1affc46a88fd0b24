"""How often each node is asked for: counted in memory, written to the database in one go."""

import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import anyio

from toolweave.clock import Clock, timestamp
from toolweave.json_text import Json, JsonObject
from toolweave.storage.database import Database

MAX_WAITING = 10_000
# Before the name of a catalog tool: nodes are counted beside them.
TOOL = "tool:"


@dataclass(frozen=True, slots=True)
class NodeUsage:
    """How often a node was asked for, and when last."""

    ref: str
    asked: int
    last_asked_at: str


class UsageCounts:
    """Counts refs, never callers; the owner saves periodically and at the end."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._waiting: Counter[str] = Counter()
        # Noted in one thread, saved from another.
        self._noting = threading.Lock()
        self._turn = anyio.Lock()

    def note(self, refs: Iterable[str]) -> None:
        """Count these nodes as asked for, once each; kept until the next `save`."""
        with self._noting:
            for ref in refs:
                # A live tool may have any name; one the database cannot hold must not stop others.
                if ref.isprintable() and (ref in self._waiting or len(self._waiting) < MAX_WAITING):
                    self._waiting[ref] += 1

    async def save(self) -> None:
        """Write what was noted; after a failure it is still noted.

        Raises:
            Conflict, Unavailable: the database's own errors.
        """
        async with self._turn:
            with self._noting:
                saved = Counter(self._waiting)
            now = timestamp(self._clock.now())
            if saved:
                await self._database.executemany(
                    "INSERT INTO node_usage (ref, asked, last_asked_at) VALUES (?, ?, ?) "
                    "ON CONFLICT (ref) DO UPDATE SET asked = node_usage.asked + excluded.asked, "
                    "last_asked_at = excluded.last_asked_at",
                    [(ref, count, now) for ref, count in saved.items()],
                )
            # What was noted meanwhile stays.
            with self._noting:
                self._waiting -= saved

    async def top(self, count: int = 10) -> list[NodeUsage]:
        """The nodes asked for most, as saved."""
        rows = await self._database.rows(
            "SELECT ref, asked, last_asked_at FROM node_usage ORDER BY asked DESC, ref LIMIT ?",
            count,
        )
        return [NodeUsage(str(ref), int(asked), str(last)) for ref, asked, last in rows]

    async def stats(self, count: int = 20) -> JsonObject:
        """The nodes asked for most and every catalog tool, each with its count."""
        found = await self.top(MAX_WAITING)
        shown: dict[bool, list[Json]] = {True: [], False: []}
        for usage in found:
            name = usage.ref.removeprefix(TOOL)
            entry: JsonObject = {
                "name": name,
                "count": usage.asked,
                "lastAskedAt": usage.last_asked_at,
            }
            shown[usage.ref.startswith(TOOL)].append(entry)
        return {"tools": shown[True], "nodes": shown[False][:count]}

    async def counts(self) -> dict[str, int]:
        """How often each node was asked for, as saved: what search breaks ties by."""
        return {usage.ref: usage.asked for usage in await self.top(MAX_WAITING)}
