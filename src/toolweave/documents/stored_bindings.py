"""Bindings of documents that are stored in the home."""

import uuid
from dataclasses import dataclass

from toolweave import json_text
from toolweave.clock import Clock, timestamp
from toolweave.documents.bindings import MAX_BINDINGS, Binding, read_binding
from toolweave.errors import Limited, NotFound
from toolweave.storage.database import Database


@dataclass(frozen=True, slots=True)
class StoredBinding:
    """A binding and its id."""

    id: str
    binding: Binding


class StoredBindings:
    """Stored by the full path of the document."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def of(self, document: str) -> list[StoredBinding]:
        """Return the bindings of a document, the oldest first."""
        rows = await self._database.rows(
            "SELECT id, binding FROM section_bindings WHERE document = ? ORDER BY created_at, id",
            document,
        )
        return [
            StoredBinding(str(id_), read_binding(json_text.read(str(text)))) for id_, text in rows
        ]

    async def add(self, document: str, binding: Binding) -> StoredBinding:
        """Bind a section, replacing its earlier binding."""
        before = await self.of(document)
        if len(before) >= MAX_BINDINGS:
            raise Limited(
                "DOCUMENT_BINDING_LIMIT", f"a document has at most {MAX_BINDINGS} bindings"
            )
        same = [one.id for one in before if one.binding.section == binding.section]
        kept = StoredBinding(uuid.uuid4().hex[:12], binding)
        text = json_text.write(binding.as_json())
        async with self._database.transaction() as change:
            for old in same:
                await change.execute("DELETE FROM section_bindings WHERE id = ?", old)
            await change.execute(
                "INSERT INTO section_bindings (id, document, binding, created_at)"
                " VALUES (?, ?, ?, ?)",
                kept.id,
                document,
                text,
                timestamp(self._clock.now()),
            )
        return kept

    async def remove(self, document: str, id: str | None) -> int:
        """Unbind one section, or all without an id; return how many there were."""
        if id is None:
            return await self._database.execute(
                "DELETE FROM section_bindings WHERE document = ?", document
            )
        gone = await self._database.execute(
            "DELETE FROM section_bindings WHERE document = ? AND id = ?", document, id
        )
        if not gone:
            raise NotFound(
                "DOCUMENT_BINDING_NOT_FOUND",
                f"the document has no binding {id[:50]!r}",
                hint="`toolweave doc check` shows them",
            )
        return gone
