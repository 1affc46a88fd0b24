"""One conversation with a real process, in both protocol eras, with servers good and sloppy."""

import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest

from servers.rooms import eventually
from toolweave.errors import Denied, Invalid, TimedOut, ToolweaveError, Unavailable
from toolweave.json_text import Json
from toolweave.servers.connection import INPUT_ROUNDS, Connection, Era, open_connection
from toolweave.servers.disconnect_reason import DisconnectReason
from toolweave.servers.guardian import Guardian
from toolweave.servers.runners.runner import Launch
from toolweave.servers.transports.failures import typed_error_in
from toolweave.servers.transports.stdio import open_stdio
from toolweave.settings import Limits
from toolweave.tasks import background
from toolweave.testing.server import Era as ServerEra
from toolweave.testing.server import (
    ScriptedServer,
    a_tool,
    answers,
    asks,
    echoes,
    never,
    refuses,
    reports,
    says,
    tells,
    waits,
    writes,
)
from toolweave.tools.elicitation import ElicitationAnswer, ElicitationQuestion
from toolweave.tools.tool import ToolProgress

pytestmark = pytest.mark.anyio

BOTH = pytest.mark.parametrize("era", ["legacy", "modern"])


@asynccontextmanager
async def connected(
    server: ScriptedServer, *, era: Era = "auto", limits: Limits | None = None
) -> AsyncGenerator[Connection]:
    """A connection to it; what goes wrong comes out as itself."""
    faults = DisconnectReason("server")
    definition = server.definition
    launch = Launch((definition.command, *definition.args), env={})
    failure: ToolweaveError | None = None
    with anyio.fail_after(60):
        async with Guardian() as guardian:
            transport = open_stdio(launch, faults, guardian=guardian, max_bytes=1_000_000)
            try:
                async with open_connection(
                    transport, faults, limits=limits or Limits(), era=era
                ) as connection:
                    yield connection
            except BaseException as error:
                failure = typed_error_in(error)
                if failure is None:
                    raise
    if failure is not None:
        raise failure


def answering(
    *replies: ElicitationAnswer,
) -> tuple[Callable[[ElicitationQuestion], Any], list[ElicitationQuestion]]:
    """Somebody who answers one question after another, and what they were asked."""
    asked: list[ElicitationQuestion] = []
    left = list(replies)

    async def ask(question: ElicitationQuestion) -> ElicitationAnswer:
        asked.append(question)
        return left.pop(0)

    return ask, asked


@BOTH
async def test_tools_are_read_from_the_server_as_it_describes_them(
    tmp_path: Path, era: ServerEra
) -> None:
    raw = a_tool("aws___Get-it", description=" As  it is. ", execution={"unknown": 1})
    async with connected(ScriptedServer(tmp_path, raw, era=era)) as connection:
        (tool,) = await connection.list_tools()
        await connection.ping()
        version = connection.protocol_version
    assert (tool.server, tool.name, tool.description) == ("server", "aws___Get-it", " As  it is. ")
    assert tool.raw == raw
    assert version == {"legacy": "2025-06-18", "modern": "2026-07-28"}[era]
    assert connection.is_modern is (era == "modern")


@BOTH
async def test_a_call_is_answered_and_its_progress_is_heard(tmp_path: Path, era: ServerEra) -> None:
    server = ScriptedServer(tmp_path, era=era)
    server.on_call("echo", [reports(1, 2, "half"), reports(2), waits(0.05), echoes()])
    heard: list[ToolProgress] = []

    async def hear(progress: ToolProgress) -> None:
        heard.append(progress)

    async with connected(server) as connection:
        result = await connection.call("echo", {"text": "hi"}, on_progress=hear)
    assert (result.text, result.structured) == ("hi", {"text": "hi"})
    assert heard == [ToolProgress(1, 2, "half"), ToolProgress(2, None, None)]


@BOTH
async def test_cancelling_the_wait_cancels_the_call_on_the_server(
    tmp_path: Path, era: ServerEra
) -> None:
    server = ScriptedServer(tmp_path, era=era)
    server.on_call("echo", [never()])
    async with connected(server) as connection:
        with anyio.move_on_after(0.2) as scope:
            await connection.call("echo", {})
        assert scope.cancelled_caught
        assert connection.needs_check.is_set()
        await eventually(lambda: server.heard("notifications/cancelled"))


