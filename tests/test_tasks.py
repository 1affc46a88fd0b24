"""Background tasks live as long as the body they serve, and errors come out as they are."""

import anyio
import pytest

from toolweave.tasks import background

pytestmark = pytest.mark.anyio


async def test_tasks_end_with_their_body() -> None:
    ended: list[str] = []

    async def serve() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("served")

    with anyio.fail_after(5):
        async with background() as tasks:
            tasks.start_soon(serve)
            await anyio.wait_all_tasks_blocked()
    assert ended == ["served"]


async def test_what_the_body_raises_comes_out_as_itself() -> None:
    error = KeyError("mine")

    async def body() -> None:
        async with background() as tasks:
            tasks.start_soon(anyio.sleep_forever)
            raise error

    with anyio.fail_after(5), pytest.raises(KeyError) as caught:
        await body()
    assert caught.value is error


async def test_a_task_that_fails_ends_the_body() -> None:
    async def fail() -> None:
        raise ZeroDivisionError

    async def body() -> None:
        async with background() as tasks:
            tasks.start_soon(fail)
            await anyio.sleep_forever()

    with anyio.fail_after(5), pytest.raises(ExceptionGroup) as caught:
        await body()
    assert caught.group_contains(ZeroDivisionError)
