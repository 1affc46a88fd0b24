"""Every storage test that asks for an `address` or a `database` runs on both dialects."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.storage.postgres import Postgres

from toolweave.storage.database import Database, open_database


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgres"))]
)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new, empty database is or will be."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'home' / 'toolweave.db'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture
async def database(address: str) -> AsyncGenerator[Database]:
    """An open database with one table `things`."""
    async with open_database(address) as opened:
        await opened.execute("CREATE TABLE things (name TEXT PRIMARY KEY, n BIGINT)")
        yield opened