async def test_a_server_that_dies_of_an_unknown_message_speaks_when_greeted_the_old_way(
    tmp_path: Path,
) -> None:
    server = ScriptedServer(tmp_path, era="dies")
    with pytest.raises(Unavailable) as caught:
        async with connected(server):
            pytest.fail("it connected")
    assert caught.value.code == "MCP_SERVER_DISCONNECTED"
    async with connected(server, era="legacy") as connection:
        assert len(await connection.list_tools()) == 1


async def test_an_error_with_the_code_of_a_closed_connection_closes_nothing(
    tmp_path: Path,
) -> None:
    server = ScriptedServer(tmp_path)
    server.on_call("echo", [refuses(-32000, "busy")], [refuses(-32001, "slow")], [says("hi")])
    async with connected(server) as connection:
        for words in ("error -32000: busy", "error -32001: slow"):
            with pytest.raises(Unavailable) as caught:
                await connection.call("echo", {})
            assert caught.value.code == "SERVER_REFUSED"
            assert words in caught.value.message
        assert not connection.faults.ended.is_set()
        assert not connection.needs_check.is_set()
        assert (await connection.call("echo", {})).text == "hi"


async def test_what_a_server_says_in_an_error_does_no_harm(tmp_path: Path) -> None:
    server = ScriptedServer(tmp_path)
    server.on_call("echo", [refuses(-32603, "\x1b[2J\0" + "x" * 10_000)])
    async with connected(server) as connection:
        with pytest.raises(Unavailable) as caught:
            await connection.call("echo", {})
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 600
    assert caught.value.facts == {"rpc_code": -32603}


async def test_a_server_that_knows_no_ping_is_alive(tmp_path: Path) -> None:
    async with connected(ScriptedServer(tmp_path, refuses=["ping"])) as connection:
        await connection.ping()
        assert not connection.is_conforming


@BOTH
async def test_one_bad_tool_hides_no_other(tmp_path: Path, era: ServerEra) -> None:
    bad: list[Any] = [
        None,
        "text",
        {"name": "no schema"},
        {"inputSchema": {"type": "object"}},
        a_tool("wrong schema", inputSchema={"type": "object", "properties": [1]}),
        a_tool("odd description", description=7),
    ]
    server = ScriptedServer(tmp_path, era=era, tools=[a_tool("first"), *bad, a_tool("last")])
    async with connected(server) as connection:
        tools = await connection.list_tools()
        assert (await connection.call("last", {"text": "hi"})).text == "hi"
        assert not connection.is_conforming
    usable = [tool.name for tool in tools if tool.is_usable]
    assert usable == ["first", "odd description", "last"]
    assert len(tools) == 8
    broken = next(tool for tool in tools if tool.name == "wrong schema")
    assert {problem.code for problem in broken.problems} == {"MCP_TOOL_SCHEMA_INVALID"}


async def test_tools_that_share_a_name_cannot_be_used(tmp_path: Path) -> None:
    server = ScriptedServer(
        tmp_path, a_tool("twice"), a_tool("once"), a_tool("twice", description="Another.")
    )
    async with connected(server) as connection:
        tools = await connection.list_tools()
    assert [tool.is_usable for tool in tools] == [False, True, False]
    (problem,) = tools[0].problems
    assert (problem.code, problem.pointer) == ("MCP_TOOL_SCHEMA_INVALID", "/name")


@pytest.mark.parametrize(("era", "is_usable"), [("legacy", True), ("modern", False)])
async def test_a_tool_with_wrong_headers_is_not_used_in_the_era_of_headers(
    tmp_path: Path, era: ServerEra, is_usable: bool
) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "number", "x-mcp-header": "A"}}}
    server = ScriptedServer(tmp_path, a_tool("echo"), a_tool("odd", inputSchema=schema), era=era)
    async with connected(server) as connection:
        echo, odd = await connection.list_tools()
    assert echo.is_usable
    assert odd.is_usable is is_usable
    assert [problem.pointer for problem in odd.problems] == [] if is_usable else ["/inputSchema"]


