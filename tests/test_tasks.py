"""Background groups end with their body; loops of a service survive a failure."""

import anyio
import anyio.lowlevel
import pytest

from toolweave import tasks
from toolweave.errors import NotFound, Unavailable
from toolweave.tasks import background


@pytest.mark.anyio
async def test_the_error_of_the_body_is_not_wrapped() -> None:
    async def fail() -> None:
        async with background() as group:
            group.start_soon(anyio.sleep_forever)
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
        async with background() as group:
            group.start_soon(work)
            await anyio.lowlevel.checkpoint()
    assert ended == ["cancelled"]


@pytest.mark.anyio
async def test_a_cancelled_body_stays_cancelled() -> None:
    with anyio.move_on_after(0.01) as scope:
        async with background() as group:
            group.start_soon(anyio.sleep_forever)
            await anyio.sleep_forever()
    assert scope.cancelled_caught


@pytest.mark.anyio
async def test_a_task_that_fails_ends_the_body() -> None:
    async def fail() -> None:
        raise ZeroDivisionError

    async def body() -> None:
        async with background() as group:
            group.start_soon(fail)
            await anyio.sleep_forever()

    with anyio.fail_after(60), pytest.raises(ExceptionGroup) as caught:
        await body()
    assert caught.group_contains(ZeroDivisionError)


@pytest.mark.anyio
async def test_a_loop_that_fails_starts_again_and_a_cancelled_one_ends(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tasks, "AGAIN_AFTER_S", 0.0)
    turns: list[int] = []

    async def loop() -> None:
        turns.append(len(turns))
        if len(turns) < 3:
            raise ValueError("a damaged record")

    with anyio.fail_after(60):
        await tasks.keep_going(loop)
    assert turns == [0, 1, 2]
    assert caplog.text.count("ValueError: a damaged record") == 2
    with anyio.move_on_after(0.01) as scope:
        await tasks.keep_going(anyio.sleep_forever)
    assert scope.cancelled_caught


def test_an_unexpected_error_is_logged_and_raised_as_internal(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.raises(NotFound), tasks.internal_errors(run="r"):
        raise NotFound("X", "gone")
    assert not caplog.records
    with pytest.raises(Unavailable) as caught, tasks.internal_errors(run="r"):
        raise ValueError("a damaged record")
    assert caught.value.code == "INTERNAL"
    assert [record.__dict__["run"] for record in caplog.records] == ["r"]
    with pytest.raises(Unavailable), tasks.internal_errors(is_known=True):
        raise ValueError("a damaged record")
    assert len(caplog.records) == 1
