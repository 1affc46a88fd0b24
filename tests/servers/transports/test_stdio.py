"""The stdio transport against real processes: lines in, lines out, nothing left behind."""

import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import psutil
import pytest
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from servers.rooms import eventually
from toolweave.errors import Unavailable
from toolweave.servers.disconnect_reason import DisconnectReason
from toolweave.servers.guardian import Guardian
from toolweave.servers.runners.runner import Launch
from toolweave.servers.transports.stdio import NOISE_LINES, Streams, open_stdio

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="speaks of process groups and signals"),
]

ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"n":%d}}'
EVERY_LINE = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"


@asynccontextmanager
async def process(
    code: str, faults: DisconnectReason, *, max_bytes: int = 100_000, cwd: str | None = None
) -> AsyncGenerator[Streams]:
    """A Python program spoken to over its standard streams."""
    launch = Launch((sys.executable, "-I", "-S", "-c", code), env={}, cwd=cwd)
    with anyio.fail_after(60):
        async with (
            Guardian() as guardian,
            open_stdio(launch, faults, guardian=guardian, max_bytes=max_bytes) as streams,
        ):
            yield streams


async def everything(
    code: str, faults: DisconnectReason, *, max_bytes: int = 100_000
) -> list[object]:
    """All it says until it ends or is ended."""
    async with process(code, faults, max_bytes=max_bytes) as (inbox, _):
        return [item.message async for item in inbox if isinstance(item, SessionMessage)]


def saying(*lines: str) -> str:
    return "\n".join(f"print({line!r}, flush=True)" for line in lines)


async def test_messages_go_both_ways() -> None:
    request = JSONRPCRequest(jsonrpc="2.0", id=7, method="x", params={"text": "ä\n\u2028"})
    async with process(EVERY_LINE, DisconnectReason("server")) as (inbox, outbox):
        await outbox.send(SessionMessage(request))
        item = await inbox.receive()
    assert isinstance(item, SessionMessage)
    assert item.message == request


async def test_the_end_of_the_process_ends_the_stream_and_its_last_words_are_known() -> None:
    faults = DisconnectReason("server")
    code = "import sys\nsys.stderr.write('no key given\\n' * 3)\nsys.exit(3)"
    assert await everything(code, faults) == []
    assert faults.ended.is_set()
    error = faults.closed()
    assert error.code == "MCP_SERVER_DISCONNECTED"
    assert "no key given | no key given" in error.message


async def test_text_that_is_no_message_is_skipped() -> None:
    code = saying("Server ready", "", "   ", "[info] listening", "[1, 2]", ANSWER % 1)
    faults = DisconnectReason("server")
    messages = await everything(code, faults)
    assert messages == [JSONRPCResponse(jsonrpc="2.0", id=1, result={"n": 1})]
    assert faults.first is None


async def test_noise_without_end_is_a_fault_but_not_over_the_life_of_a_talker() -> None:
    noise = f"for _ in range({NOISE_LINES}): print('noise')\n"
    answer = f"print({ANSWER % 1!r}, flush=True)\n"
    faults = DisconnectReason("server")
    messages = await everything(noise + answer + noise + answer, faults)
    assert len(messages) == 2
    assert faults.first is None
    await everything(noise + "print('one more', flush=True)\n" + answer, faults)
    assert faults.first is not None
    assert faults.first.code == "SERVER_PROTOCOL"


@pytest.mark.parametrize(
    "line",
    [
        "'{broken'",
        """'{"jsonrpc": "2.0", "id": 1, "result": [1]}'""",
        """'{"level": "info"}'""",
        """'{"jsonrpc": "2.0", "id": 1, "result": {"a":' + '[' * 50_000 + ']' * 50_000 + '}}'""",
    ],
    ids=["json", "shape", "log", "deep"],
)
async def test_a_line_that_only_looks_like_a_message_ends_the_connection(line: str) -> None:
    faults = DisconnectReason("server")
    code = f"print({line}, flush=True)\nprint({ANSWER % 1!r}, flush=True)"
    assert await everything(code, faults, max_bytes=1_000_000) == []
    assert faults.first is not None
    assert faults.first.code == "SERVER_PROTOCOL"


