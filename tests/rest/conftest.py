"""A house for all tests of a file, whose rate nobody reaches."""

from collections.abc import AsyncGenerator

import pytest

from rest.house import House, house_in


@pytest.fixture(scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[House]:
    home = tmp_path_factory.mktemp("house") / "home"
    async with house_in(home, rate_per_s=1e6, burst=10**6) as opened:
        yield opened
