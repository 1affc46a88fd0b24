"""Task groups whose body's own error comes out as itself, not wrapped in a group."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

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