@BOTH
async def test_every_page_is_followed(tmp_path: Path, era: ServerEra) -> None:
    tools = [a_tool(f"tool {number}") for number in range(7)]
    server = ScriptedServer(tmp_path, *tools, era=era, page=3)
    async with connected(server) as connection:
        listed = await connection.list_tools()
    assert [tool.name for tool in listed] == [f"tool {number}" for number in range(7)]
    assert len(server.heard("tools/list")) == 3


@pytest.mark.parametrize(
    ("results", "limits"),
    [
        ({"tools/list": {"tools": [], "nextCursor": "again"}}, Limits()),
        ({}, Limits(tools_pages=3)),
        ({}, Limits(tools_per_server=5)),
        ({"tools/list": {"tools": [a_tool("a")] * 9}}, Limits(tools_per_server=5)),
    ],
    ids=["same cursor", "too many pages", "too many tools", "too many on one page"],
)
async def test_a_list_without_end_breaks_the_protocol(
    tmp_path: Path, results: dict[str, Any], limits: Limits
) -> None:
    tools = [a_tool(f"tool {number}") for number in range(50)]
    server = ScriptedServer(tmp_path, *tools, page=1, results=results)
    async with connected(server, limits=limits) as connection:
        with pytest.raises(Unavailable) as caught:
            await connection.list_tools()
        assert caught.value.code == "SERVER_PROTOCOL"


async def test_tools_nobody_declared_are_found_and_none_is_no_error(tmp_path: Path) -> None:
    server = ScriptedServer(tmp_path, capabilities={})
    async with connected(server) as connection:
        assert [tool.name for tool in await connection.list_tools()] == ["echo"]
        server.change(refuses=["tools/list"])
        assert await connection.list_tools() == ()
        server.change(capabilities={"tools": {}})
    async with connected(server) as connection:
        with pytest.raises(Unavailable) as caught:
            await connection.list_tools()
        assert caught.value.code == "SERVER_REFUSED"


@pytest.mark.parametrize("result", [{"tools": "none"}, {"tools": None}, {}], ids=str)
async def test_a_list_that_is_none_is_empty(tmp_path: Path, result: dict[str, Any]) -> None:
    async with connected(ScriptedServer(tmp_path, results={"tools/list": result})) as connection:
        assert await connection.list_tools() == ()
        assert not connection.is_conforming


@pytest.mark.parametrize(
    "result",
    [{}, {"content": "text"}, {"content": [{"type": "hologram"}], "isError": "maybe"}],
    ids=str,
)
async def test_a_nonconforming_answer_is_read_as_far_as_it_goes(
    tmp_path: Path, result: dict[str, Any]
) -> None:
    server = ScriptedServer(tmp_path)
    server.on_call("echo", [answers(result)], [says("good")])
    async with connected(server) as connection:
        read = await connection.call("echo", {})
        assert [problem.code for problem in read.problems] == ["MCP_OUTPUT_INVALID"]
        assert not connection.is_conforming
        assert (await connection.call("echo", {})).text == "good"


@BOTH
async def test_a_question_is_answered_in_the_middle_of_a_call(
    tmp_path: Path, era: ServerEra
) -> None:
    server = ScriptedServer(tmp_path, era=era)
    server.on_call("echo", [asks("Sure?"), tells()])
    asker, asked = answering(ElicitationAnswer("accept", {"yes": True}))
    async with connected(server) as connection:
        result = await connection.call("echo", {}, asker=asker)
    assert result.structured == {"action": "accept", "content": {"yes": True}}
    assert asked == [
        ElicitationQuestion("server", "Sure?", schema={"type": "object", "properties": {}})
    ]


