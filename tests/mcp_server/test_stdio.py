"""`toolweave mcp` as a process: unusual input, sudden ends, and nothing but JSON-RPC on stdout."""

import os
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from mcp_server.messages import INITIALIZED, envelope, initialize, line_of, request
from rest.process import PROGRAM, environ_of
from toolweave.mcp_server import stdio

pytestmark = pytest.mark.xdist_group("mcp")

CALL = {"name": "get_node_types", "arguments": {"type_filter": "FLOW"}}


@contextmanager
def started(home: Path, *, stderr: Any = subprocess.PIPE) -> Generator[subprocess.Popen[bytes]]:
    home.mkdir(parents=True, exist_ok=True)
    with subprocess.Popen(
        [*PROGRAM, "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=environ_of(home),
        cwd=home,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def answers_to(home: Path, *lines: bytes) -> dict[Any, Any]:
    """What comes back for a whole input given at once, as in a pipe; the process ends well."""
    with started(home) as process:
        out, err = process.communicate(b"".join(lines), timeout=60)
    assert process.returncode == 0, err
    assert b"Traceback" not in err, err
    found = [orjson.loads(line) for line in out.splitlines()]
    assert all(answer["jsonrpc"] == "2.0" for answer in found)
    assert len({answer["id"] for answer in found}) == len(found)
    return {answer["id"]: answer.get("result", answer.get("error")) for answer in found}


def test_a_pipe_gets_every_answer_before_the_end(tmp_path: Path) -> None:
    calls = [line_of(request("tools/call", CALL, id=number)) for number in range(2, 42)]
    found = answers_to(tmp_path, line_of(initialize()), line_of(INITIALIZED), *calls)
    assert set(found) == set(range(1, 42))
    for number in range(2, 42):
        assert found[number]["structuredContent"]["FLOW"][0] == "IF"


def test_the_modern_era_needs_no_handshake(tmp_path: Path) -> None:
    call = line_of(request("tools/call", envelope(**CALL), id="a"))
    found = answers_to(tmp_path, call, line_of(request("server/discover", envelope(), id="b")))
    assert found["a"]["structuredContent"]["FLOW"][0] == "IF"
    assert found["b"]["supportedVersions"] == ["2026-07-28"]


def test_unusual_input_is_passed_over_and_the_next_request_answered(tmp_path: Path) -> None:
    found = answers_to(
        tmp_path,
        b"garbage\n",
        b"\xff\xfe\n",
        b"\n\n  \r\n",
        line_of([request("ping"), request("ping")]),
        b'{"jsonrpc":"2.0","id":9,"method":"x","params":"' + b"y" * 5_000_000 + b'"}\n',
        b"[" * 100_000 + b"\n",
        line_of(initialize(id="hello")),
        line_of(INITIALIZED),
        line_of(request("tools/call", CALL, id="again")),
        line_of(request("ping", id="last")).rstrip(),
    )
    assert set(found) == {"hello", "again", "last"}


@pytest.mark.parametrize("lines", [[], [line_of(initialize())], [b"garbage\n"], [b'{"jsonrpc"']])
def test_an_input_that_ends_early_ends_the_process_well(tmp_path: Path, lines: list[bytes]) -> None:
    found = answers_to(tmp_path, *lines)
    assert set(found) == ({1} if lines and b"initialize" in lines[0] else set[int]())


def test_a_client_that_leaves_without_reading_ends_it_well(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.close()
        process.stdin.write(line_of(initialize()) + line_of(INITIALIZED))
        process.stdin.write(line_of(request("tools/call", CALL, id=2)) * 50)
        process.stdin.close()
        assert process.wait(60) == 0


def test_a_client_slow_to_read_is_waited_for(tmp_path: Path) -> None:
    nodes = [{"node_type": "FLOW", "subtype": "WAIT"}]
    call = {"name": "get_node_details", "arguments": {"nodes": nodes}}
    asked = [line_of(request("tools/call", call, id=number)) for number in range(2, 200)]
    with started(tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        # More than a pipe holds is asked for and given before anything is read.
        process.stdin.write(b"".join([line_of(initialize()), line_of(INITIALIZED), *asked]))
        process.stdin.flush()
        found = {orjson.loads(process.stdout.readline())["id"] for _ in range(199)}
        process.stdin.close()
        assert process.wait(60) == 0
    assert found == set(range(1, 200))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("is_loaded", [False, True])
def test_a_signal_ends_it_at_any_moment(
    tmp_path: Path, number: signal.Signals, is_loaded: bool
) -> None:
    with started(tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(line_of(initialize()) + line_of(INITIALIZED))
        process.stdin.flush()
        assert process.stdout.readline()
        if is_loaded:
            process.stdin.write(line_of(request("tools/call", CALL, id=2)))
            process.stdin.flush()
            assert process.stdout.readline()
        process.send_signal(number)
        assert process.wait(30) in {0, 130, -number}
        assert process.stdout.read() == b""


def test_it_starts_without_a_stderr_and_in_a_home_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    command = [*PROGRAM, "mcp"]
    lines = [line_of(initialize()), line_of(INITIALIZED)]
    lines.append(line_of(request("tools/call", CALL, id=2)))
    environ = environ_of(tmp_path) | {"TOOLWEAVE_HOME": str(tmp_path / "file" / "home")}
    done = subprocess.run(
        command,
        input=b"".join(lines),
        stdout=subprocess.PIPE,
        env=environ,
        timeout=60,
        check=False,
        preexec_fn=lambda: os.close(2),
    )
    found = [orjson.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in found] == [1, 2]
    assert found[1]["result"]["structuredContent"]["FLOW"]


def test_lines_come_one_by_one_and_one_too_long_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stdio, "MAX_LINE_BYTES", 10)
    monkeypatch.setattr(stdio, "CHUNK_BYTES", 4)
    reading, writing = os.pipe()
    os.write(writing, b"one\n" + b"x" * 11 + b"\ntwo\n\n" + b"y" * 10 + b"\n" + b"z" * 50)
    os.close(writing)
    try:
        assert list(stdio.lines_of(reading)) == [b"one\n", b"two\n", b"\n", b"y" * 10 + b"\n"]
    finally:
        os.close(reading)
