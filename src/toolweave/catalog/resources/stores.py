"""Databases, files and caches that MEMORY nodes store data in."""

from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from toolweave.json_text import JsonObject
from toolweave.storage.database import Database

# As a database URL: the home's own database.
EMBEDDED = "embedded"

RedisReply: TypeAlias = "str | bytes | int | list[RedisReply] | None"


class RedisConnection(Protocol):
    """An open connection to a Redis."""

    async def ask(self, *words: str | bytes | int) -> RedisReply:
        """Send a command and return its reply.

        Raises:
            ToolweaveError: `REDIS_REFUSED` where Redis rejects this command.
            Denied: `REDIS_DENIED` for a wrong user or password.
            Unavailable: `REDIS_BUSY`, `REDIS_UNREACHABLE`, `REDIS_PROTOCOL`.
            TimedOut: `REDIS_TIMED_OUT`.
        """
        ...

    def scan(self, pattern: str) -> AsyncIterator[list[bytes]]:
        """Return the keys that match, in batches; a key may come twice."""
        ...


@dataclass(frozen=True, slots=True)
class KeptValue:
    """A value in memory, and the Unix time at which it expires."""

    text: str
    expires_s: float | None


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """All entries of a space at a version; `vectors` are the rows of a float32 matrix."""

    version: int
    ids: tuple[str, ...]
    metadata: tuple[JsonObject, ...]
    vectors: bytes
    dimension: int


class Stores(Protocol):
    """Every backend that a MEMORY node can store data in."""

    @property
    def database(self) -> Database:
        """The home's own database."""
        ...

    @property
    def values(self) -> dict[str, KeptValue]:
        """Values by key that live as long as this process."""
        ...

    @property
    def indexes(self) -> OrderedDict[str, VectorIndex]:
        """A cache of vectors by space, the most recently used last."""
        ...

    async def sqlite(self, path: str) -> Database:
        """Open or create a SQLite store in the folder of stores. Raises `FILE_DENIED`."""
        ...

    async def read(self, path: str) -> bytes | None:
        """Return a file in the folder of stores, or None where it does not exist."""
        ...

    async def write(self, path: str, data: bytes) -> None:
        """Replace a file in the folder of stores atomically."""
        ...

    def locked(self) -> AbstractAsyncContextManager[None]:
        """Lock the files against changes by other tasks and processes."""
        ...

    def redis(self, url: str) -> AbstractAsyncContextManager[RedisConnection]:
        """Connect to the Redis at `url`, in which `${vault:NAME}` is filled.

        Raises `Invalid`: `STORE_ADDRESS_INVALID`; `Denied`: `STORE_ADDRESS_DENIED` for a private
        address that is not allowed; `Unavailable`: `STORE_UNREACHABLE`, `REDIS_UNREACHABLE`.
        """
        ...

    async def postgres(self, url: str) -> Database:
        """Open the Postgres at `url`, in which `${vault:NAME}` is filled; ours for `embedded`.

        Raises `Invalid`: `STORE_ADDRESS_INVALID`; `Denied`: `STORE_ADDRESS_DENIED`; `Unavailable`:
        `STORE_UNREACHABLE`, `STORAGE_UNREACHABLE`.
        """
        ...