@pytest.mark.parametrize("action", ["accept", "decline"])
async def test_a_call_refused_until_an_address_is_opened_is_made_again_when_it_was(
    tmp_path: Path, action: Literal["accept", "decline"]
) -> None:
    server = ScriptedServer(tmp_path)
    visit: Json = {"mode": "url", "elicitationId": "1", "url": "https://a.example", "message": "In"}
    server.on_call("echo", [refuses(-32042, "first", {"elicitations": [visit]})], [says("done")])
    asker, asked = answering(ElicitationAnswer(action))
    async with connected(server) as connection:
        if action == "accept":
            assert (await connection.call("echo", {}, asker=asker)).text == "done"
        else:
            with pytest.raises(Unavailable) as caught:
                await connection.call("echo", {}, asker=asker)
            assert caught.value.facts["rpc_code"] == -32042
    assert [question.url for question in asked] == ["https://a.example"]


async def test_a_modern_question_without_anybody_to_answer_fails_the_call(tmp_path: Path) -> None:
    server = ScriptedServer(tmp_path, era="modern")
    server.on_call("echo", [asks("Sure?"), tells()])
    async with connected(server) as connection:
        with pytest.raises(Denied) as caught:
            await connection.call("echo", {})
    assert caught.value.code == "CALL_NEEDS_ANSWER"
    assert "'Sure?'" in caught.value.message


async def test_a_legacy_question_without_anybody_to_answer_is_refused_to_the_server(
    tmp_path: Path,
) -> None:
    server = ScriptedServer(tmp_path)
    server.on_call("echo", [asks("Sure?"), tells()])
    async with connected(server) as connection:
        result = await connection.call("echo", {})
    assert isinstance(result.structured, dict)
    assert "nobody can answer here" in str(result.structured["error"])


async def test_a_legacy_question_while_several_calls_are_open_is_refused(tmp_path: Path) -> None:
    server = ScriptedServer(tmp_path, a_tool("ask"), a_tool("hang"))
    server.on_call("ask", [waits(0.1), asks("Whose?"), tells()])
    server.on_call("hang", [never()])
    asker, asked = answering(ElicitationAnswer("accept"))
    async with connected(server) as connection, background() as tasks:
        # The one that could answer is not the one that is asked.
        tasks.start_soon(lambda: connection.call("hang", {}, asker=asker))
        result = await connection.call("ask", {})
        assert isinstance(result.structured, dict)
        assert "2 calls are open" in str(result.structured["error"])
    assert asked == []


async def test_two_legacy_questions_of_one_call_come_one_after_the_other(tmp_path: Path) -> None:
    server = ScriptedServer(tmp_path)
    question = (
        '{"jsonrpc":"2.0","id":"q%d","method":"elicitation/create","params":{"message":"%d",'
        '"requestedSchema":{"type":"object","properties":{}}}}'
    )
    two = [writes(question % (1, 1)), writes(question % (2, 2))]
    server.on_call("echo", [*two, waits(0.2), says("done")])
    at_once = most = 0

    async def ask(_: ElicitationQuestion) -> ElicitationAnswer:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await anyio.sleep(0.02)
        at_once -= 1
        return ElicitationAnswer("decline")

    async with connected(server) as connection:
        assert (await connection.call("echo", {}, asker=ask)).text == "done"
    assert most == 1


@BOTH
async def test_an_answer_no_json_can_carry_breaks_only_that_answer(
    tmp_path: Path, era: ServerEra
) -> None:
    server = ScriptedServer(tmp_path, a_tool("echo"), a_tool("ask"), era=era)
    server.on_call("ask", [asks("Sure?"), tells()])
    asker, _ = answering(ElicitationAnswer("accept", {"a": "\ud800"}))
    async with connected(server) as connection:
        if era == "modern":
            with pytest.raises(Invalid):
                await connection.call("ask", {}, asker=asker)
        else:
            result = await connection.call("ask", {}, asker=asker)
            assert "cannot be written as JSON" in str(result.structured)
        assert (await connection.call("echo", {"text": "hi"})).text == "hi"


async def test_a_tool_may_ask_again_and_again(tmp_path: Path) -> None:
    server = ScriptedServer(tmp_path, era="modern")
    server.on_call("echo", [asks("First?"), asks("Second?"), tells()])
    asker, asked = answering(
        ElicitationAnswer("accept", {"n": 1}), ElicitationAnswer("accept", {"n": 2})
    )
    async with connected(server) as connection:
        result = await connection.call("echo", {}, asker=asker)
    assert [question.message for question in asked] == ["First?", "Second?"]
    assert result.structured == {"action": "accept", "content": {"n": 2}}


