"""Fixtures for every test."""

import pytest

# Postgres is a plugin so that all folders share one server.
pytest_plugins = [
    "tests.nodes.exercising",
    "tests.seeds.plugin",
    "tests.storage.postgres",
    "tests.workflow.corpus.plugin",
]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"
