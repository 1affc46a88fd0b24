"""Fixtures for every test."""

import signal

import pytest
from hypothesis import HealthCheck, settings

# Postgres is a plugin so that all folders share one server.
pytest_plugins = [
    "tests.nodes.exercising",
    "tests.pool",
    "tests.preloaded.starting",
    "tests.security.controls",
    "tests.seeds.plugin",
    "tests.engine.temporal_server",
    "tests.storage.plugin",
    "tests.workflow.corpus.plugin",
]


def pytest_configure() -> None:
    """Restore Ctrl-C, which a suite started in the background ignores, and its children too."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # A slow example is a busy machine.
    settings.register_profile(
        "patient", deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("patient")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"
