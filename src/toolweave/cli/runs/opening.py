"""The engine for one command."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from toolweave.app.open_engine import open_engine
from toolweave.app.studio import open_studio
from toolweave.cli.session import current_home
from toolweave.engine.engine import Engine

T = TypeVar("T")


def with_engine(work: Callable[[Engine], Awaitable[T]]) -> Callable[[], Awaitable[T]]:
    """Open the engine and call `work` with it."""

    async def opened() -> T:
        async with (
            current_home() as home,
            open_studio(home) as studio,
            open_engine(studio) as engine,
        ):
            return await work(engine)

    return opened
