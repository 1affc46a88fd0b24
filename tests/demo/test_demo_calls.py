"""What surrounds a call: progress, cancelling, questions, and the guards of the two transports."""

import asyncio
import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, types
from mcp.client import ClientRequestContext

from demo.doors import RUN_HTTP, RUN_HTTP_SLOWLY, RUN_STDIO, Door, http_demo
from toolweave.demo.server import listen, run_http
from toolweave.errors import Unavailable

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("demo")]

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Person:
    """Answers questions with what it was given, and keeps what it was asked."""

    def __init__(self, *answers: types.ElicitResult) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestFormParams)
        assert params.requested_schema["required"] == ["name"]
        self.asked.append(params.message)
        return self.answers.pop(0)


async def test_countdown_reports_each_step_with_total_and_message(client: Client) -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    with anyio.fail_after(60):
        result = await client.call_tool(
            "countdown", {"start": 3, "step_delay_s": 0.01}, progress_callback=on_progress
        )
    assert seen == [(1, 3, "2 to go"), (2, 3, "1 to go"), (3, 3, "lift-off")]
    assert result.structured_content == {"steps": 3}


async def test_cancelling_reaches_the_tool_and_the_server_goes_on(
    client: Client, door: Door
) -> None:
    def times_cancelled() -> int:
        return door.log.read_text(encoding="utf-8").count("cancelled: countdown")

    before = times_cancelled()
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:

            async def on_progress(
                progress: float, total: float | None, message: str | None
            ) -> None:
                tasks.cancel_scope.cancel()

            arguments = {"start": 10_000, "step_delay_s": 0.05}
            await client.call_tool("countdown", arguments, progress_callback=on_progress)
        while times_cancelled() == before:  # noqa: ASYNC110 (another process has no event)
            await anyio.sleep(0.01)
        answer = await client.call_tool("echo", {"text": "still here"})
    assert answer.content == [types.TextContent(text="still here")]


async def test_ask_returns_what_the_person_did(door: Door, tmp_path: Path) -> None:
    person = Person(
        types.ElicitResult(action="accept", content={"name": "Ada", "confirmed": False}),
        types.ElicitResult(action="accept", content={"name": "Bob"}),
        types.ElicitResult(action="decline"),
        types.ElicitResult(action="cancel"),
    )
    answers: list[Any] = []
    with (tmp_path / "stderr").open("w", encoding="utf-8") as errlog, anyio.fail_after(60):
        async with door.client(errlog, person) as client:
            for number in range(4):
                result = await client.call_tool("ask", {"question": f"Who is number {number}?"})
                answers.append(result.structured_content)
    assert answers == [
        {"action": "accept", "name": "Ada", "confirmed": False},
        {"action": "accept", "name": "Bob", "confirmed": True},
        {"action": "decline", "name": None, "confirmed": None},
        {"action": "cancel", "name": None, "confirmed": None},
    ]
    assert person.asked == [f"Who is number {number}?" for number in range(4)]


async def test_ask_refuses_an_answer_that_does_not_fit_the_form(door: Door, tmp_path: Path) -> None:
    person = Person(types.ElicitResult(action="accept", content={"name": ""}))
    with (tmp_path / "stderr").open("w", encoding="utf-8") as errlog, anyio.fail_after(60):
        async with door.client(errlog, person) as client:
            result = await client.call_tool("ask", {})
    assert result.is_error
    assert "name" in str(result.content)


async def test_ask_without_elicitation_is_a_tool_error_that_says_so(client: Client) -> None:
    with anyio.fail_after(60):
        result = await client.call_tool("ask", {})
    assert result.is_error
    assert "elicitation" in str(result.content)


async def test_an_answer_given_later_to_another_process_is_taken(tmp_path: Path) -> None:
    door = Door("stdio", "auto", "", tmp_path / "stderr")
    with door.log.open("w", encoding="utf-8") as errlog, anyio.fail_after(60):
        async with door.client(errlog, Person()) as client:
            question = await client.session.call_tool("ask", {}, allow_input_required=True)
        assert isinstance(question, types.InputRequiredResult)
        assert question.input_requests is not None
        (key,) = question.input_requests
        reply: types.InputResponses = {
            key: types.ElicitResult(action="accept", content={"name": "Ada"})
        }
        async with door.client(errlog, Person()) as client:
            result = await client.call_tool(
                "ask", {}, input_responses=reply, request_state=question.request_state
            )
            mixed_up = await client.call_tool(
                "ask",
                {"question": "Another?"},
                input_responses=reply,
                request_state=question.request_state,
            )
    assert result.structured_content == {"action": "accept", "name": "Ada", "confirmed": True}
    assert mixed_up.is_error


def test_stdout_carries_messages_only_and_the_first_needs_no_handshake() -> None:
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "echo", "arguments": {"text": "hi"}, "_meta": META},
        },
    ]
    with subprocess.Popen(
        [sys.executable, "-c", RUN_STDIO], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        answers: dict[int, Any] = {}
        for request in requests:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            answers[answer["id"]] = answer["result"]
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(30) == 0
    assert len(answers[1]["tools"]) == 16
    assert answers[1]["ttlMs"] > 0
    assert answers[2]["content"] == [{"type": "text", "text": "hi"}]


async def test_http_refuses_other_hosts_and_origins(http_server: Door) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(trust_env=False) as http:

        async def status(**headers: str) -> int:
            response = await http.post(http_server.url, json=body, headers=accept | headers)
            return response.status_code

        assert await status(Host="evil.example") == 421
        assert await status(Host="127.0.0.1:1") == 421
        assert await status(Origin="http://evil.example") == 403
        assert await status(Origin="null") == 403
        # Without a session or an envelope it is merely a bad request: the guards let it in.
        assert await status() == 400


@pytest.mark.parametrize("fault", ['{"text": 1e999}', '{"text": "\\ud800"}'])
async def test_http_without_a_handshake_refuses_numbers_and_text_that_are_none(
    http_server: Door, fault: str
) -> None:
    params = f'{{"name": "echo", "arguments": {fault}, "_meta": {json.dumps(META)}}}'
    body = f'{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {params}}}'
    headers = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "echo",
    }
    async with httpx2.AsyncClient(trust_env=False) as http:
        response = await http.post(http_server.url, content=body, headers=headers)
    assert response.json()["result"]["isError"] is True


def test_http_on_a_port_that_is_taken_is_a_typed_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(Unavailable) as caught:
        run_http(port=other.getsockname()[1])
    assert caught.value.code == "LISTEN_FAILED"


async def test_http_connections_do_not_hold_back_small_answers() -> None:
    accepted: list[int] = []

    async def note(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        held = writer.get_extra_info("socket")
        accepted.append(held.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    with listen("127.0.0.1", 0) as listener, anyio.fail_after(60):
        async with await asyncio.start_server(note, sock=listener):
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            assert await reader.read() == b""
            writer.close()
            await writer.wait_closed()
    assert accepted == [1]


@pytest.mark.parametrize("run", [RUN_HTTP, RUN_HTTP_SLOWLY], ids=["plain", "slow"])
def test_http_stops_on_interrupt_without_a_traceback(run: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with http_demo(log, stop_with=signal.SIGINT, run=run) as url:
        assert url.startswith("http://127.0.0.1:")
    assert log.read_text(encoding="utf-8").splitlines() == [f"listening on {url}"]
