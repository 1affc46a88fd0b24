"""Fixtures for tests of servers: a migrated database, on both dialects for those that ask."""

from collections.abc import AsyncGenerator
from pathlib import Path

import psycopg
import pytest
from tests.storage.postgres import Postgres

from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(scope="session")
def postgres_address(postgres: Postgres) -> str:
    return postgres.with_tables()


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgres"))]
)
def either_address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new, empty database is or will be."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'home' / 'toolweave.db'}"
    # One database for all, emptied: making and removing forty takes longer than the tests.
    address: str = request.getfixturevalue("postgres_address")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return address


@pytest.fixture
async def either_database(either_address: str) -> AsyncGenerator[Database]:
    """Our tables, on SQLite and on Postgres."""
    async with open_database(either_address) as opened:
        await migrate(opened)
        yield opened
