"""When a call is tried again, how long it waits, and what stops its deadline."""

import anyio
import pytest

from toolweave.errors import Denied, Limited, TimedOut, ToolweaveError, Unavailable
from toolweave.servers.retry import is_temporary, pause_deadline, retry_delay_s
from toolweave.settings import Retry
from toolweave.tools.elicitation import ElicitationAnswer, ElicitationQuestion


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (Unavailable("MCP_SERVER_DISCONNECTED", ""), True),
        (Unavailable("SERVER_UNREACHABLE", ""), True),
        (TimedOut("SERVER_TIMED_OUT", ""), True),
        (Limited("SERVER_RATE_LIMITED", "", facts={"status": 429}), True),
        (Unavailable("SERVER_HTTP_ERROR", "", facts={"status": 503}), True),
        (Unavailable("SERVER_HTTP_ERROR", "", facts={"status": 404}), False),
        (Unavailable("SERVER_REFUSED", "", facts={"rpc_code": -32603}), True),
        (Unavailable("SERVER_REFUSED", "", facts={"rpc_code": -32600}), False),
        (Unavailable("SERVER_REFUSED", "", facts={"rpc_code": -32602}), False),
        (Unavailable("SERVER_PROTOCOL", ""), False),
        (Unavailable("SERVER_RESPONSE_TOO_LARGE", ""), False),
        (Unavailable("SERVER_COMMAND_NOT_FOUND", ""), False),
        (Limited("CALL_SESSION_LIMIT", ""), False),
        (Denied("SERVER_SIGN_IN_REQUIRED", ""), False),
    ],
    ids=lambda value: f"{value.code}-{value.facts}" if isinstance(value, ToolweaveError) else None,
)
def test_only_what_may_pass_is_worth_another_try(error: ToolweaveError, expected: bool) -> None:
    assert is_temporary(error) is expected


@pytest.mark.parametrize(("asked", "waited"), [(None, 5), (2, 5), (7.5, 7.5), ("soon", 5)])
def test_the_wait_is_the_planned_one_or_the_longer_one_asked_for(
    asked: object, waited: float
) -> None:
    error = Limited("SERVER_RATE_LIMITED", "", facts={"retry_after_s": asked})
    assert retry_delay_s(error, Retry((1.0, 5.0)), 1) == waited


@pytest.mark.anyio
async def test_the_deadline_stands_still_until_the_last_of_several_questions_is_answered() -> None:
    first, second = anyio.Event(), anyio.Event()

    async def answer(question: ElicitationQuestion) -> ElicitationAnswer:
        await (first if question.message == "first" else second).wait()
        return ElicitationAnswer("decline")

    with anyio.CancelScope() as total:
        total.deadline = before = anyio.current_time() + 100
        asker = pause_deadline(total, answer)

        async def ask(message: str) -> None:
            await asker(ElicitationQuestion("server", message))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, "first")
            tasks.start_soon(ask, "second")
            await anyio.wait_all_tasks_blocked()
            assert total.deadline == float("inf")
            first.set()
            await anyio.wait_all_tasks_blocked()
            assert total.deadline == float("inf")
            second.set()
        assert before <= total.deadline < float("inf")
