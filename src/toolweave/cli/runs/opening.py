"""The engine for one command."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from toolweave.app.open_engine import open_engine
from toolweave.app.studio import open_studio
from toolweave.cli.session import home
from toolweave.engine.engine import Engine

T = TypeVar("T")


def with_engine(work: Callable[[Engine], Awaitable[T]]) -> Callable[[], Awaitable[T]]:
    """What a command does with the engine, as `run` takes it."""

    async def opened() -> T:
        async with home() as rooms, open_studio(rooms) as studio, open_engine(studio) as engine:
            return await work(engine)

    return opened
