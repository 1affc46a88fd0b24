"""Fixtures for tests through the gate."""

import pytest

from toolweave.testing.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()
