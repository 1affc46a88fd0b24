"""How many calls may run: at once, in a session, after a stop."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import pytest

from toolweave.errors import Limited
from toolweave.servers.limits import ExecutionLimits
from toolweave.settings import Limits, from_environment
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


@pytest.mark.requirement(
    "002:settings.mcpGlobalTimeout",
    "002:settings.mcpConcurrentLimit",
    "002:settings.mcpSessionLimit",
)
def test_the_limits_of_the_seed_are_the_defaults_and_can_be_set() -> None:
    default = from_environment({}).limits
    assert (default.call_deadline_s, default.concurrent_calls) == (30, 25)
    assert default.calls_per_session == 25
    names = {"CALL_DEADLINE_S": "5.5", "CONCURRENT_CALLS": "2", "CALLS_PER_SESSION": "-1"}
    limits = from_environment({f"TOOLWEAVE_{name}": text for name, text in names.items()}).limits
    assert (limits.call_deadline_s, limits.concurrent_calls, limits.calls_per_session) == (
        5.5,
        2,
        -1,
    )


@pytest.mark.requirement(
    "002:ExecutionTracker.concurrentLimit",
    "002:ExecutionTracker.activeExecutions",
    "002:ExecutionTracker.canExecute.concurrent-limit",
)
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


@pytest.mark.requirement(
    "002:ExecutionTracker.sessionLimit",
    "002:ExecutionTracker.totalExecuted",
    "002:ExecutionTracker.canExecute.session-limit",
)
async def test_the_26th_call_of_a_session_is_refused_and_other_sessions_are_not() -> None:
    limits = ExecutionLimits(Limits())
    for _ in range(25):
        async with limits.running(a_call()):
            pass
    assert limits.executed("doc") == 25
    with pytest.raises(Limited) as caught:
        async with limits.running(a_call()):
            pass
    assert caught.value.code == "CALL_SESSION_LIMIT"
    assert caught.value.facts == {"limit": 25, "scope": "doc"}
    async with limits.running(a_call("another")):
        pass
    assert (limits.executed("doc"), limits.executed("another")) == (25, 1)


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


@pytest.mark.requirement("002:ExecutionTracker.stopped", "002:ExecutionTracker.canExecute.stopped")
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


@pytest.mark.requirement("002:session.tracker-reset")
async def test_a_new_start_begins_with_nothing_counted_and_nothing_stopped() -> None:
    before = ExecutionLimits(Limits(calls_per_session=1))
    async with before.running(a_call()):
        before.stop()
    after = ExecutionLimits(Limits(calls_per_session=1))
    after.check(a_call())
    assert (after.executed("doc"), after.is_stopped, after.active) == (0, False, ())


async def test_a_call_that_fails_or_is_cancelled_gives_its_slot_back() -> None:
    limits = ExecutionLimits(Limits(concurrent_calls=1))
    with pytest.raises(ZeroDivisionError):
        async with limits.running(a_call()):
            raise ZeroDivisionError
    with anyio.move_on_after(0.01):
        async with limits.running(a_call()):
            await anyio.sleep_forever()
    with anyio.fail_after(5):
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
