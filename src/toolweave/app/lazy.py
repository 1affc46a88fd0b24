"""Opens a resource on first use, in a task that also closes it."""

import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Generic, TypeVar

import anyio

from toolweave.errors import ToolweaveError, Unavailable

T = TypeVar("T")

logger = logging.getLogger(__name__)


class Lazy(Generic[T]):
    """Opens once for all callers; after a failure the next caller tries again."""

    def __init__(self, opening: Callable[[], AbstractAsyncContextManager[T]]) -> None:
        self._opening = opening
        self._wanted = anyio.Event()
        self._settled = anyio.Event()
        self._opened: T | None = None
        self._failure: ToolweaveError | None = None

    async def serve(self) -> None:
        """Open on demand, and keep open until cancelled."""
        while True:
            await self._wanted.wait()
            try:
                async with self._opening() as opened:
                    self._opened = opened
                    self._settled.set()
                    await anyio.sleep_forever()
            except ToolweaveError as error:
                self._fail(error)
            except Exception:
                logger.exception("opening failed")
                self._fail(Unavailable("INTERNAL", "an internal error; see the log"))

    def _fail(self, error: ToolweaveError) -> None:
        self._opened = None
        self._failure = error
        self._wanted = anyio.Event()
        self._settled.set()

    @property
    def opened(self) -> T | None:
        """The resource, if somebody used it already."""
        return self._opened

    async def get(self) -> T:
        """Return the opened resource. Raises `ToolweaveError`: it cannot be opened."""
        if self._opened is None and not self._wanted.is_set():
            self._settled = anyio.Event()
            self._wanted.set()
        await self._settled.wait()
        if self._opened is not None:
            return self._opened
        failure = self._failure or Unavailable("STORAGE_BROKEN", "the home cannot be opened")
        raise failure
