"""Rooms that are opened when somebody first needs them, by a task that also closes them."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Generic, TypeVar

import anyio

from toolweave.errors import ToolweaveError, Unavailable

T = TypeVar("T")


class Lazy(Generic[T]):
    """Opens once, for all who ask; where that failed, whoever asks next has it tried again."""

    def __init__(self, opening: Callable[[], AbstractAsyncContextManager[T]]) -> None:
        self._opening = opening
        self._wanted = anyio.Event()
        self._settled = anyio.Event()
        self._opened: T | None = None
        self._failure: ToolweaveError | None = None

    async def serve(self) -> None:
        """Open when asked, and keep open until cancelled."""
        while True:
            await self._wanted.wait()
            try:
                async with self._opening() as opened:
                    self._opened = opened
                    self._settled.set()
                    await anyio.sleep_forever()
            except ToolweaveError as error:
                self._failure = error
                self._wanted = anyio.Event()
                self._settled.set()

    async def get(self) -> T:
        """What was opened.

        Raises:
            ToolweaveError: why it cannot be.
        """
        if self._opened is None and not self._wanted.is_set():
            self._settled = anyio.Event()
            self._wanted.set()
        await self._settled.wait()
        if self._opened is not None:
            return self._opened
        failure = self._failure or Unavailable("STORAGE_BROKEN", "the home cannot be opened")
        raise failure
