"""Keys kept in this process, gone when it ends."""

from dataclasses import dataclass

from toolweave.catalog.resources.stores import KeptValue
from toolweave.errors import Invalid
from toolweave.nodes.memory._keys import Room
from toolweave.settings import MIB

# Of all workflows together.
MAX_HELD = 128 * MIB


@dataclass(frozen=True, slots=True)
class MemoryKeys:
    """`Keys` as a dictionary, seen at a moment."""

    kept: dict[str, KeptValue]
    at_s: float

    async def get(self, key: str) -> str | None:
        """The text, if it is there."""
        found = self.kept.get(key)
        return found.text if found and self._lives(found) else None

    async def has(self, key: str) -> bool:
        """Whether it is there."""
        return await self.get(key) is not None

    async def set(self, key: str, text: str, *, ttl_s: float, room: Room) -> bool:
        """Keep it; false where there is no room."""
        self._forget_expired()
        if key not in self.kept and len(self._below(room.prefix)) >= room.max_keys:
            return False
        if sum(len(kept.text) for kept in self.kept.values()) + len(text) > MAX_HELD:
            raise Invalid(
                "MEMORY_VALUE_INVALID",
                f"values held in memory would have more than {MAX_HELD} characters",
                hint="use the backend sqlite for so much",
            )
        self.kept[key] = KeptValue(text, self.at_s + ttl_s if ttl_s else None)
        return True

    async def delete(self, key: str) -> None:
        """Forget it, if it is there."""
        self.kept.pop(key, None)

    async def names(self, prefix: str) -> list[str]:
        """Every key that begins with `prefix`."""
        self._forget_expired()
        return self._below(prefix)

    async def clear(self, prefix: str) -> None:
        """Forget every key that begins with `prefix`."""
        for name in self._below(prefix):
            del self.kept[name]

    def _below(self, prefix: str) -> list[str]:
        return [name for name in self.kept if name.startswith(prefix)]

    def _lives(self, kept: KeptValue) -> bool:
        return kept.expires_s is None or kept.expires_s > self.at_s

    def _forget_expired(self) -> None:
        for name in [name for name, kept in self.kept.items() if not self._lives(kept)]:
            del self.kept[name]
