"""Keys in a JSON file: read whole, replaced whole, by one process at a time."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, ValidationError

from toolweave import json_text
from toolweave.catalog.resources.stores import KeptValue, Stores
from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.nodes.memory._keys import Room
from toolweave.nodes.memory._memory_keys import MemoryKeys
from toolweave.nodes.memory._storable_text import MAX_VALUE_BYTES


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    # Any JSON; a pydantic model cannot be given our recursive alias.
    value: object
    expires_at: float | None = None


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    values: dict[str, _Value]


@dataclass(frozen=True, slots=True)
class FileKeys:
    """`Keys` in the file `path` of the folder of stores."""

    stores: Stores
    path: str
    at_s: float

    async def get(self, key: str) -> str | None:
        """The text, if it is there."""
        return await (await self._read()).get(key)

    async def has(self, key: str) -> bool:
        """Whether it is there."""
        return await (await self._read()).has(key)

    async def set(self, key: str, text: str, *, ttl_s: float, room: Room) -> bool:
        """Keep it; false where there is no room."""
        async with self._changing() as keys:
            return await keys.set(key, text, ttl_s=ttl_s, room=room)

    async def delete(self, key: str) -> None:
        """Forget it, if it is there."""
        async with self._changing() as keys:
            await keys.delete(key)

    async def names(self, prefix: str) -> list[str]:
        """Every key that begins with `prefix`."""
        return await (await self._read()).names(prefix)

    async def clear(self, prefix: str) -> None:
        """Forget every key that begins with `prefix`."""
        async with self._changing() as keys:
            await keys.clear(prefix)

    @asynccontextmanager
    async def _changing(self) -> AsyncGenerator[MemoryKeys]:
        async with self.stores.locked():
            keys = await self._read()
            before = dict(keys.kept)
            yield keys
            if keys.kept != before:
                await self.stores.write(self.path, _written(keys))

    async def _read(self) -> MemoryKeys:
        data = await self.stores.read(self.path)
        if data is None:
            return MemoryKeys({}, self.at_s)
        try:
            file = _File.model_validate(json_text.read(data))
        except (Invalid, ValidationError):
            raise Invalid(
                "MEMORY_FILE_INVALID",
                f"{self.path!r} is no file of keys and values; it is left as it is",
                hint="choose another path, or move the file away",
            ) from None
        kept = {
            key: KeptValue(json_text.write(one.value), one.expires_at)
            for key, one in file.values.items()
        }
        return MemoryKeys(kept, self.at_s)


def _written(keys: MemoryKeys) -> bytes:
    values: dict[str, Json] = {
        key: {"value": json_text.read(kept.text), "expires_at": kept.expires_s}
        for key, kept in sorted(keys.kept.items())
    }
    data = json_text.write({"values": values}, pretty=True).encode()
    if len(data) > MAX_VALUE_BYTES:
        raise Invalid(
            "MEMORY_VALUE_INVALID",
            f"the file would have more than {MAX_VALUE_BYTES} bytes",
            hint="use the backend sqlite for so much",
        )
    return data
