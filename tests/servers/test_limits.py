"""How many calls may run: at once, in a session, after a stop."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import pytest

from toolweave.errors import Limited
from toolweave.servers.limits import ExecutionLimits
from toolweave.settings import Limits
from toolweave.tools.tool import ToolCall

pytestmark = pytest.mark.anyio


def a_call(scope: str = "doc") -> ToolCall:
    return ToolCall("server", "tool", scope=scope)


@asynccontextmanager
async def held(limits: ExecutionLimits, count: int) -> AsyncGenerator[list[ToolCall]]:
    """`count` calls that run until this is left."""
    calls = [a_call(f"scope {number}") for number in range(count)]
    leave = anyio.Event()

    async def run(call: ToolCall) -> None:
        async with limits.running(call):
            await leave.wait()

    async with anyio.create_task_group() as tasks:
        for call in calls:
            tasks.start_soon(run, call)
        await anyio.wait_all_tasks_blocked()
        yield calls
        leave.set()


async def test_the_26th_call_waits_its_turn() -> None:
    limits = ExecutionLimits(Limits())
    ran: list[str] = []

    async def wait(call: ToolCall) -> None:
        async with limits.running(call):
            ran.append(call.scope)

    async with anyio.create_task_group() as waiting, held(limits, 25) as calls:
        assert {call.id for call in limits.active} == {call.id for call in calls}
        waiting.start_soon(wait, a_call("first"))
        waiting.start_soon(wait, a_call("second"))
        await anyio.wait_all_tasks_blocked()
        assert ran == []
        assert len(limits.active) == 25
    assert ran == ["first", "second"]
    assert limits.active == ()


async def test_a_new_session_counts_from_zero() -> None:
    limits = ExecutionLimits(Limits(calls_per_session=1))
    async with limits.running(a_call()):
        pass
    limits.start_session("doc")
    limits.check(a_call())
    assert limits.executed("doc") == 0


async def test_minus_one_is_no_limit() -> None:
    limits = ExecutionLimits(Limits(calls_per_session=-1))
    for _ in range(200):
        async with limits.running(a_call()):
            pass
    assert limits.executed("doc") == 200


async def test_calls_that_wait_do_not_slip_past_the_session_limit() -> None:
    limits = ExecutionLimits(Limits(concurrent_calls=1, calls_per_session=2))
    outcomes: list[str] = []

    async def run() -> None:
        try:
            async with limits.running(a_call()):
                await anyio.lowlevel.checkpoint()
        except Limited as error:
            outcomes.append(error.code)
        else:
            outcomes.append("ran")

    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(run)
    assert sorted(outcomes) == ["CALL_SESSION_LIMIT"] * 3 + ["ran"] * 2


async def test_after_a_stop_nothing_new_runs_not_even_what_waited() -> None:
    limits = ExecutionLimits(Limits(concurrent_calls=1))
    refused: list[str] = []

    async def wait() -> None:
        try:
            async with limits.running(a_call("waiting")):
                pass
        except Limited as error:
            refused.append(error.code)

    async with anyio.create_task_group() as tasks, held(limits, 1):
        tasks.start_soon(wait)
        await anyio.wait_all_tasks_blocked()
        limits.stop()
        with pytest.raises(Limited) as caught:
            limits.check(a_call())
        assert caught.value.code == "CALLS_STOPPED"
    assert refused == ["CALLS_STOPPED"]
    assert limits.executed("waiting") == 0
    limits.resume()
    limits.check(a_call())


async def test_a_call_that_fails_or_is_cancelled_gives_its_slot_back() -> None:
    limits = ExecutionLimits(Limits(concurrent_calls=1))
    with pytest.raises(ZeroDivisionError):
        async with limits.running(a_call()):
            raise ZeroDivisionError
    with anyio.move_on_after(0.01):
        async with limits.running(a_call()):
            await anyio.sleep_forever()
    with anyio.fail_after(60):
        async with limits.running(a_call()):
            assert len(limits.active) == 1


async def test_one_task_may_hold_two_slots() -> None:
    limits = ExecutionLimits(Limits(concurrent_calls=2))
    async with limits.running(a_call()), limits.running(a_call()):
        assert len(limits.active) == 2


async def test_a_run_makes_as_many_calls_as_its_workflow_says() -> None:
    limits = ExecutionLimits(Limits(calls_per_session=2))
    for _ in range(5):
        async with limits.running(ToolCall("s", "t", source="workflow", scope="run:1")):
            assert len(limits.active) == 1
    assert limits.executed("run:1") == 0
