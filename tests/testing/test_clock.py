"""The fake clock keeps the promises of the real one, and moves only when told."""

from datetime import UTC, datetime, timedelta

import anyio
import pytest

from toolweave.clock import Clock, SystemClock
from toolweave.testing.clock import FakeClock

pytestmark = pytest.mark.anyio

START = datetime(2026, 5, 1, 12, tzinfo=UTC)


def test_both_times_stand_still_until_advanced() -> None:
    clock = FakeClock(START)
    assert (clock.now(), clock.monotonic()) == (START, 0)
    anyio.run(clock.advance, 90)
    assert (clock.now(), clock.monotonic()) == (START + timedelta(seconds=90), 90)


async def test_sleepers_wake_in_the_order_of_their_time_each_at_its_own_moment() -> None:
    clock = FakeClock()
    woken: list[tuple[str, float]] = []

    async def sleep(name: str, *naps: float) -> None:
        for seconds in naps:
            await clock.sleep(seconds)
            woken.append((name, clock.monotonic()))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(sleep, "late", 3)
        tasks.start_soon(sleep, "twice", 1, 1)
        tasks.start_soon(sleep, "never", 100)
        await clock.until_asleep(100)
        await clock.advance(10)
        assert woken == [("twice", 1), ("twice", 2), ("late", 3)]
        assert clock.sleeping == (90,)
        tasks.cancel_scope.cancel()
    assert clock.sleeping == ()


async def test_sleepers_due_at_once_wake_in_the_order_they_fell_asleep() -> None:
    clock = FakeClock()
    woken: list[int] = []

    async def sleep(number: int) -> None:
        await clock.sleep(5)
        woken.append(number)

    async with anyio.create_task_group() as tasks:
        for number in range(5):
            tasks.start_soon(sleep, number)
        await clock.until_asleep(5)
        await clock.advance(5)
    assert woken == [0, 1, 2, 3, 4]


async def test_somebody_can_wait_for_a_sleeper() -> None:
    clock = FakeClock()
    async with anyio.create_task_group() as tasks:
        with anyio.fail_after(60):
            tasks.start_soon(clock.sleep, 7)
            await clock.until_asleep(7)
            await clock.advance(3)
            await clock.until_asleep(4)
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize("clock", [FakeClock(), SystemClock()], ids=["fake", "system"])
async def test_no_time_is_no_wait_and_less_is_refused(clock: Clock) -> None:
    before = clock.monotonic()
    with anyio.fail_after(60):
        await clock.sleep(0)
    with pytest.raises(ValueError, match=r"-1|negative"):
        await clock.sleep(-1)
    assert clock.monotonic() >= before
    assert clock.now().tzinfo is UTC
