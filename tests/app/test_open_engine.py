"""What an opened engine gives its nodes."""

from dataclasses import fields
from pathlib import Path

import pytest

from servers.rooms import a_studio
from toolweave.app.open_engine import open_engine
from toolweave.catalog.resources.record import Resources

pytestmark = pytest.mark.anyio


async def test_open_engine_provides_every_resource(tmp_path: Path) -> None:
    names = [field.name for field in fields(Resources)]
    stand_in = type(Resources().http)
    assert all(type(getattr(Resources(), name)) in (stand_in, type(None)) for name in names)

    async with a_studio(tmp_path / "home") as studio, open_engine(studio) as engine:
        provided = engine.services.resources
        missing = [
            name for name in names if type(getattr(provided, name)) in (stand_in, type(None))
        ]

    assert missing == []
