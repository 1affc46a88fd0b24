"""Runs the only step of a run in the task that drives it: a task for each step costs more.

A second task of the run watches. If the step takes long, or something happens meanwhile, that
task drives the run until the step has ended.
"""

from collections.abc import Awaitable, Callable

import anyio
from anyio.abc import TaskGroup

from toolweave.engine.context import StepContext
from toolweave.engine.decide import NextWork
from toolweave.engine.events import Event
from toolweave.engine.step_attempts import StepAttempts
from toolweave.errors import ToolweaveError

# How long a step may take until the other task takes over.
PATIENCE_S = 1.0


class LoneStep:
    """The step of one run that runs in the driving task, if there is one now."""

    def __init__(
        self,
        drive: Callable[[TaskGroup], Awaitable[bool]],
        attempts: StepAttempts,
        *,
        tell: Callable[[Event | None], None],
    ) -> None:
        self._drive = drive
        self._attempts = attempts
        self._tell = tell
        self._is_running = False
        self._is_watched = False
        self._needed = anyio.Event()
        # Set when the other task no longer drives.
        self._returned: anyio.Event | None = None
        self._failure: ToolweaveError | None = None
        # What the other task found: whether there is more to do.
        self.has_more = True

    def notice(self) -> None:
        """Something happened to the run."""
        if self._is_running:
            self._needed.set()

    async def run(self, work: NextWork, context: StepContext, tasks: TaskGroup) -> Event | None:
        """Run an attempt and return its event; none if the other task has processed it.

        Raises what the other task raised: the attempt is stopped then.
        """
        if not self._is_watched:
            self._is_watched = True
            tasks.start_soon(self._watch, tasks)
        self._is_running = True
        try:
            event = await self._attempts.make(work, context)
        finally:
            self._is_running = False
        if self._returned is not None:
            self._tell(event)
            await self._returned.wait()
            event = None
        if self._failure is not None:
            raise self._failure
        return event

    async def _watch(self, tasks: TaskGroup) -> None:
        while True:
            self._needed = anyio.Event()
            with anyio.move_on_after(PATIENCE_S):
                await self._needed.wait()
            if self._is_running:
                await self._stand_in(tasks)

    async def _stand_in(self, tasks: TaskGroup) -> None:
        returned = self._returned = anyio.Event()
        self._tell(None)
        try:
            while self._is_running:
                self.has_more = await self._drive(tasks)
        except ToolweaveError as error:  # raised in the task that runs the step
            self._failure = error
            self._attempts.stop()
        finally:
            self._returned = None
            returned.set()
