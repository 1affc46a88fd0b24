"""`toolweave mock`: a recorded server for any MCP client."""

import signal
import sys
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any, Literal

import anyio
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from tests.cli.driving import Commands
from tests.recording.conftest import House

from toolweave.errors import NotFound
from toolweave.recording.entries import CallLine, ProgressReport
from toolweave.recording.files import read_recording, write_recording
from toolweave.recording.mock_server import build_mock, recorded_server
from toolweave.recording.recording import Recording

LATENCY_MS = 400
MODES: tuple[Literal["legacy", "auto"], ...] = ("legacy", "auto")


def recording(folder: Path, name: str) -> Recording:
    return read_recording(folder / f"{name}.jsonl").recording


def client(found: Recording, *, faults: bool = False, **more: Any) -> Client:
    return Client(build_mock(found, "demo", has_faults=faults), **more)


@pytest.fixture
def masked(house: House, tmp_path: Path) -> Recording:
    house.record("mail", tmp_path, "--mask", "text")
    return recording(tmp_path, "mail")


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
async def test_a_client_sees_the_recorded_tools_and_gets_the_recorded_answers_in_order(
    samples: Path, mode: Literal["legacy", "auto"]
) -> None:
    async with client(recording(samples, "counts"), mode=mode) as mcp:
        listed = await mcp.list_tools()
        assert {"add", "counter", "echo"} <= {tool.name for tool in listed.tools}
        answers = [await mcp.call_tool("counter", {"name": "c"}) for _ in range(2)]
        found = [one.structured_content for one in answers]
        assert found == [{"name": "c", "count": 1}, {"name": "c", "count": 2}]
        with pytest.raises(MCPError, match="RECORDING_USED_UP"):
            await mcp.call_tool("counter", {"name": "c"})


@pytest.mark.anyio
async def test_an_unknown_call_is_refused_with_the_nearest_and_a_number_matches_as_a_number(
    samples: Path,
) -> None:
    async with client(recording(samples, "sums")) as mcp:
        with pytest.raises(MCPError, match="nearest: entry 1, /b: expected 2, got 7"):
            await mcp.call_tool("add", {"b": 7, "a": 1})
        answer = await mcp.call_tool("add", {"b": 2.0, "a": 1.0})
        assert answer.structured_content == {"sum": 3.0}


@pytest.mark.anyio
async def test_a_masked_argument_matches_one_text_and_a_masked_result_says_so(
    masked: Recording,
) -> None:
    async with client(masked) as mcp:
        answer = await mcp.call_tool("echo", {"text": "any text"})
        assert answer.meta is not None
        assert answer.meta["toolweave/masked"]


@pytest.mark.anyio
async def test_failures_and_progress_are_replayed_only_on_request(samples: Path) -> None:
    found = recording(samples, "sums")
    first = found.calls[0]
    down = {"code": "SERVER_UNREACHABLE", "message": "it was down"}
    progress = (ProgressReport(after_ms=1, progress=1, total=2, message="half"),)
    failed: CallLine = first.model_copy(update={"seq": 0, "result": None, "error": down})
    slow: CallLine = first.model_copy(update={"progress": progress, "took_ms": 2})
    found = replace(found, calls=(failed, slow))
    arguments = {"a": 1, "b": 2}
    async with client(found) as mcp:
        assert (await mcp.call_tool("add", arguments)).structured_content == {"sum": 3.0}
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async with client(found, faults=True) as mcp:
        with pytest.raises(MCPError, match="SERVER_UNREACHABLE: it was down"):
            await mcp.call_tool("add", arguments)
        answer = await mcp.call_tool("add", arguments, progress_callback=hear)
        assert answer.structured_content == {"sum": 3.0}
    assert heard == [(1, 2, "half")]


def test_the_server_is_the_only_one_or_the_named_one(samples: Path) -> None:
    found = recording(samples, "sums")
    assert recorded_server(found, None) == recorded_server(found, "demo") == "demo"
    with pytest.raises(NotFound, match="has no server 'other'"):
        recorded_server(found, "other")
    with pytest.raises(NotFound, match="exactly one"):
        recorded_server(replace(found, tools=()), None)


@pytest.mark.anyio
@pytest.mark.parametrize("has_faults", [False, True])
async def test_over_http_latency_errors_and_progress_are_replayed_on_request(
    recorded: Commands, recordings: Path, has_faults: bool
) -> None:
    found = recording(recordings, "sums")
    first = found.calls[0]
    down = {"code": "SERVER_UNREACHABLE", "message": "it was down"}
    progress = (ProgressReport(after_ms=5, progress=1, total=2, message="half"),)
    failed: CallLine = first.model_copy(update={"seq": 0, "result": None, "error": down})
    slow: CallLine = first.model_copy(update={"progress": progress, "took_ms": LATENCY_MS})
    write_recording(replace(found, calls=(failed, slow)), recordings / "slow.jsonl")
    heard: list[float] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        assert (total, message) == (2, "half")
        heard.append(progress)

    more = ("--faults",) if has_faults else ()
    with recorded.process("mock", "slow", "--http", *more) as process:
        assert process.stderr is not None
        line = await anyio.to_thread.run_sync(process.stderr.readline)
        url = line.decode().rpartition(" ")[2].strip()
        with anyio.fail_after(60):
            async with Client(streamable_http_client(url)) as mcp:
                if has_faults:
                    with pytest.raises(MCPError, match="SERVER_UNREACHABLE"):
                        await mcp.call_tool("add", {"a": 1, "b": 2})
                began = monotonic()
                answer = await mcp.call_tool("add", {"a": 1, "b": 2}, progress_callback=hear)
                took_ms = (monotonic() - began) * 1000
        process.send_signal(signal.SIGINT)
        await anyio.to_thread.run_sync(process.communicate)
    assert answer.structured_content == {"sum": 3.0}
    assert heard == ([1] if has_faults else [])
    if has_faults:
        assert took_ms >= LATENCY_MS - 50  # not sooner; a busy machine may be later


def test_the_mock_is_added_and_called_as_any_server(recorded: Commands) -> None:
    command = (sys.executable, "-m", "toolweave.cli.main", "mock", "recordings/sums.jsonl")
    recorded.ok("servers", "add", "mocked", "--", *command)
    recorded.ok("servers", "approve", "mocked", "--yes")
    ran = recorded.ok("call", "mocked", "add", "--arg", "a=1", "--arg", "b=2", "--json")
    assert '"sum":3.0' in ran.out.replace(" ", "")


def test_an_unknown_recording_is_not_served(tw: Commands) -> None:
    refused = tw("mock", "nothing")
    assert (refused.code, "there is no recording 'nothing'" in refused.err) == (1, True)
