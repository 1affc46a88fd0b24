"""A migrated SQLite database, and a vault on it that keeps its key in a file."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from toolweave.access.vault import Vault
from toolweave.access.vault_key import KeySource
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
async def database(home: Path) -> AsyncGenerator[Database]:
    async with open_database(home / "toolweave.db") as opened:
        await migrate(opened)
        yield opened


@pytest.fixture
def vault(database: Database, home: Path) -> Vault:
    return Vault(database, KeySource(home, use_keyring=False))
