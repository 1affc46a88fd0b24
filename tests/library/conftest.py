"""A repository and a home with a shelf, for each test."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.library.repo import ENVIRON, Repo

from toolweave.home import Home, open_home
from toolweave.library.home_libraries import library_store
from toolweave.library.store import LibraryStore
from toolweave.settings import Settings
from toolweave.testing.clock import FakeClock


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def home(tmp_path: Path, clock: FakeClock) -> AsyncGenerator[Home]:
    settings = Settings(home=tmp_path / "home")
    async with open_home(settings, clock=clock, environ=ENVIRON) as home:
        yield home


@pytest.fixture
def shelf(home: Home) -> LibraryStore:
    return library_store(home)


@pytest.fixture
async def team(shelf: LibraryStore, repo: Repo) -> LibraryStore:
    """The shelf with the repository added as `team`."""
    await shelf.add("team", str(repo.folder), ref=None, folder=repo.folder)
    return shelf
