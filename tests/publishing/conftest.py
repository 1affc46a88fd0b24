"""An MCP server over a home of its own."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from publishing.desk import Desk, desk_in


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Desk]:
    async with desk_in(tmp_path / "home") as opened:
        yield opened
