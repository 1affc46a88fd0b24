"""A running server, and what each official suite found of it."""

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
import pytest

from conformance.fixtures import publish_all
from conformance.suites import SUITES, Check, run_suite
from rest.process import Served, served

FAST = {
    "TOOLWEAVE_RATE_PER_S": "1000000",
    "TOOLWEAVE_BURST": "1000000",
    "TOOLWEAVE_MCP_SOON_S": "5",
    "PYTHONPATH": str(Path(__file__).with_name("defect")),
}

Found = dict[str, list[Check]]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    home = tmp_path_factory.mktemp("conformance") / "home"
    anyio.run(publish_all, home)
    with served(home, FAST) as running:
        yield running


@pytest.fixture(scope="session")
def found(server: Served) -> Found:
    # At once: most of their time they wait for what must not come.
    with ThreadPoolExecutor() as threads:
        runs = {
            name: threads.submit(run_suite, name, server.url + "/mcp", server.key, server.home)
            for name in SUITES
        }
        return {name: run.result() for name, run in runs.items()}
