"""A migrated database of either kind, for what is counted."""

from collections.abc import AsyncGenerator

import pytest
from tests.storage.conftest import address

from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate

__all__ = ["address"]


@pytest.fixture
async def database(address: str) -> AsyncGenerator[Database]:
    """An open database with every table."""
    async with open_database(address) as opened:
        await migrate(opened)
        yield opened