async def test_bad_utf8_ends_the_connection() -> None:
    faults = DisconnectReason("server")
    code = 'import os\nos.write(1, b\'{"jsonrpc":"2.0","id":1,"result":{"a":"\\xff\\xfe"}}\\n\')'
    assert await everything(code, faults) == []
    assert faults.first is not None
    assert faults.first.code == "SERVER_PROTOCOL"


async def test_a_line_without_end_is_cut_off_at_the_limit() -> None:
    faults = DisconnectReason("server")
    code = "import os\nwhile True: os.write(1, b'x' * 65536)"
    assert await everything(code, faults, max_bytes=1_000_000) == []
    assert faults.first is not None
    assert faults.first.code == "SERVER_RESPONSE_TOO_LARGE"


async def test_a_message_of_too_many_values_is_refused_before_it_is_read() -> None:
    faults = DisconnectReason("server")
    code = (
        """print('{"jsonrpc":"2.0","id":1,"result":{"a":[' + '7,' * 400_000 + '7]}}', flush=True)"""
    )
    assert await everything(code, faults, max_bytes=1_000_000) == []
    assert faults.first is not None
    assert faults.first.code == "SERVER_RESPONSE_TOO_LARGE"


async def test_a_message_may_come_in_pieces_and_be_as_long_as_allowed() -> None:
    text = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"a": "x" * 99_000}})
    code = (
        "import os, time\n"
        f"data = {text!r}.encode() + b'\\n'\n"
        "for start in range(0, len(data), 10_000):\n"
        "    os.write(1, data[start:start + 10_000]); time.sleep(0.001)\n"
    )
    (message,) = await everything(code, DisconnectReason("server"))
    assert isinstance(message, JSONRPCResponse)
    assert message.result == {"a": "x" * 99_000}


async def test_a_flood_of_notifications_is_thinned_and_the_answer_comes_through() -> None:
    code = (
        'note = \'{"jsonrpc":"2.0","method":"notifications/message","params":{}}\'\n'
        "for _ in range(20_000): print(note)\n"
        f"print({ANSWER % 1!r}, flush=True)"
    )
    messages = await everything(code, DisconnectReason("server"))
    assert isinstance(messages[-1], JSONRPCResponse)
    assert all(isinstance(message, JSONRPCNotification) for message in messages[:-1])
    assert 0 < len(messages) < 10_000


async def test_a_flood_of_requests_ends_the_connection() -> None:
    code = (
        "for n in range(1000):\n"
        '    print(\'{"jsonrpc":"2.0","id":"q%d","method":"ping"}\' % n, flush=True)'
    )
    faults = DisconnectReason("server")
    await everything(code, faults)
    assert faults.first is not None
    assert faults.first.code == "SERVER_PROTOCOL"


async def test_a_stderr_flood_keeps_the_last_lines_and_blocks_nothing() -> None:
    code = (
        "import sys\n"
        "for n in range(50_000): sys.stderr.write(f'line {n}\\n')\n"
        f"sys.stderr.flush()\nprint({ANSWER % 1!r}, flush=True)"
    )
    faults = DisconnectReason("server")
    assert len(await everything(code, faults)) == 1
    assert faults.stderr[-1] == "line 49999"


@pytest.mark.parametrize(
    ("argv", "cwd"),
    [
        (("/nonexistent/program",), None),
        ((sys.executable,), "/nonexistent"),
        (("a\0b",), None),
    ],
)
async def test_what_cannot_be_started_is_told(argv: tuple[str, ...], cwd: str | None) -> None:
    async with Guardian() as guardian:
        with pytest.raises(Unavailable) as caught:
            async with open_stdio(
                Launch(argv, cwd=cwd), DisconnectReason("server"), guardian=guardian, max_bytes=1
            ):
                pytest.fail("it started")
    assert caught.value.code == "SERVER_START_FAILED"
    assert "'server'" in caught.value.message


