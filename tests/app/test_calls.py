"""A call through the gate: what is checked, what is sent, how it ends, what is kept of it."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from hostile.catalogue import http_server, named
from servers.rooms import a_studio, approved, eventually, pinned
from toolweave.app.studio import Studio
from toolweave.errors import (
    Cancelled,
    Conflict,
    Invalid,
    Limited,
    NotFound,
    TimedOut,
    ToolweaveError,
    Unavailable,
)
from toolweave.modules import load_in_thread
from toolweave.servers import connections
from toolweave.servers.call_list import CallList
from toolweave.servers.definition import CommandServer, HttpServer
from toolweave.servers.gate import Gate
from toolweave.testing.clock import FakeClock
from toolweave.testing.server import (
    ScriptedServer,
    a_tool,
    answers,
    asks,
    echoes,
    exits,
    never,
    refuses,
    reports,
    says,
    tells,
    waits,
)
from toolweave.tools.elicitation import ElicitationAnswer, ElicitationQuestion
from toolweave.tools.tool import CallId, Effect, ToolCall, ToolProgress, ToolResult

pytestmark = pytest.mark.anyio

NAME = "server"
HI: dict[str, Any] = {"text": "hi"}
STATUS, CODE, MESSAGE = 3, 13, 14


def a_call(tool: str = "echo", arguments: dict[str, Any] = HI, **more: Any) -> ToolCall:
    return ToolCall(NAME, tool, arguments, **more)


@pytest.fixture
def scripted(tmp_path: Path) -> ScriptedServer:
    return ScriptedServer(tmp_path / "server")


@asynccontextmanager
async def ready(home: Path, scripted: ScriptedServer, **more: Any) -> AsyncGenerator[Studio]:
    """A studio with the scripted server connected and its tools approved."""
    async with a_studio(home / "home", **more) as studio:
        await pinned(studio, NAME, scripted.definition)
        yield studio


@pytest.fixture
async def studio(tmp_path: Path, scripted: ScriptedServer) -> AsyncGenerator[Studio]:
    async with ready(tmp_path, scripted) as opened:
        yield opened


async def refusal(studio: Studio, call: ToolCall, **more: Any) -> ToolweaveError:
    with anyio.fail_after(60):
        with pytest.raises(ToolweaveError) as caught:
            await studio.gate.call(call, **more)
    return caught.value


async def last_row(studio: Studio) -> tuple[Any, ...]:
    return (await studio.gate.history.recent(1))[0]


# How it ends well


async def test_a_good_call_has_its_result_its_duration_and_its_record(studio: Studio) -> None:
    call = a_call(source="assistant", scope="chat", location="notes.md", line=3)
    result = await studio.gate.call(call)
    assert (result.text, result.structured, result.is_error) == ("hi", HI, False)
    assert result.took_ms > 0
    row = await last_row(studio)
    assert row[:8] == (
        call.id,
        NAME,
        "echo",
        "success",
        "assistant",
        "chat",
        "notes.md",
        3,
    )
    submitted, started, completed, attempt, took_ms, code, message = row[8:]
    assert submitted <= started <= completed
    assert (attempt, code, message) == (0, None, None)
    assert took_ms == pytest.approx(result.took_ms)
    assert studio.gate.history.open_calls == ()
    assert studio.gate.limits.active == ()


async def test_the_demo_server_can_be_called(tmp_path: Path) -> None:
    run = "from toolweave.demo.server import run_stdio; run_stdio()"
    async with a_studio(tmp_path) as studio:
        await pinned(studio, NAME, CommandServer(command=sys.executable, args=("-c", run)))
        heard: list[ToolProgress] = []

        async def hear(progress: ToolProgress) -> None:
            heard.append(progress)

        countdown = a_call("countdown", {"start": 3, "step_delay_s": 0})
        result = await studio.gate.call(countdown, on_progress=hear)
        assert result.structured == {"steps": 3}
        assert result.content_type == "json"
        await eventually(lambda: len(heard) == 3)
        assert sorted(progress.done for progress in heard) == [1, 2, 3]


async def test_progress_is_passed_on(studio: Studio, scripted: ScriptedServer) -> None:
    scripted.on_call("echo", [reports(1, 4, "a quarter"), waits(0.05), says("done")])
    heard: list[ToolProgress] = []

    async def hear(progress: ToolProgress) -> None:
        heard.append(progress)

    assert (await studio.gate.call(a_call(), on_progress=hear)).text == "done"
    assert heard == [ToolProgress(1, 4, "a quarter")]


async def test_an_error_of_the_tool_is_a_result_and_recorded_as_an_error(
    studio: Studio, scripted: ScriptedServer
) -> None:
    scripted.on_call("echo", [says("no such file", isError=True)])
    result = await studio.gate.call(a_call(effect="pure"))
    assert (result.is_error, result.text) == (True, "no such file")
    row = await last_row(studio)
    assert (row[STATUS], row[CODE], row[MESSAGE]) == ("error", "TOOL_FAILED", "no such file")
    assert len(scripted.heard("tools/call")) == 1  # its own word is not tried again


async def test_output_is_checked_by_our_own_validator(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    scripted = ScriptedServer(tmp_path / "server", a_tool("count", outputSchema=schema))
    scripted.on_call(
        "count",
        [answers({"content": [], "structuredContent": {"n": "many"}})],
        [answers({"content": []})],
        [answers({"content": [], "structuredContent": {"n": 1}})],
        [says("broken", isError=True)],
    )
    async with ready(tmp_path, scripted) as studio:
        results = [await studio.gate.call(a_call("count")) for _ in range(4)]
    codes = [[problem.code for problem in result.problems] for result in results]
    assert codes == [["MCP_OUTPUT_INVALID"], ["MCP_OUTPUT_INVALID"], [], []]
    assert results[0].structured == {"n": "many"}  # shown all the same


# What is refused before anything is sent


async def test_an_unknown_tool_is_named_and_a_close_one_suggested(studio: Studio) -> None:
    error = await refusal(studio, a_call("ecko"))
    assert isinstance(error, NotFound)
    assert error.code == "MCP_TOOL_NOT_FOUND"
    assert error.message == "server 'server' has no tool 'ecko'"
    assert error.hint == "did you mean 'echo'?"
    other = await refusal(studio, a_call("something else"))
    assert "servers tools server" in (other.hint or "")


async def test_an_unknown_server_is_named_and_the_attempt_recorded(studio: Studio) -> None:
    error = await refusal(studio, ToolCall("sever", "echo"))
    assert error.code == "MCP_SERVER_NOT_FOUND"
    row = await last_row(studio)
    assert (row[1], row[STATUS], row[CODE]) == ("sever", "error", "MCP_SERVER_NOT_FOUND")


async def test_wrong_arguments_are_all_told_and_nothing_is_sent(tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "mode": {"enum": ["a"]}},
        "required": ["n", "text"],
    }
    scripted = ScriptedServer(tmp_path / "server", a_tool("strict", inputSchema=schema))
    async with ready(tmp_path, scripted) as studio:
        error = await refusal(studio, a_call("strict", {"n": "x", "mode": "b"}))
        assert isinstance(error, Invalid)
        assert error.code == "MCP_ARGUMENTS_INVALID"
        assert {(problem.code, problem.pointer) for problem in error.problems} == {
            ("MCP_PARAMETER_INVALID_TYPE", "/n"),
            ("MCP_PARAMETER_ENUM_INVALID", "/mode"),
            ("MCP_PARAMETER_REQUIRED", "/text"),
        }
        assert studio.gate.limits.executed("default") == 0
    assert scripted.heard("tools/call") == []


@pytest.mark.parametrize(
    ("value", "pointer"),
    [(float("nan"), "/text"), ("\ud800", "/text"), ([1, b"x"], "/text/1"), ({1: 2}, "/text")],
    ids=str,
)
async def test_arguments_that_are_no_json_are_refused_and_the_server_stays(
    studio: Studio, scripted: ScriptedServer, value: Any, pointer: str
) -> None:
    error = await refusal(studio, a_call(arguments={"text": value}))
    assert isinstance(error, Invalid)
    assert error.code == "MCP_ARGUMENTS_INVALID"
    assert [problem.pointer for problem in error.problems] == [pointer]
    assert (await studio.gate.call(a_call())).text == "hi"
    assert len(scripted.processes) == 1


async def test_a_tool_whose_schema_is_broken_is_refused_and_the_others_work(
    tmp_path: Path,
) -> None:
    bad = a_tool("bad", inputSchema={"type": "object", "properties": {"a": {"type": "thing"}}})
    scripted = ScriptedServer(tmp_path / "server", bad, a_tool("echo"))
    async with ready(tmp_path, scripted) as studio:
        error = await refusal(studio, a_call("bad"))
        assert isinstance(error, Invalid)
        assert error.code == "MCP_TOOL_SCHEMA_INVALID"
        assert error.problems
        assert "'bad'" in error.message
        assert (await studio.gate.call(a_call())).text == "hi"


# Limits


async def test_a_session_that_has_had_its_calls_gets_no_more(
    tmp_path: Path, scripted: ScriptedServer
) -> None:
    async with ready(tmp_path, scripted, calls_per_session=2) as studio:
        for _ in range(2):
            await studio.gate.call(a_call(scope="doc"))
        error = await refusal(studio, a_call(scope="doc"))
        assert isinstance(error, Limited)
        assert error.code == "CALL_SESSION_LIMIT"
        assert len(scripted.heard("tools/call")) == 2
        assert (await studio.gate.call(a_call(scope="another"))).text == "hi"
        studio.gate.limits.start_session("doc")
        assert (await studio.gate.call(a_call(scope="doc"))).text == "hi"


async def test_the_stop_switch_refuses_every_new_call_and_leaves_the_running_one(
    studio: Studio, scripted: ScriptedServer
) -> None:
    scripted.on_call("echo", [waits(0.3), says("late")])
    results: list[ToolResult] = []

    async def run() -> None:
        results.append(await studio.gate.call(a_call()))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await eventually(lambda: studio.gate.limits.active)
        studio.gate.limits.stop()
        assert (await refusal(studio, a_call())).code == "CALLS_STOPPED"
    assert [result.text for result in results] == ["late"]
    studio.gate.limits.resume()
    assert (await studio.gate.call(a_call())).text == "late"


async def test_calls_over_the_limit_wait_their_turn_and_their_deadline_waits_with_them(
    tmp_path: Path, scripted: ScriptedServer
) -> None:
    scripted.on_call("echo", [waits(0.2), echoes()])
    async with ready(tmp_path, scripted, concurrent_calls=2) as studio:
        texts: list[str] = []
        most = 0

        async def run(number: int) -> None:
            nonlocal most
            call = a_call(arguments={"text": str(number)}, deadline_s=1.0)
            texts.append((await studio.gate.call(call)).text)

        async def watch() -> None:
            nonlocal most
            while len(texts) < 12:
                most = max(most, len(studio.gate.limits.active))
                await anyio.sleep(0.01)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch)
            for number in range(12):  # 1.2 s in all
                tasks.start_soon(run, number)
    assert sorted(texts, key=int) == [str(number) for number in range(12)]
    assert most == 2


# Deadline and cancellation


async def test_after_thirty_seconds_a_call_is_over_on_both_sides(
    studio: Studio, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted.on_call("echo", [never()])
    errors: list[TimedOut] = []

    async def run() -> None:
        with pytest.raises(TimedOut) as caught:
            await studio.gate.call(a_call())
        errors.append(caught.value)

    loop = asyncio.get_running_loop()
    time = loop.time
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await eventually(lambda: scripted.heard("tools/call"))
        monkeypatch.setattr(loop, "time", lambda: time() + 25)  # the machine's clock
        await anyio.sleep(0.1)
        assert errors == []
        monkeypatch.setattr(loop, "time", lambda: time() + 30)
    (error,) = errors
    assert error.code == "CALL_TIMEOUT"
    assert error.message.startswith("Execution exceeded 30s: tool 'echo' of server 'server'")
    row = await last_row(studio)
    assert (row[STATUS], row[CODE]) == ("timeout", "CALL_TIMEOUT")
    assert row[MESSAGE].startswith("Execution exceeded 30s")
    await eventually(lambda: scripted.heard("notifications/cancelled"))


@pytest.mark.parametrize("deadline_s", [0.2, 0])
async def test_a_call_may_have_a_deadline_of_its_own(
    studio: Studio, scripted: ScriptedServer, deadline_s: float
) -> None:
    scripted.on_call("echo", [never()])
    error = await refusal(studio, a_call(deadline_s=deadline_s))
    assert isinstance(error, TimedOut)
    assert (await last_row(studio))[STATUS] == "timeout"


async def test_a_server_that_does_not_connect_in_the_calls_time_is_told_as_that(
    tmp_path: Path,
) -> None:
    async with a_studio(tmp_path) as studio:
        await approved(studio, NAME, CommandServer(command="sleep", args=("9",)))
        error = await refusal(studio, a_call(deadline_s=0.2))
    assert error.code == "SERVER_CONNECT_TIMEOUT"
    assert "was not ready within the call's deadline of 0.2 s" in error.message


async def test_the_deadline_of_a_call_does_not_count_the_loading_of_the_sdk(
    tmp_path: Path, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    time, loaded = loop.time, list[str]()

    async def load_slowly(module: str) -> ModuleType:
        monkeypatch.setattr(loop, "time", lambda: time() + 60)  # the machine's clock
        await anyio.lowlevel.checkpoint()
        loaded.append(module)
        return await load_in_thread(module)

    async with ready(tmp_path, scripted) as studio:
        pass
    async with a_studio(tmp_path / "home") as studio:
        monkeypatch.setattr(connections, "load_in_thread", load_slowly)
        result = await studio.gate.call(a_call())
    assert (result.is_error, len(loaded)) == (False, 1)


async def test_a_cancelled_call_ends_on_the_server_too(
    studio: Studio, scripted: ScriptedServer
) -> None:
    scripted.on_call("echo", [never()], [says("next")])
    call = a_call()
    errors: list[ToolweaveError] = []

    async def run() -> None:
        errors.append(await refusal(studio, call))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await eventually(lambda: scripted.heard("tools/call"))
        assert studio.gate.cancel(call.id) is True
    (error,) = errors
    assert isinstance(error, Cancelled)
    assert error.code == "CALL_CANCELLED"
    await eventually(lambda: scripted.heard("notifications/cancelled"))
    row = await last_row(studio)
    assert (row[STATUS], row[CODE]) == ("cancelled", "CALL_CANCELLED")
    assert studio.gate.cancel(call.id) is False
    assert studio.gate.cancel(CallId("unknown")) is False
    assert (await studio.gate.call(a_call())).text == "next"


async def test_whoever_goes_away_cancels_the_call_and_leaves_a_record(
    studio: Studio, scripted: ScriptedServer
) -> None:
    scripted.on_call("echo", [never()])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(studio.gate.call, a_call())
        await eventually(lambda: scripted.heard("tools/call"))
        tasks.cancel_scope.cancel()  # as by Ctrl-C
    await eventually(lambda: scripted.heard("notifications/cancelled"))
    assert (await last_row(studio))[STATUS] == "cancelled"
    assert studio.gate.limits.active == ()
    assert studio.gate.history.open_calls == ()


async def test_a_request_to_stop_counts_from_the_moment_a_call_is_listed(
    studio: Studio, scripted: ScriptedServer
) -> None:
    """Another process may ask before the one that runs the call has looked for the first time."""
    scripted.on_call("echo", [never()])
    listed = CallList(studio.home.database, studio.home.clock)
    gate = Gate(
        studio.home.registry,
        studio.connections,
        studio.home.lockfile,
        limits=studio.gate.limits,
        shared_limits=studio.shared_limits,
        history=studio.gate.history,
        masker=studio.home.masker,
        clock=studio.home.clock,
        settings=studio.home.settings,
    )
    meant, other = a_call(), a_call()

    async def both_are_listed() -> bool:
        return len(await listed.active()) == 2

    # The id of an ended call, used again.
    await CallList(studio.home.database, FakeClock()).request_stop(str(other.id))
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stopped, gate, meant)
            tasks.start_soon(stopped, gate, other)
            await eventually(both_are_listed)
            await listed.request_stop(str(meant.id))
            tasks.start_soon(gate.follow_stops, listed)
            await eventually(lambda: len(gate.history.open_calls) == 1)
            assert gate.history.open_calls[0].call == other
            await listed.request_stop()
            await eventually(lambda: not gate.history.open_calls)
            tasks.cancel_scope.cancel()


async def stopped(gate: Gate, call: ToolCall) -> None:
    with pytest.raises(Cancelled):
        await gate.call(call)


async def test_a_call_that_waits_its_turn_can_be_cancelled(
    tmp_path: Path, scripted: ScriptedServer
) -> None:
    scripted.on_call("echo", [never()])
    async with ready(tmp_path, scripted, concurrent_calls=1) as studio:
        calls = [a_call(), a_call()]
        codes: list[str] = []

        async def run(call: ToolCall) -> None:
            codes.append((await refusal(studio, call)).code)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run, calls[0])
            await eventually(lambda: studio.gate.limits.active)
            tasks.start_soon(run, calls[1])
            await eventually(lambda: len(studio.gate.history.open_calls) == 2)
            studio.gate.cancel(calls[1].id)
            await eventually(lambda: codes)
            assert len(studio.gate.limits.active) == 1
            studio.gate.cancel(calls[0].id)
    assert codes == ["CALL_CANCELLED"] * 2
    assert len(scripted.heard("tools/call")) == 1


async def test_an_id_can_be_used_again_only_when_its_call_is_over(
    studio: Studio, scripted: ScriptedServer
) -> None:
    scripted.on_call("echo", [waits(0.2), says("first")], [says("second")])
    call = a_call()
    texts: list[str] = []

    async def run() -> None:
        texts.append((await studio.gate.call(call)).text)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await eventually(lambda: studio.gate.limits.active)
        error = await refusal(studio, call)
        assert isinstance(error, Conflict)
        assert error.code == "CALL_ID_TAKEN"
    await run()
    assert texts == ["first", "second"]


# Tries


@pytest.mark.parametrize("effect", ["pure", "keyed"])
async def test_a_call_that_may_be_repeated_is_tried_again_after_a_loss(
    tmp_path: Path, scripted: ScriptedServer, clock: FakeClock, effect: Effect
) -> None:
    scripted.on_call("echo", [exits()], [refuses(-32603, "busy")], [says("at last")])
    async with ready(tmp_path, scripted, clock=clock) as studio:
        results: list[ToolResult] = []

        async def run() -> None:
            results.append(await studio.gate.call(a_call(effect=effect)))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            for attempt, wait_s in enumerate((1, 5), start=1):
                with anyio.fail_after(60):
                    await clock.until_asleep(wait_s)
                (record,) = studio.gate.history.open_calls
                assert (record.status, record.retry_attempt) == ("pending", attempt)
                assert record.max_retries == 3
                await clock.advance(wait_s)
        assert [result.text for result in results] == ["at last"]
        row = await last_row(studio)
        assert (row[STATUS], row[11]) == ("success", 2)
    assert len(scripted.processes) == 2
    assert studio.gate.limits.executed("default") == 1


async def test_a_call_that_must_happen_once_is_never_repeated(
    studio: Studio, scripted: ScriptedServer
) -> None:
    scripted.on_call("echo", [exits()], [says("twice!")])
    error = await refusal(studio, a_call(effect="once"))
    assert error.code == "MCP_SERVER_DISCONNECTED"
    assert len(scripted.heard("tools/call")) == 1
    assert (await last_row(studio))[11] == 0


async def test_a_call_without_tries_left_is_an_error_with_details(
    tmp_path: Path, scripted: ScriptedServer
) -> None:
    scripted.on_call("echo", [refuses(-32603, "always busy")])
    async with ready(tmp_path, scripted, waits_s=(0.01, 0.01)) as studio:
        error = await refusal(studio, a_call(effect="pure"))
        assert isinstance(error, Unavailable)
        assert error.code == "SERVER_REFUSED"
        row = await last_row(studio)
        assert (row[STATUS], row[11], row[CODE]) == ("error", 2, "SERVER_REFUSED")
        assert "error -32603: always busy" in row[MESSAGE]
        assert row[12] is not None
    assert len(scripted.heard("tools/call")) == 3


async def test_what_is_wrong_for_good_is_not_tried_again(
    studio: Studio, scripted: ScriptedServer
) -> None:
    scripted.on_call("echo", [refuses(-32602, "wrong parameters")])
    assert (await refusal(studio, a_call(effect="pure"))).code == "SERVER_REFUSED"
    assert len(scripted.heard("tools/call")) == 1


async def test_a_wait_longer_than_the_deadline_is_not_begun(
    tmp_path: Path, scripted: ScriptedServer
) -> None:
    scripted.on_call("echo", [refuses(-32603, "busy")])
    async with ready(tmp_path, scripted, waits_s=(60.0,)) as studio:
        error = await refusal(studio, a_call(effect="pure"))
    assert error.code == "SERVER_REFUSED"


async def test_retry_after_is_honoured(tmp_path: Path, clock: FakeClock) -> None:
    vice = named("status_429_retry_after")
    with http_server(vice, env={"HOSTILE_SIZE": "1"}) as url:
        async with a_studio(tmp_path, clock=clock, waits_s=(0.25, 0.25)) as studio:
            await pinned(studio, NAME, HttpServer(url=url))
            results: list[ToolResult] = []

            async def run() -> None:
                call = a_call("misbehave", {}, effect="pure")
                results.append(await studio.gate.call(call))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run)
                with anyio.fail_after(60):
                    await clock.until_asleep(1)  # as asked, not as planned
                await clock.advance(1)
            assert results[0].text.startswith("1 refused")


async def test_a_server_that_asks_to_slow_down_is_an_error_for_a_call_that_happens_once(
    tmp_path: Path,
) -> None:
    with http_server(named("status_429_retry_after")) as url:
        async with a_studio(tmp_path) as studio:
            await pinned(studio, NAME, HttpServer(url=url))
            error = await refusal(studio, a_call("misbehave", {}))
            assert isinstance(error, Limited)
            assert error.code == "SERVER_RATE_LIMITED"
            assert error.facts["retry_after_s"] == 1
            assert (await studio.gate.call(a_call())).text == "hi"


async def test_a_call_waits_for_a_server_that_is_being_brought_back(
    tmp_path: Path, scripted: ScriptedServer, clock: FakeClock
) -> None:
    async with ready(tmp_path, scripted, clock=clock, keeps_trying=True) as studio:
        scripted.on_call("echo", [exits()], [says("back")])
        assert (await refusal(studio, a_call())).code == "MCP_SERVER_DISCONNECTED"
        server = await studio.home.registry.get(NAME)
        await eventually(lambda: studio.connections.health(server).retry.is_retrying)
        # A call that has no time until the next attempt fails at once.
        early = await refusal(studio, a_call(deadline_s=0.9))
        assert early.code == "MCP_SERVER_DISCONNECTED"
        results: list[ToolResult] = []

        async def run() -> None:
            results.append(await studio.gate.call(a_call()))

        # Others wait for the connection, also those that are never sent twice.
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await eventually(lambda: clock.sleeping.count(1) == 1)
            await clock.advance(1)
        assert [result.text for result in results] == ["back"]


# Questions


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_while_a_person_thinks_the_deadline_stands_still(
    tmp_path: Path, scripted: ScriptedServer, era: str
) -> None:
    scripted.change(era=era)
    steps = [asks("Sure?"), tells()]
    hangs = [asks("Sure?"), never()]
    scripted.on_call("echo", *([steps, hangs] if era == "legacy" else [steps, steps, hangs]))

    async def think(question: ElicitationQuestion) -> ElicitationAnswer:
        await anyio.sleep(1.0)
        return ElicitationAnswer("accept", {"sure": True})

    async with ready(tmp_path, scripted) as studio:
        result = await studio.gate.call(a_call(deadline_s=0.6), asker=think)
        assert result.structured == {"action": "accept", "content": {"sure": True}}
        # It goes on afterwards.
        error = await refusal(studio, a_call(deadline_s=0.6), asker=think)
        assert error.code == "CALL_TIMEOUT"


async def test_two_questions_at_once_do_not_lose_the_deadline(
    studio: Studio, scripted: ScriptedServer
) -> None:
    question = (
        '{"jsonrpc":"2.0","id":"q%d","method":"elicitation/create","params":{"message":"?",'
        '"requestedSchema":{"type":"object","properties":{}}}}'
    )
    scripted.on_call("echo", [{"line": question % 1}, {"line": question % 2}, never()])

    async def think(_: ElicitationQuestion) -> ElicitationAnswer:
        await anyio.sleep(0.1)
        return ElicitationAnswer("decline")

    error = await refusal(studio, a_call(deadline_s=0.3), asker=think)
    assert error.code == "CALL_TIMEOUT"


async def test_a_question_nobody_can_answer_is_told(
    tmp_path: Path, scripted: ScriptedServer
) -> None:
    scripted.change(era="modern")
    scripted.on_call("echo", [asks("Sure?"), tells()])
    async with ready(tmp_path, scripted) as studio:
        assert (await refusal(studio, a_call())).code == "CALL_NEEDS_ANSWER"


async def test_whoever_answers_may_call_a_tool_to_know(tmp_path: Path) -> None:
    scripted = ScriptedServer(tmp_path / "server", a_tool("ask"), a_tool("echo"), era="modern")
    scripted.on_call("ask", [asks("What?"), tells()])
    async with ready(tmp_path, scripted) as studio:

        async def look_up(_: ElicitationQuestion) -> ElicitationAnswer:
            return ElicitationAnswer("accept", {"found": (await studio.gate.call(a_call())).text})

        result = await studio.gate.call(a_call("ask", {}), asker=look_up)
    assert result.structured == {"action": "accept", "content": {"found": "hi"}}


async def test_a_fault_of_whoever_answers_leaves_no_call_open(
    tmp_path: Path, scripted: ScriptedServer
) -> None:
    scripted.change(era="modern")
    scripted.on_call("echo", [asks("Sure?"), tells()])

    async def stumble(_: ElicitationQuestion) -> ElicitationAnswer:
        raise ZeroDivisionError

    async with ready(tmp_path, scripted) as studio:
        with pytest.raises(ZeroDivisionError):
            await studio.gate.call(a_call(), asker=stumble)
        row = await last_row(studio)
        assert (row[STATUS], row[CODE]) == ("error", "INTERNAL")
        assert studio.gate.history.open_calls == ()
        assert studio.gate.limits.active == ()


# Bounds and secrets


async def test_an_answer_over_the_limit_is_refused_and_the_next_call_works(
    tmp_path: Path, scripted: ScriptedServer
) -> None:
    scripted.on_call("echo", [says("x" * 400_000)], [says("short")])
    async with ready(tmp_path, scripted, output_bytes=100_000) as studio:
        error = await refusal(studio, a_call())
        assert error.code == "SERVER_RESPONSE_TOO_LARGE"
        assert (await studio.gate.call(a_call())).text == "short"


async def test_secrets_are_masked_in_errors_results_and_the_record(
    tmp_path: Path, scripted: ScriptedServer
) -> None:
    secret = "tok-0123456789abcdef"
    definition = scripted.definition.model_copy(update={"env": {"T": "${vault:TOKEN}"}})
    scripted.on_call(
        "echo",
        [refuses(-32602, f"bad token {secret}")],
        [says(f"bad token {secret}", isError=True)],
    )
    async with a_studio(tmp_path / "home") as studio:
        await studio.home.vault.put("TOKEN", secret)
        await pinned(studio, NAME, definition)
        error = await refusal(studio, a_call())
        assert "bad token ***" in error.message
        assert secret not in str(error.as_json())
        assert error.__cause__ is None
        result = await studio.gate.call(a_call())
        assert result.text == "bad token ***"
        rows = await studio.gate.history.recent()
        assert ["bad token ***" in row[MESSAGE] for row in rows] == [True, True]
    assert secret.encode() not in (tmp_path / "home" / "toolweave.db").read_bytes()
