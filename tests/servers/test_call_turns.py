"""Questions of servers of the session protocol, which do not say which call they belong to."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import types
from mcp.server import Server, ServerRequestContext

from servers.test_connection_eras import answering, connected
from servers.transports.serving import listening, running
from toolweave.servers.connection import Connection, open_connection
from toolweave.servers.definition import HttpServer
from toolweave.servers.disconnect_reason import DisconnectReason
from toolweave.servers.transports.http import open_http
from toolweave.settings import Limits
from toolweave.testing.server import ScriptedServer, a_tool, asks, tells, waits
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


class _Run:
    """The steps of one run that call `book` at once, each with its person."""

    connection: Connection

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answered = anyio.Event()
        # Any: what the server was told.
        self.told: list[dict[str, Any]] = []

    async def call(self, audience: str | None = None) -> None:
        """Call once; the person answers with the question's own text."""

        async def ask(question: ElicitationQuestion) -> ElicitationAnswer:
            self.asked.append(question.message)
            await self.answered.wait()
            return ElicitationAnswer("accept", {"to": question.message})

        result = await self.connection.call("book", {}, asker=ask, audience=audience)
        assert isinstance(result.structured, dict)
        self.told.append(result.structured)


@pytest.mark.parametrize("first_waits_s", [0, 0.3], ids=["in order", "the last call asks first"])
async def test_calls_of_one_run_that_began_together_are_all_asked(
    tmp_path: Path, first_waits_s: float
) -> None:
    server = ScriptedServer(tmp_path, a_tool("book"))
    first = [waits(first_waits_s), asks("1?"), asks("1 again?"), tells()]
    server.on_call("book", first, [asks("2?"), tells()])
    run = _Run()
    async with connected(server) as run.connection, anyio.create_task_group() as tasks:
        with anyio.fail_after(60):
            tasks.start_soon(run.call, "run:1")
            tasks.start_soon(run.call, "run:1")
            while len(run.asked) < 2:  # noqa: ASYNC110 # a person's eyes
                await anyio.sleep(0.01)
            run.answered.set()
            while len(run.told) < 2:  # noqa: ASYNC110 # other tasks
                await anyio.sleep(0.01)
    assert {*run.asked} == {"1?", "2?", "1 again?"}
    assert sorted(one["content"]["to"] for one in run.told) == ["1 again?", "2?"]


async def test_of_calls_of_two_people_that_began_together_the_last_to_ask_is_refused(
    tmp_path: Path,
) -> None:
    server = ScriptedServer(tmp_path, a_tool("book"))
    server.on_call("book", [asks("1?"), tells()], [waits(0.3), asks("2?"), tells()])
    one, other = _Run(), _Run()
    one.answered.set()
    other.answered.set()
    async with connected(server) as one.connection, anyio.create_task_group() as tasks:
        other.connection = one.connection
        with anyio.fail_after(60):
            tasks.start_soon(one.call, "run:1")
            tasks.start_soon(other.call, "run:2")
            while len(one.told + other.told) < 2:  # noqa: ASYNC110 # other tasks
                await anyio.sleep(0.01)
    refused, answered = (other, one) if one.asked else (one, other)
    assert (refused.asked, answered.asked) == ([], ["1?"])
    assert "does not say which one it belongs to" in str(refused.told)
    assert answered.told[0]["content"] == {"to": "1?"}


@asynccontextmanager
async def connected_over_http() -> AsyncGenerator[Connection]:
    """A server of the session protocol whose tool `book` asks, and whose `slow` waits."""
    done = anyio.Event()

    async def list_tools(_: object, __: object) -> types.ListToolsResult:
        schema = {"type": "object"}
        return types.ListToolsResult(
            tools=[types.Tool(name=name, input_schema=schema) for name in ("book", "slow")]
        )

    async def call_tool(
        context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if params.name == "slow":
            await done.wait()
            return types.CallToolResult(content=[])
        name = (params.arguments or {})["name"]
        form = {"type": "object", "properties": {"by": {"type": "string"}}}
        found = await context.session.elicit_form(
            f"{name}?", form, related_request_id=context.request_id
        )
        content = {"name": name, "action": found.action, **(found.content or {})}
        return types.CallToolResult(content=[], structured_content=content)

    server = Server("asking", on_list_tools=list_tools, on_call_tool=call_tool)
    faults, limits = DisconnectReason("asking"), Limits()
    with listening() as (bound, origin), running(server.streamable_http_app(), bound):
        definition = HttpServer(url=f"{origin}/mcp")
        transport = open_http(definition, faults, headers={}, auth=None, limits=limits)
        with anyio.fail_after(60):
            async with open_connection(transport, faults, limits=limits, era="legacy") as opened:
                yield opened


async def test_over_http_each_question_is_of_the_call_on_whose_stream_it_comes() -> None:
    asked: dict[str, str] = {}
    # Any: what the server was told.
    told: dict[str, Any] = {}
    all_asked = anyio.Event()
    async with connected_over_http() as connection, anyio.create_task_group() as tasks:

        async def call(name: str) -> None:
            async def ask(question: ElicitationQuestion) -> ElicitationAnswer:
                asked[name] = question.message
                if len(asked) == len(NAMES):
                    all_asked.set()
                await all_asked.wait()
                return ElicitationAnswer("accept", {"by": name})

            result = await connection.call("book", {"name": name}, asker=ask)
            told[name] = result.structured

        # A call that asks nothing holds up no question.
        tasks.start_soon(lambda: connection.call("slow", {}))
        async with anyio.create_task_group() as calls:
            for name in NAMES:
                calls.start_soon(call, name)
        tasks.cancel_scope.cancel()
    assert asked == {name: f"{name}?" for name in NAMES}
    assert told == {name: {"name": name, "action": "accept", "by": name} for name in NAMES}
