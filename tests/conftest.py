"""Fixtures for every test."""

import pytest

pytest_plugins = ["tests.seeds.plugin", "tests.workflow.corpus.plugin"]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"
