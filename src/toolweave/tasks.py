"""Task groups whose body's own error comes out as itself, and a time limit that can be paused."""

import math
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

import anyio
from anyio.abc import TaskGroup


@asynccontextmanager
async def background() -> AsyncGenerator[TaskGroup]:
    """A group for tasks that serve the body: they are cancelled when it ends, however it ends."""
    failure: Exception | None = None
    async with anyio.create_task_group() as tasks:
        try:
            yield tasks
        except Exception as error:  # kept, and raised below as it was
            failure = error
        tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure


# The time limit of the step that the current task works for.
step_scope: ContextVar[anyio.CancelScope | None] = ContextVar("step_scope", default=None)


@contextmanager
def paused_deadline() -> Generator[None]:
    """Do not count the time of the body for the time limit of the current step."""
    scope, began = step_scope.get(), anyio.current_time()
    if scope is None or scope.deadline == math.inf:
        yield
        return
    left_s, scope.deadline = scope.deadline - began, math.inf
    try:
        yield
    finally:
        scope.deadline = anyio.current_time() + left_s
