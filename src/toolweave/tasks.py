"""Task groups, loops of a service that survive a failure, and a time limit that can be paused."""

import logging
import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import TypeVarTuple

import anyio
from anyio.abc import TaskGroup

from toolweave.errors import ToolweaveError, Unavailable

logger = logging.getLogger(__name__)

Arguments = TypeVarTuple("Arguments")

AGAIN_AFTER_S = 1.0
AGAIN_AT_MOST_S = 60.0


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


async def keep_going(work: Callable[[*Arguments], Awaitable[None]], *arguments: *Arguments) -> None:
    """Run a loop of a service; after a failure it starts again, later each time.

    A service executes runs of other people too: what one of its loops meets must not end it.
    """
    delay_s = AGAIN_AFTER_S
    while True:
        began = anyio.current_time()
        try:
            await work(*arguments)
        except Exception:
            logger.exception("a background loop failed; it starts again")
        else:
            return
        if anyio.current_time() - began > AGAIN_AT_MOST_S:
            delay_s = AGAIN_AFTER_S
        await anyio.sleep(delay_s)
        delay_s = min(2 * delay_s, AGAIN_AT_MOST_S)


@contextmanager
def internal_errors(*, is_known: bool = False, **subject: str) -> Generator[None]:
    """Log an unexpected error of the body and raise it as `INTERNAL`.

    For work on one run, trigger, server or record whose caller handles `ToolweaveError`: its defect
    must not end the service. `subject` names it in the log, unless `is_known` from the last time.
    """
    try:
        yield
    except ToolweaveError:
        raise
    except Exception as error:
        if not is_known:
            logger.exception("unexpected error", extra=subject)
        raise Unavailable("INTERNAL", "an internal error; see the log") from error


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
