"""An engine of its own for each test, on both databases."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from tests.engine.building import Behaviour, EchoTools, Kinds
from tests.storage.postgres import Postgres

from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.journal import Journal
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.clock import FakeClock
from toolweave.testing.unchecked import Unchecked

Opened = Callable[..., Awaitable[Engine]]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgres"))]
)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a database of its own is: one of each kind."""
    if request.param == "postgresql":
        server: Postgres = request.getfixturevalue("postgres")
        return server.with_tables()
    return f"sqlite:///{tmp_path / 'runs.db'}"


@pytest.fixture
async def database(address: str) -> AsyncGenerator[Database]:
    async with open_database(address) as opened:
        await migrate(opened)
        yield opened


@pytest.fixture
async def engine(database: Database, clock: FakeClock) -> AsyncGenerator[Opened]:
    """Open an engine whose nodes behave as told; several on one database are several processes."""
    async with AsyncExitStack() as stack:

        async def opened(**behaviours: Behaviour) -> Engine:
            kinds = Kinds(**behaviours)
            services = EngineServices(EchoTools(), clock)
            made = Engine(
                database, Journal(database, clock), kinds, services=services, checker=Unchecked()
            )
            await stack.enter_async_context(made.running())
            return made

        yield opened
