"""One task at a time per library, across processes: a concurrent git fails instead of waiting."""

from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import anyio

from toolweave.clock import Clock
from toolweave.errors import Conflict
from toolweave.storage.files import make_private_folder
from toolweave.storage.lock import hold

LOOK_EVERY_S = 0.1
MOST_LOOKS = 600


class LibraryLocks:
    """Locks by name, each a file in one folder."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._here: dict[str, anyio.Lock] = {}

    @asynccontextmanager
    async def turn(self, name: str) -> AsyncGenerator[None]:
        """Acquire and hold the lock. Raises `STORAGE_IN_USE` after a minute."""
        async with self._here.setdefault(name, anyio.Lock()):
            make_private_folder(self._folder)
            with ExitStack() as stack:
                for look in range(MOST_LOOKS):
                    try:
                        stack.enter_context(hold(self._folder / f"{name}.lock"))
                        break
                    except Conflict:
                        if look == MOST_LOOKS - 1:
                            raise
                    await self._clock.sleep(LOOK_EVERY_S)
                # A lock left behind by a killed git would block every later one.
                (self._folder / f"{name}.git" / "shallow.lock").unlink(missing_ok=True)
                yield
