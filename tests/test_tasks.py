"""A background group: the body's error comes out as it is, the tasks end with it."""

import anyio
import anyio.lowlevel
import pytest

from toolweave.errors import NotFound
from toolweave.tasks import background


@pytest.mark.anyio
async def test_the_error_of_the_body_is_not_wrapped() -> None:
    async def fail() -> None:
        async with background() as tasks:
            tasks.start_soon(anyio.sleep_forever)
            raise NotFound("X", "gone")

    with pytest.raises(NotFound):
        await fail()


@pytest.mark.anyio
async def test_tasks_are_cancelled_when_the_body_ends() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("cancelled")

    with anyio.fail_after(60):
        async with background() as tasks:
            tasks.start_soon(work)
            await anyio.lowlevel.checkpoint()
    assert ended == ["cancelled"]


@pytest.mark.anyio
async def test_a_cancelled_body_stays_cancelled() -> None:
    with anyio.move_on_after(0.01) as scope:
        async with background() as tasks:
            tasks.start_soon(anyio.sleep_forever)
            await anyio.sleep_forever()
    assert scope.cancelled_caught


@pytest.mark.anyio
async def test_a_task_that_fails_ends_the_body() -> None:
    async def fail() -> None:
        raise ZeroDivisionError

    async def body() -> None:
        async with background() as tasks:
            tasks.start_soon(fail)
            await anyio.sleep_forever()

    with anyio.fail_after(60), pytest.raises(ExceptionGroup) as caught:
        await body()
    assert caught.group_contains(ZeroDivisionError)
