"""Passes the progress of running steps to those who follow their run."""

from collections.abc import Generator
from contextlib import contextmanager

from toolweave.engine.context import Listener
from toolweave.engine.events import Key
from toolweave.tools.tool import ToolProgress


class ProgressListeners:
    """The listeners of one engine; each hears the progress of every run."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    async def report(self, run: str, key: Key, progress: ToolProgress) -> None:
        """Tell all listeners; a `Listener` itself."""
        for listener in tuple(self._listeners):
            await listener(run, key, progress)

    @contextmanager
    def heard_by(self, listener: Listener) -> Generator[None]:
        """Call `listener` while the context is active."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)
