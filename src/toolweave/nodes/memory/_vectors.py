"""Entries with vectors: what a store of them can do, and the one in our own database."""

import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from anyio import CapacityLimiter, to_thread

from toolweave import json_text
from toolweave.catalog.resources.stores import VectorIndex
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.memory._embedding import Vector
from toolweave.nodes.memory._indexes import Indexes, nearest
from toolweave.nodes.memory._storable_text import escaped, unescaped
from toolweave.storage.database import Database, Transaction

_VERSION = "SELECT version FROM memory_spaces WHERE space = ?"
_CHANGED = (
    "INSERT INTO memory_spaces (space, version) VALUES (?, 1)"
    " ON CONFLICT (space) DO UPDATE SET version = memory_spaces.version + 1"
)
_PUT = (
    "INSERT INTO memory_vectors (space, id, content, metadata, vector) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (space, id) DO UPDATE SET content = excluded.content,"
    " metadata = excluded.metadata, vector = excluded.vector"
)
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class VectorEntry:
    """A text, what is known of it, and its vector."""

    id: str
    content: str
    metadata: JsonObject
    vector: Vector

    def as_json(self) -> JsonObject:
        """As it is shown."""
        return {"id": self.id, "content": self.content, "metadata": self.metadata}


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for."""

    vector: Vector
    filters: JsonObject
    threshold: float
    max_results: int


@dataclass(frozen=True, slots=True)
class Hits:
    """What was found, the nearest first, and whether the vectors were at hand."""

    entries: list[JsonObject]
    scores: list[float]
    was_at_hand: bool = False


class Vectors(Protocol):
    """Entries of one space."""

    async def put(self, entries: Sequence[VectorEntry]) -> None:
        """Keep entries, in place of those of the same ids."""
        ...

    async def get(self, ids: Sequence[str]) -> dict[str, tuple[str, JsonObject]]:
        """Content and metadata of those that are there."""
        ...

    async def delete(self, ids: Sequence[str]) -> int:
        """Forget them; how many were there."""
        ...

    async def search(self, search: Search) -> Hits: ...


class OwnVectors:
    """`Vectors` in the table `memory_vectors`, compared with every entry: exact."""

    def __init__(self, database: Database, space: str, dimension: int, indexes: Indexes) -> None:
        self._database = database
        self._space = space
        self._dimension = dimension
        self._indexes = indexes
        self._threads = CapacityLimiter(1)

    async def put(self, entries: Sequence[VectorEntry]) -> None:
        """Keep entries, in place of those of the same ids."""
        rows = [
            (
                self._space,
                escaped(one.id, "the id"),
                json_text.write(one.content),
                json_text.write(one.metadata),
                packed(one.vector),
            )
            for one in entries
        ]
        async with self._database.transaction() as transaction:
            await transaction.executemany(_PUT, rows)
            await transaction.execute(_CHANGED, self._space)

    async def get(self, ids: Sequence[str]) -> dict[str, tuple[str, JsonObject]]:
        """Content and metadata of those that are there."""
        found: dict[str, tuple[str, JsonObject]] = {}
        for start in range(0, len(ids), _AT_ONCE):
            names = [escaped(one, "the id") for one in ids[start : start + _AT_ONCE]]
            marks = ", ".join("?" * len(names))
            sql = (
                "SELECT id, content, metadata FROM memory_vectors"
                f" WHERE space = ? AND id IN ({marks})"
            )
            for name, content, metadata in await self._database.rows(sql, self._space, *names):
                text = str(json_text.read(str(content)))
                found[unescaped(str(name))] = (text, _object(metadata))
        return found

    async def delete(self, ids: Sequence[str]) -> int:
        """Forget them; how many were there."""
        rows = [(self._space, escaped(one, "the id")) for one in dict.fromkeys(ids)]
        async with self._database.transaction() as transaction:
            sql = "DELETE FROM memory_vectors WHERE space = ? AND id = ?"
            gone = await transaction.executemany(sql, rows)
            await transaction.execute(_CHANGED, self._space)
        return gone

    async def search(self, search: Search) -> Hits:
        """The entries whose vectors point nearest the same way."""
        index, was_at_hand = await self._index()

        def look() -> list[tuple[float, str]]:
            hits: list[tuple[float, str]] = []
            for score, place in nearest(index, search.vector, search.threshold):
                if fits(index.metadata[place], search.filters):
                    hits.append((score, index.ids[place]))
                    if len(hits) == search.max_results:
                        break
            return hits

        hits = await to_thread.run_sync(look, limiter=self._threads)
        known = await self.get([name for _, name in hits])
        # One may have been deleted since the index was read.
        there = [(score, name) for score, name in hits if name in known]
        entries: list[JsonObject] = [
            {"id": name, "content": known[name][0], "metadata": known[name][1]} for _, name in there
        ]
        return Hits(entries, [score for score, _ in there], was_at_hand)

    async def _index(self) -> tuple[VectorIndex, bool]:
        # The version first: what is written in between makes the index newer than it says.
        row = await self._database.row(_VERSION, self._space)
        version = 0 if row is None else int(row[0])
        index = self._indexes.get(self._space, version)
        if index is not None:
            return index, True
        sql = "SELECT id, metadata, vector FROM memory_vectors WHERE space = ? ORDER BY id"
        rows = await self._database.rows(sql, self._space)

        def build() -> VectorIndex:
            return VectorIndex(
                version,
                tuple(unescaped(str(row[0])) for row in rows),
                tuple(_object(row[1]) for row in rows),
                b"".join(unpacked(bytes(row[2])).tobytes() for row in rows),
                self._dimension,
            )

        index = await to_thread.run_sync(build, limiter=self._threads)
        self._indexes.keep(self._space, index)
        return index, False


def fits(metadata: JsonObject, filters: JsonObject) -> bool:
    """Whether all of `filters` hold: a value is there, or one of a list of values is."""
    return all(
        any(
            _is(metadata.get(name), one)
            for one in (wanted if isinstance(wanted, list) else [wanted])
        )
        for name, wanted in filters.items()
    )


def _is(value: Json, wanted: Json) -> bool:
    if isinstance(value, list) and not isinstance(wanted, list):
        return any(_is(one, wanted) for one in value)
    if isinstance(value, dict) and isinstance(wanted, dict):
        return all(name in value and _is(value[name], one) for name, one in wanted.items())
    # In Python, true is 1.
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)


def packed(vector: Vector) -> bytes:
    """32-bit floats, little end first."""
    return _swapped(vector).tobytes()


def unpacked(data: bytes) -> Vector:
    """What `packed` made this of."""
    return _swapped(array("f", data))


def _swapped(vector: Vector) -> Vector:
    if sys.byteorder == "big":
        vector = vector[:]
        vector.byteswap()
    return vector


def _object(text: object) -> JsonObject:
    value = json_text.read(str(text))
    return value if isinstance(value, dict) else {}


async def has_entries(source: Database | Transaction, space: str) -> bool:
    """Whether something is kept in the table of ours."""
    sql = "SELECT 1 FROM memory_vectors WHERE space = ? LIMIT 1"
    return await source.row(sql, space) is not None
