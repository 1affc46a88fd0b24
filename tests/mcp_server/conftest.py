"""A running HTTP server, a home for stdio processes, and every way to reach them."""

from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest
from mcp import Client

from mcp_server.doors import WAYS, Door
from rest.process import Served, served

FAST = {"TOOLWEAVE_RATE_PER_S": "1000000", "TOOLWEAVE_BURST": "1000000"}


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("mcp") / "home"
    home.mkdir()
    return home


@pytest.fixture(scope="session")
def http_server(home: Path) -> Generator[Served]:
    with served(home, FAST) as running:
        yield running


@pytest.fixture(scope="module", params=WAYS, ids="-".join)
def door(request: pytest.FixtureRequest, home: Path, http_server: Served) -> Door:
    transport, mode = request.param
    return Door(transport, mode, home, http_server if transport == "http" else None)


# Of a module: clients nest in one task, so those of two folders must not be open together.
@pytest.fixture(scope="module")
async def client(door: Door) -> AsyncGenerator[Client]:
    async with door.client() as client:
        yield client
