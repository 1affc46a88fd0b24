"""Keys in a Redis, under their own names; expiry is by the clock of Redis."""

from dataclasses import dataclass

from toolweave.catalog.resources.stores import RedisConnection
from toolweave.errors import Invalid
from toolweave.nodes.memory._keys import Room
from toolweave.patterns import pattern

_GLOB = pattern(r"([*?\[\]\\^-])")
_AT_ONCE = 500
MAX_KEYS = 100_000


@dataclass(frozen=True, slots=True)
class RedisKeys:
    """`Keys` in a Redis that others may use as well."""

    redis: RedisConnection

    async def get(self, key: str) -> str | None:
        """The text, if it is there."""
        found = await self.redis.ask("GET", key)
        return found.decode("utf-8", "replace") if isinstance(found, bytes) else None

    async def has(self, key: str) -> bool:
        """Whether it is there."""
        return await self.redis.ask("EXISTS", key) == 1

    async def set(self, key: str, text: str, *, ttl_s: float, room: Room) -> bool:
        """Keep it; false where there is no room."""
        ends = ("PX", max(1, round(ttl_s * 1000))) if ttl_s else ()
        # One command for a key that is there: it may expire before the next.
        if await self.redis.ask("SET", key, text, "XX", *ends) is not None:
            return True
        if len(await self.names(room.prefix)) >= room.max_keys:
            return False
        await self.redis.ask("SET", key, text, *ends)
        return True

    async def delete(self, key: str) -> None:
        """Forget it, if it is there."""
        await self.redis.ask("DEL", key)

    async def names(self, prefix: str) -> list[str]:
        """Every key that begins with `prefix`."""
        found: set[bytes] = set()
        async for piece in self.redis.scan(_GLOB.sub(r"\\\1", prefix) + "*"):
            found.update(piece)
            if len(found) > MAX_KEYS:
                message = f"more than {MAX_KEYS} keys begin with {prefix!r}"
                raise Invalid("MEMORY_VALUE_INVALID", message, hint="use a longer key_prefix")
        return [name.decode("utf-8", "replace") for name in found]

    async def clear(self, prefix: str) -> None:
        """Forget every key that begins with `prefix`."""
        if not prefix:
            message = "clear would delete every key in this Redis, also those of others"
            raise Invalid("NODE_INPUT_INVALID", message, hint="set key_prefix")
        names = await self.names(prefix)
        for start in range(0, len(names), _AT_ONCE):
            await self.redis.ask("DEL", *names[start : start + _AT_ONCE])
