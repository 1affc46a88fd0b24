"""An engine of its own for each test, on SQLite."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from tests.engine.building import Behaviour
from tests.nodes.flow.running import an_engine, opened_database

from toolweave.catalog.resources.record import Resources
from toolweave.engine.engine import Engine
from toolweave.storage.database import Database
from toolweave.testing.clock import FakeClock

Opened = Callable[..., Awaitable[Engine]]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def database(tmp_path: Path) -> AsyncGenerator[Database]:
    async with opened_database(tmp_path) as opened:
        yield opened


@pytest.fixture
async def engine(database: Database, clock: FakeClock) -> AsyncGenerator[Opened]:
    """Open an engine; `resources` are handed to nodes, other names are behaviours."""
    async with AsyncExitStack() as stack:

        async def opened(resources: Resources | None = None, **behaviours: Behaviour) -> Engine:
            return await stack.enter_async_context(
                an_engine(database, clock, resources, **behaviours)
            )

        yield opened
