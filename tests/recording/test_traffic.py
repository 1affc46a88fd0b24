"""`toolweave record --server`: a client's calls of a server as a recording that the mock serves."""

import json
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest
from mcp import Client, MCPError, types
from mcp.client.session import ElicitationFnT
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from tests.cli.driving import PROGRAM
from tests.recording.conftest import House

from toolweave.access.mask import Masker
from toolweave.app.studio import open_studio
from toolweave.clock import SystemClock
from toolweave.home import open_home
from toolweave.recording.files import read_recording
from toolweave.recording.mock_server import build_mock
from toolweave.recording.proxy_server import RecordingProxy, build_proxy
from toolweave.recording.recording import Recording
from toolweave.recording.traffic import TrafficMasks, TrafficRecorder, traffic_header
from toolweave.resources.open_calls import OpenCalls
from toolweave.settings import from_environment
from toolweave.tasks import background

Mode = Literal["legacy", "auto"]
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("add", {"a": 1, "b": 2}),
    ("counter", {"name": "traffic"}),
    ("counter", {"name": "traffic"}),
    ("echo", {"text": "plain"}),
)
# A client that knows nothing but the address it is given.
CLIENT = """
import sys, anyio
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
async def main():
    async with Client(streamable_http_client(sys.argv[1])) as mcp:
        print((await mcp.call_tool("add", {"a": 40, "b": 2})).structured_content)
anyio.run(main)
"""


async def answers(client: Client) -> list[Any]:
    found = [await client.call_tool(tool, arguments) for tool, arguments in CALLS]
    return [(one.structured_content, [part.model_dump() for part in one.content]) for one in found]


async def replayed(recording: Recording, mode: Mode = "auto") -> list[Any]:
    async with Client(build_mock(recording, "demo"), mode=mode) as client:
        return await answers(client)


@asynccontextmanager
async def proxied(house: House, path: Path) -> AsyncGenerator[tuple[Any, TrafficRecorder]]:
    """The proxy in this process."""
    environ = house.commands.environ
    async with (
        open_home(from_environment(environ), environ=environ) as home,
        open_studio(home) as studio,
        background() as calls,
    ):
        pins = home.lockfile.pins("demo")
        header = traffic_header(path.stem, "demo", pins, "2026-01-01T00:00:00.000Z")
        masks = TrafficMasks(Masker(["s3cret-token"]), ("text",))
        recorder = TrafficRecorder(path, header, pins, SystemClock(), masks)
        gate, open_calls = studio.gate, OpenCalls(studio.gate, calls)
        proxy = RecordingProxy("demo", pins, gate, open_calls, recorder)
        yield build_proxy(proxy, None), recorder


@pytest.mark.anyio
async def test_a_client_of_either_era_gets_real_answers_and_the_mock_gives_the_same(
    house: House, tmp_path: Path
) -> None:
    modes: tuple[Mode, ...] = ("legacy", "auto")
    for mode in modes:
        path = tmp_path / f"{mode}.jsonl"
        async with proxied(house, path) as (server, recorder):
            async with Client(server, mode=mode) as client:
                listed = await client.list_tools()
                live = await answers(client)
            recorder.finish()
        assert "counter" in {tool.name for tool in listed.tools}
        found = read_recording(path)
        assert (found.warnings, found.recording.header.source.kind) == ((), "proxy")
        masked = [part for part, _ in live[:3]]
        assert [part for part, _ in await replayed(found.recording, mode)][:3] == masked


@pytest.mark.anyio
async def test_errors_secrets_and_given_fields_are_recorded_masked(
    house: House, tmp_path: Path
) -> None:
    path = tmp_path / "masked.jsonl"
    async with proxied(house, path) as (server, recorder):
        async with Client(server) as client:
            said = await client.call_tool("echo", {"text": "to ada with s3cret-token"})
            assert "ada" in str(said.content)
            with pytest.raises(MCPError, match="MCP_ARGUMENTS_INVALID"):
                await client.call_tool("add", {"a": "x"})
        cut_off = path.read_text(encoding="utf-8")
        recorder.finish()
    for text in (cut_off, path.read_text(encoding="utf-8")):
        assert "to ada with" not in text
        assert "s3cret-token" not in text
    first, second = read_recording(path).recording.calls
    assert (first.seq, second.seq) == (1, 2)
    assert (second.error or {})["code"] == "MCP_ARGUMENTS_INVALID"
    async with Client(build_mock(read_recording(path).recording, "demo")) as client:
        with pytest.raises(MCPError, match="MCP_ARGUMENTS_INVALID"):
            await client.call_tool("add", {"a": "x"})