@pytest.mark.parametrize("stubborn", [False, True], ids=["polite", "stubborn"])
async def test_leaving_ends_the_process_and_its_children(tmp_path: Path, stubborn: bool) -> None:
    pids = tmp_path / "pids"
    ignore = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" if stubborn else ""
    wait = "time.sleep(600)" if stubborn else "sys.stdin.read()"
    code = (
        f"{ignore}import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        f"print({ANSWER % 1!r}, flush=True)\n{wait}"
    )
    async with process(code, DisconnectReason("server")) as (inbox, _):
        await inbox.receive()
    numbers = [int(text) for text in pids.read_text(encoding="ascii").split()]
    await eventually(lambda: not any(psutil.pid_exists(number) for number in numbers))


async def test_a_cancelled_body_ends_the_process_too(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    code = (
        f"import os, sys; open({str(pid)!r}, 'w').write(str(os.getpid()))\n"
        f"print({ANSWER % 1!r}, flush=True); sys.stdin.read()"
    )
    with anyio.CancelScope() as scope:
        async with process(code, DisconnectReason("server")) as (inbox, _):
            await inbox.receive()
            scope.cancel()
            await anyio.sleep_forever()
    assert scope.cancelled_caught
    number = int(pid.read_text(encoding="ascii"))
    await eventually(lambda: not psutil.pid_exists(number))


class BrokenGuardian(Guardian):
    """A guardian that could not be started, as without memory."""

    def __init__(self) -> None:
        super().__init__()
        self.asked_for: list[int] = []

    async def watch_group(self, pgid: int) -> None:
        self.asked_for.append(pgid)
        raise OSError(12, "Cannot allocate memory")


async def test_a_process_nobody_could_watch_is_not_left_running() -> None:
    guardian = BrokenGuardian()
    launch = Launch((sys.executable, "-c", "import time; time.sleep(600)"), env={})
    with pytest.raises(OSError, match="memory"):
        async with open_stdio(launch, DisconnectReason("server"), guardian=guardian, max_bytes=1):
            pytest.fail("it opened")
    (pid,) = guardian.asked_for
    await eventually(lambda: not psutil.pid_exists(pid))


async def test_a_server_that_does_not_read_blocks_nobody_who_leaves() -> None:
    big = JSONRPCNotification(jsonrpc="2.0", method="x", params={"a": "x" * 1_000_000})
    faults = DisconnectReason("server")
    async with process("import time; time.sleep(600)", faults) as (_, outbox):
        for _ in range(3):
            await outbox.send(SessionMessage(big))
        assert not faults.ended.is_set()
    assert faults.ended.is_set()


async def test_a_server_that_never_reads_is_given_up_before_it_fills_the_memory() -> None:
    big = JSONRPCNotification(jsonrpc="2.0", method="x", params={"a": "x" * 10_000_000})
    faults = DisconnectReason("server")
    async with process("import time; time.sleep(600)", faults) as (_, outbox):
        for _ in range(10):
            await outbox.send(SessionMessage(big))
    assert faults.first is not None
    assert faults.first.code == "SERVER_PROTOCOL"
    assert "did not read" in faults.first.message


async def test_a_message_of_any_size_reaches_a_server_that_reads() -> None:
    big = JSONRPCRequest(jsonrpc="2.0", id=1, method="x", params={"a": "x" * 50_000_000})
    code = f"import sys\nprint({ANSWER!r} % len(sys.stdin.readline()), flush=True)"
    async with process(code, DisconnectReason("server")) as (inbox, outbox):
        await outbox.send(SessionMessage(big))
        item = await inbox.receive()
    assert isinstance(item, SessionMessage)
    assert isinstance(item.message, JSONRPCResponse)
    assert item.message.result["n"] > 50_000_000
