"""Read the output of `claude mcp list`, as an optional check of the files.

It takes seconds and starts every approved server, so files are read first. It has no JSON
mode; lines such as `time: uvx mcp-server-time - ✔ Connected` are read leniently.
"""

import os
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from subprocess import DEVNULL, PIPE
from typing import Literal

import anyio
from anyio.abc import Process

from toolweave.errors import TimedOut, Unavailable
from toolweave.patterns import pattern
from toolweave.servers.definition import Transport
from toolweave.servers.discovery.locations import ClientLocations

Status = Literal["connected", "failed", "needs_sign_in", "pending", "unknown"]

_MAX_BYTES = 1024 * 1024
_ESCAPES = pattern(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_SUFFIXES: dict[str, Transport] = {"(HTTP)": "http", "(SSE)": "sse"}
_STATUSES: dict[str, Status] = {
    "needs auth": "needs_sign_in",
    "connected": "connected",
    "failed": "failed",
    "pending": "pending",
}


@dataclass(frozen=True, slots=True)
class ClaudeCliServer:
    """One line of `claude mcp list`."""

    name: str
    transport: Transport
    target: str  # the command line or the address
    status: Status
    said: str  # the status as Claude Code prints it


async def claude_mcp_list(
    timeout_s: float, *, places: ClientLocations
) -> tuple[ClaudeCliServer, ...]:
    """Run `claude mcp list` in the project directory."""
    program = shutil.which("claude", path=places.environ.get("PATH", ""))
    if program is None:
        raise Unavailable(
            "MCP_CLI_NOT_FOUND",
            "the command 'claude' is not on PATH",
            hint="install Claude Code, or omit this option: its files are read anyway",
        )
    try:
        with anyio.fail_after(timeout_s):
            code, output = await _run([program, "mcp", "list"], places)
    except TimeoutError:
        raise TimedOut(
            "MCP_CLI_TIMEOUT",
            f"`claude mcp list` did not finish within {timeout_s:g} s",
            hint="one of its servers may hang; increase the timeout or omit this option",
        ) from None
    if code != 0:
        raise Unavailable(
            "MCP_CLI_FAILED",
            f"`claude mcp list` exited with code {code}",
            hint="run it yourself to see why",
        )
    return tuple(read_list(output.decode(errors="replace")))


def read_list(text: str) -> Iterator[ClaudeCliServer]:
    """Parse the output of `claude mcp list`; other lines are skipped."""
    for line in _ESCAPES.sub("", text).splitlines():
        # The first `: ` ends the name (a plugin's has bare colons), the last ` - ` the target.
        name, _, rest = line.strip().partition(": ")
        target, _, status = rest.rpartition(" - ")
        mark, _, said = status.partition(" ")
        if not target.strip() or not said or mark[:1].isalnum():
            continue
        address, _, suffix = target.strip().rpartition(" ")
        yield ClaudeCliServer(
            name=name,
            transport=_SUFFIXES.get(suffix, "stdio"),
            target=address if suffix in _SUFFIXES else target.strip(),
            status=_status(said.casefold()),
            said=said,
        )


def _status(said: str) -> Status:
    for words, status in _STATUSES.items():
        if words in said:
            return status
    return "unknown"


async def _run(argv: Sequence[str], places: ClientLocations) -> tuple[int, bytes]:
    try:
        process = await anyio.open_process(
            argv,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=DEVNULL,
            cwd=places.project,
            env=places.environ,
            start_new_session=True,
        )
    except OSError as error:
        raise Unavailable(
            "MCP_CLI_FAILED", f"`claude mcp list` cannot be started: {error.strerror}"
        ) from None
    output = bytearray()
    try:
        assert process.stdout is not None
        async for chunk in process.stdout:
            output += chunk[: _MAX_BYTES - len(output)]
        return await process.wait(), bytes(output)
    finally:
        _kill_group(process)
        with anyio.CancelScope(shield=True):
            await process.aclose()


def _kill_group(process: Process) -> None:
    """Stop the command and all servers it started, unless it already exited."""
    if process.returncode is not None:
        return
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