def answering(name: str) -> ElicitationFnT:
    async def answer(context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        del context
        assert params.message == "Who is there?"
        return types.ElicitResult(action="accept", content={"name": name, "confirmed": True})

    return answer


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("replayed_mode", ["legacy", "auto"])
async def test_a_question_of_the_server_reaches_the_client_and_is_recorded_and_replayed(
    house: House, tmp_path: Path, mode: Mode, replayed_mode: Mode
) -> None:
    path, asking = tmp_path / "asking.jsonl", {"question": "Who is there?"}
    async with proxied(house, path) as (server, recorder):
        async with Client(server, mode=mode, elicitation_callback=answering("Ada")) as client:
            live = await client.call_tool("ask", asking)
        async with Client(server, mode=mode) as client:  # nobody to ask
            with pytest.raises(MCPError, match="CALL_NEEDS_ANSWER"):
                await client.call_tool("ask", asking)
        recorder.finish()
    assert live.structured_content == {"action": "accept", "name": "Ada", "confirmed": True}
    recording = read_recording(path).recording
    asked, not_asked = recording.calls
    assert not_asked.asked == ()
    ((question, answer),) = ((one["params"], one["answer"]) for one in asked.asked)
    assert isinstance(question, dict)
    assert (question["message"], question["mode"]) == ("Who is there?", "form")
    assert answer == {"action": "accept", "content": {"name": "Ada", "confirmed": True}}
    for name in ("Ada", "Bob"):
        mock = build_mock(recording, "demo")
        callback = answering(name)
        async with Client(mock, mode=replayed_mode, elicitation_callback=callback) as client:
            if name == "Ada":
                again = await client.call_tool("ask", asking)
                assert again.structured_content == live.structured_content
            else:
                with pytest.raises(MCPError, match="/content/name: expected 'Ada', got 'Bob'"):
                    await client.call_tool("ask", asking)


@pytest.mark.anyio
async def test_over_stdio_a_client_that_closes_completes_the_file(
    house: House, tmp_path: Path
) -> None:
    args = [*PROGRAM[1:], "record", "--server", "demo", "--as", "closed", "--stdio"]
    parameters = StdioServerParameters(
        command=PROGRAM[0],
        args=[*args, "--dir", str(tmp_path)],
        env=house.commands.environ,
        cwd=house.commands.project,
    )
    with anyio.fail_after(60):
        # The default is what stood for stderr when the SDK was imported: another test's, closed.
        async with Client(stdio_client(parameters, errlog=sys.stderr)) as client:
            live = await answers(client)
    found = read_recording(tmp_path / "closed.jsonl")
    assert found.warnings == ()
    assert await replayed(found.recording) == live


@pytest.mark.parametrize(("number", "is_cut_off"), [(signal.SIGINT, False), (signal.SIGKILL, True)])
def test_ctrl_c_completes_the_file_and_a_kill_leaves_it_readable(
    house: House, tmp_path: Path, number: signal.Signals, is_cut_off: bool
) -> None:
    args = ("record", "--server", "demo", "--as", "ended", "--stdio", "--dir", str(tmp_path))
    client = {"clientInfo": {"name": "test", "version": "1"}, "capabilities": {}}
    hello = {"protocolVersion": "2025-06-18", **client}
    call = {"name": "add", "arguments": {"a": 1, "b": 2}}
    with subprocess.Popen(
        [*PROGRAM, *args],
        cwd=house.commands.project,
        env=house.commands.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for sent in (
            {"id": 1, "method": "initialize", "params": hello},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": call},
        ):
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **sent}).encode() + b"\n")
            process.stdin.flush()
            if "id" in sent:
                assert json.loads(process.stdout.readline())["id"] == sent["id"]
        process.send_signal(number)
        process.wait(30)
    found = read_recording(tmp_path / "ended.jsonl")
    assert found.recording.is_cut_off == is_cut_off
    assert [line.tool for line in found.recording.calls] == ["add"]


@pytest.mark.anyio
async def test_over_http_ctrl_c_completes_the_file(house: House, tmp_path: Path) -> None:
    args = ("record", "--server", "demo", "--as", "web", "--http", "--dir", str(tmp_path))
    with house.commands.process(*args) as process:
        assert process.stderr is not None
        line = await anyio.to_thread.run_sync(process.stderr.readline)
        url = line.decode().removeprefix("listening on ").strip()
        with anyio.fail_after(60):
            async with Client(streamable_http_client(url)) as client:
                live = await answers(client)
            process.send_signal(signal.SIGINT)
            _, err = await anyio.to_thread.run_sync(process.communicate)
    assert "Recorded 4 calls" in err.decode()
    recording = read_recording(tmp_path / "web.jsonl").recording
    assert not recording.is_cut_off
    assert await replayed(recording) == live


def test_a_client_is_started_with_the_address_and_its_end_completes_the_file(
    house: House, tmp_path: Path
) -> None:
    args = ("record", "--server", "demo", "--as", "started", "--dir", str(tmp_path))
    ran = house.commands.run(*args, "--", sys.executable, "-c", CLIENT, "{url}")
    assert (ran.code, ran.out.strip()) == (0, "{'sum': 42.0}")
    recording = read_recording(tmp_path / "started.jsonl").recording
    assert (recording.is_cut_off, len(recording.calls)) == (False, 1)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--server", "nobody", "--stdio"), "nobody"),
        (("--server", "demo"), "--stdio"),
        (("--server", "demo", "--stdio", "--http"), "--stdio"),
        ((), "RUN"),
        (("--server", "demo", "--", "no-such-client"), "no-such-client"),
    ],
)
def test_wrong_wishes_are_refused_and_write_nothing(
    house: House, tmp_path: Path, args: tuple[str, ...], words: str
) -> None:
    ran = house.commands("record", "--as", "x", "--dir", str(tmp_path), *args)
    assert ran.code != 0
    assert words in ran.err
    assert list(tmp_path.iterdir()) == []