async def test_a_tool_that_is_never_content_breaks_the_protocol(tmp_path: Path) -> None:
    server = ScriptedServer(tmp_path, era="modern")
    server.on_call("echo", [answers({"resultType": "input_required", "requestState": "more"})])
    async with connected(server) as connection:
        with pytest.raises(Unavailable) as caught:
            await connection.call("echo", {})
    assert caught.value.code == "SERVER_PROTOCOL"
    assert len(server.heard("tools/call")) == INPUT_ROUNDS


@pytest.mark.parametrize(
    "result",
    [
        {"resultType": "input_required"},
        {"resultType": "input_required", "inputRequests": "?"},
        {
            "resultType": "input_required",
            "inputRequests": {"a": {"method": "roots/list"}},
            "requestState": "x",
        },
    ],
    ids=["nothing", "nonsense", "not offered"],
)
async def test_a_wish_for_input_we_cannot_grant_breaks_the_protocol(
    tmp_path: Path, result: dict[str, Any]
) -> None:
    server = ScriptedServer(tmp_path, era="modern")
    server.on_call("echo", [answers(result)])
    async with connected(server) as connection:
        with pytest.raises(Unavailable) as caught:
            await connection.call("echo", {})
    assert caught.value.code == "SERVER_PROTOCOL"


@BOTH
async def test_a_change_of_the_tools_is_heard(tmp_path: Path, era: ServerEra) -> None:
    server = ScriptedServer(tmp_path, era=era)
    async with connected(server) as connection, anyio.create_task_group() as tasks:
        if connection.is_announcing:
            tasks.start_soon(connection.watch_tools)
            await eventually(lambda: server.heard("subscriptions/listen"))
        await connection.list_tools()
        assert not connection.needs_check.is_set()
        server.announce()
        with anyio.fail_after(60):
            await connection.needs_check.wait()
        tasks.cancel_scope.cancel()
    assert connection.is_announcing is (era == "modern")


async def test_watching_a_server_that_cannot_be_watched_ends_quietly(tmp_path: Path) -> None:
    server = ScriptedServer(
        tmp_path, era="modern", capabilities={"tools": {}}, refuses=["subscriptions/listen"]
    )
    async with connected(server) as connection:
        assert not connection.is_announcing
        with anyio.fail_after(60):
            await connection.watch_tools()


@pytest.mark.parametrize(
    ("more", "kind", "code"),
    [
        ({"results": {"initialize": {}}}, Unavailable, "SERVER_PROTOCOL"),
        (
            {
                "results": {
                    "initialize": {
                        "protocolVersion": "1999-01-01",
                        "capabilities": {},
                        "serverInfo": {"name": "x", "version": "1"},
                    }
                }
            },
            Unavailable,
            "SERVER_PROTOCOL",
        ),
        ({"refuses": ["initialize"]}, Unavailable, "SERVER_REFUSED"),
    ],
    ids=["nonsense", "unknown version", "refused"],
)
async def test_a_failed_handshake_has_its_reason(
    tmp_path: Path, more: dict[str, Any], kind: type[ToolweaveError], code: str
) -> None:
    with pytest.raises(kind) as caught:
        async with connected(ScriptedServer(tmp_path, **more)):
            pytest.fail("it connected")
    assert caught.value.code == code


async def test_a_server_that_never_says_hello_is_given_up_at_the_deadline() -> None:
    faults = DisconnectReason("server")
    launch = Launch(("sleep", "600"), env={"PATH": os.defpath})
    async with Guardian() as guardian:
        transport = open_stdio(launch, faults, guardian=guardian, max_bytes=1_000)
        with pytest.raises((TimedOut, BaseExceptionGroup)) as caught:
            async with open_connection(transport, faults, limits=Limits(connect_deadline_s=0.2)):
                pytest.fail("it connected")
    failure = typed_error_in(caught.value)
    assert isinstance(failure, TimedOut)
    assert failure.code == "SERVER_CONNECT_TIMEOUT"
