"""What MEMORY nodes need of the outside: databases, a folder, Redis. `app` provides it."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol, cast

from toolweave.catalog.node import NodeContext
from toolweave.nodes.memory._indexes import Indexes
from toolweave.nodes.memory._memory_keys import MemoryKeys
from toolweave.nodes.memory._redis import Redis
from toolweave.storage.database import Database

RESOURCE = "stores"
# As an address of vectors: our own database.
EMBEDDED = "embedded"


class Stores(Protocol):
    """Every place something can be kept."""

    @property
    def database(self) -> Database:
        """Our own."""
        ...

    @property
    def held(self) -> MemoryKeys:
        """What is kept in this process only."""
        ...

    @property
    def indexes(self) -> Indexes:
        """Vectors read before."""
        ...

    async def sqlite(self, path: str) -> Database:
        """A SQLite file in the folder of stores, with the tables of ours; made where missing.

        Raises:
            Denied: `FILE_DENIED` for a path that leaves the folder.
        """
        ...

    async def read(self, path: str) -> bytes | None:
        """A file in the folder of stores; nothing where there is none."""
        ...

    async def write(self, path: str, data: bytes) -> None:
        """Replace a file in the folder of stores, whole or not at all."""
        ...

    def locked(self) -> AbstractAsyncContextManager[None]:
        """Nobody else, of another process either, changes files meanwhile."""
        ...

    def redis(self, url: str) -> AbstractAsyncContextManager[Redis]:
        """A connection to the Redis at `url`, in which `${vault:NAME}` is filled.

        Raises:
            Invalid: `STORE_ADDRESS_INVALID`.
            Denied: `STORE_ADDRESS_DENIED` for a private address nobody allowed.
            Unavailable: `STORE_UNREACHABLE`, `REDIS_UNREACHABLE`.
        """
        ...

    async def postgres(self, url: str) -> Database:
        """The Postgres at `url`, in which `${vault:NAME}` is filled; ours where it is `embedded`.

        Raises:
            Invalid: `STORE_ADDRESS_INVALID`.
            Denied: `STORE_ADDRESS_DENIED`.
            Unavailable: `STORE_UNREACHABLE`, `STORAGE_UNREACHABLE`.
        """
        ...


def stores_of(context: NodeContext) -> Stores:
    """The stores of this process.

    Raises:
        Unavailable: `RESOURCE_MISSING`.
    """
    return cast("Stores", context.resource(RESOURCE))
