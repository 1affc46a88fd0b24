"""Pictures, sounds and files in the results of tools that are too large for a run's journal.

A block of a value then has `bytes`, their number, and two addresses in place of `data`: `stored`
for MCP clients, and `href` for the REST interface. They are deleted with their run.
"""

import base64
import hashlib
from dataclasses import dataclass

from toolweave.engine.result_size import MIB
from toolweave.errors import Limited
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.storage.database import Database

MAX_RUN_BYTES = 64 * MIB
MAX_MIME_CHARS = 200
_STORED = pattern(r"toolweave://runs/([0-9a-f-]{36})/media/([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class StoredMedia:
    """Bytes and their type, as the tool declared it."""

    data: bytes
    mime_type: str | None


def stored_at(address: Json) -> tuple[str, str] | None:
    """Return the run and the digest in the address of a block, if it is one."""
    found = _STORED.fullmatch(address) if isinstance(address, str) else None
    return None if found is None else (found[1], found[2])


class RunMedia:
    """The stored media of all runs of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, run: str, data: bytes, mime_type: str | None) -> JsonObject:
        """Store bytes until the run is deleted; return their addresses.

        Raises `Limited`: `MEDIA_LIMIT`.
        """
        digest = hashlib.sha256(data).hexdigest()
        row = await self._database.row(
            "SELECT coalesce(sum(size), 0) FROM media WHERE run = ? AND hash <> ?", run, digest
        )
        if (row[0] if row else 0) + len(data) > MAX_RUN_BYTES:
            raise Limited(
                "MEDIA_LIMIT",
                f"the large media of this run have more than {MAX_RUN_BYTES // MIB} MiB together",
                hint="return fewer or smaller pictures, sounds and files from its tools",
            )
        await self._database.execute(
            "INSERT INTO media (run, hash, mime_type, size, content) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (run, hash) DO NOTHING",
            run,
            digest,
            None if mime_type is None else mime_type[:MAX_MIME_CHARS],
            len(data),
            data,
        )
        return {
            "stored": f"toolweave://runs/{run}/media/{digest}",
            "href": f"/api/v1/runs/{run}/media/{digest}",
        }

    async def read(self, run: str, digest: str) -> StoredMedia | None:
        """Return what a run stored under a digest."""
        row = await self._database.row(
            "SELECT content, mime_type FROM media WHERE run = ? AND hash = ?", run, digest
        )
        return None if row is None else StoredMedia(bytes(row[0]), row[1])

    async def inlined(self, value: Json) -> Json:
        """Return the content of a run with its stored media as base64 in it."""
        listed = value.get("content") if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(listed, list):
            return value
        return {**value, "content": [await self._with_data(block) for block in listed]}

    async def _with_data(self, block: Json) -> Json:
        address = block.get("stored") if isinstance(block, dict) else None
        found = stored_at(address)
        media = None if found is None else await self.read(*found)
        if media is None or not isinstance(block, dict):
            return block
        kept = {name: part for name, part in block.items() if name not in ("stored", "href")}
        return {**kept, "data": base64.b64encode(media.data).decode()}
