"""Doors to running demo servers, and one open client for each."""

from collections.abc import AsyncGenerator, Generator

import pytest
from mcp import Client

from demo.doors import Door, Mode, Transport, http_demo

WAYS: tuple[tuple[Transport, Mode], ...] = (
    ("stdio", "legacy"),
    ("stdio", "auto"),
    ("http", "legacy"),
    ("http", "auto"),
)


@pytest.fixture(scope="session")
def http_server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Door]:
    log = tmp_path_factory.mktemp("demo") / "http.log"
    with http_demo(log) as url:
        yield Door("http", "auto", url, log)


@pytest.fixture(scope="module", params=WAYS, ids="-".join)
def door(
    request: pytest.FixtureRequest,
    http_server: Door,
    tmp_path_factory: pytest.TempPathFactory,
) -> Door:
    transport, mode = request.param
    log = http_server.log if transport == "http" else tmp_path_factory.mktemp("demo") / "log"
    return Door(transport, mode, http_server.url, log)


# Of a module: clients nest in one task, so those of two folders must not be open together.
@pytest.fixture(scope="module")
async def client(door: Door) -> AsyncGenerator[Client]:
    with door.log.open("a", encoding="utf-8") as errlog:
        async with door.client(errlog) as client:
            yield client
