"""Documents of collections in our database."""

from dataclasses import dataclass, field

from toolweave import json_text
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.memory._storable_text import escaped, text_of, unescaped
from toolweave.storage.database import Database

# All of a collection are looked at in a search.
MAX_DOCUMENTS = 10_000
_PUT = (
    "INSERT INTO memory_documents (collection, id, title, content, facts) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (collection, id) DO UPDATE SET title = excluded.title,"
    " content = excluded.content, facts = excluded.facts"
)
_COUNT = "SELECT count(*) FROM memory_documents WHERE collection = ?"


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A text with a name, and what is known of it."""

    id: str
    title: str
    content: str
    facts: JsonObject = field(default_factory=dict[str, Json])

    def as_json(self) -> JsonObject:
        """As it is shown."""
        return {"id": self.id, "title": self.title, "content": self.content, **self.facts}


@dataclass(frozen=True, slots=True)
class Documents:
    """One collection."""

    database: Database
    collection: str

    async def all(self) -> list[StoredDocument]:
        """Every document, by id."""
        sql = "SELECT id, title, content, facts FROM memory_documents WHERE collection = ?"
        rows = await self.database.rows(f"{sql} ORDER BY id", self._name)
        return [_document(*map(str, row)) for row in rows]

    async def get(self, identity: str) -> StoredDocument | None:
        """One document."""
        sql = "SELECT id, title, content, facts FROM memory_documents"
        row = await self.database.row(
            f"{sql} WHERE collection = ? AND id = ?", self._name, escaped(identity, "the id")
        )
        return None if row is None else _document(*map(str, row))

    async def put(self, *documents: StoredDocument) -> None:
        """Store documents; one with the same id is replaced."""
        rows = [
            (
                self._name,
                escaped(one.id, "the id"),
                json_text.write(one.title),
                json_text.write(one.content),
                text_of(one.facts, "the metadata"),
            )
            for one in documents
        ]
        async with self.database.transaction() as transaction:
            await transaction.executemany(_PUT, rows)
            row = await transaction.row(_COUNT, self._name)
            if row is not None and int(row[0]) > MAX_DOCUMENTS:
                raise Invalid(
                    "MEMORY_FULL",
                    f"{self.collection!r} would have more than {MAX_DOCUMENTS} entries",
                    hint="delete some, or use several collections",
                )

    async def delete(self, *ids: str) -> int:
        """Forget documents; how many there were."""
        gone = 0
        async with self.database.transaction() as transaction:
            for identity in ids:
                gone += await transaction.execute(
                    "DELETE FROM memory_documents WHERE collection = ? AND id = ?",
                    self._name,
                    escaped(identity, "the id"),
                )
        return gone

    @property
    def _name(self) -> str:
        return escaped(self.collection, "the collection")


def _document(identity: str, title: str, content: str, facts: str) -> StoredDocument:
    known = json_text.read(facts)
    assert isinstance(known, dict)
    name, text = json_text.read(title), json_text.read(content)
    return StoredDocument(unescaped(identity), str(name), str(text), known)
