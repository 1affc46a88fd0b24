"""Questions of servers of the session protocol, which do not say which call they belong to."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from servers.test_connection_eras import answering, connected
from toolweave.testing.server import ScriptedServer, a_tool, asks, tells
from toolweave.tools.elicitation import ElicitationAnswer, ElicitationQuestion

pytestmark = pytest.mark.anyio

NAMES = ("first", "second", "third")


async def test_a_question_waits_for_its_person_while_others_are_asked(tmp_path: Path) -> None:
    server = ScriptedServer(tmp_path, *(a_tool(name) for name in NAMES), a_tool("plain"))
    for name in NAMES:
        server.on_call(name, [asks(f"{name}?"), asks(f"{name} again?"), tells()])
    asked: dict[str, list[str]] = {name: [] for name in NAMES}
    answered = {name: anyio.Event() for name in NAMES}
    # Any: what the server was told.
    told: dict[str, Any] = {}
    async with connected(server) as connection, anyio.create_task_group() as tasks:

        async def call(name: str) -> None:
            async def ask(question: ElicitationQuestion) -> ElicitationAnswer:
                asked[name].append(question.message)
                await answered[name].wait()
                return ElicitationAnswer("accept", {"by": name})

            told[name] = (await connection.call(name, {}, asker=ask)).structured

        with anyio.fail_after(60):
            for number, name in enumerate(NAMES):
                tasks.start_soon(call, name)
                while sum(map(len, asked.values())) <= number:  # noqa: ASYNC110 # a person's eyes
                    await anyio.sleep(0.01)
            # Three questions are open, and a tool that asks nothing is not delayed.
            assert (await connection.call("plain", {"text": "hi"})).text
            for name in ("second", "third", "first"):
                answered[name].set()
                while name not in told:  # noqa: ASYNC110 # another task
                    await anyio.sleep(0.01)
    assert asked == {name: [f"{name}?", f"{name} again?"] for name in NAMES}
    assert [told[name]["content"] for name in NAMES] == [{"by": name} for name in NAMES]


async def test_a_question_ends_with_its_call_and_keeps_no_other_from_being_asked(
    tmp_path: Path,
) -> None:
    server = ScriptedServer(tmp_path, a_tool("ask"))
    server.on_call("ask", [asks("Sure?"), tells()])
    is_asked, never_answered = anyio.Event(), anyio.Event()

    async def wait(_: ElicitationQuestion) -> ElicitationAnswer:
        is_asked.set()
        await never_answered.wait()
        raise AssertionError

    asker, asked = answering(ElicitationAnswer("accept", {}))
    async with connected(server) as connection:
        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(lambda: connection.call("ask", {}, asker=wait))
                await is_asked.wait()
                tasks.cancel_scope.cancel()
            await connection.call("ask", {}, asker=asker)
    assert [question.message for question in asked] == ["Sure?"]
