"""Run an approved program with an output limit and a deadline, without a shell.

The guardian watches its process group, so it never outlives its run or this process.
"""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass

import anyio
from anyio.abc import ByteReceiveStream, Process

from toolweave.errors import TimedOut, Unavailable
from toolweave.servers.guardian import Guardian
from toolweave.servers.runners.runner import Launch

GRACE_S = 2.0


@dataclass(frozen=True, slots=True)
class CommandLimits:
    """The deadline and how much output is kept."""

    deadline_s: float
    max_bytes: int


@dataclass(frozen=True, slots=True)
class CommandResultBytes:
    """The exit code and output of a program."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    is_cut: bool


@dataclass(slots=True)
class _Kept:
    data: bytearray
    is_cut: bool = False


async def run_launch(
    launch: Launch, stdin: bytes | None, guardian: Guardian, limits: CommandLimits
) -> CommandResultBytes:
    """Start a process, wait for it to exit, and stop its remaining children."""
    process = await _started(launch, has_input=stdin is not None)
    await guardian.watch_group(process.pid)
    out, err = _Kept(bytearray()), _Kept(bytearray())
    try:
        with anyio.fail_after(limits.deadline_s):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_keep, process.stdout, out, limits.max_bytes)
                tasks.start_soon(_keep, process.stderr, err, limits.max_bytes)
                tasks.start_soon(_write, process, stdin)
                await process.wait()
                _signal(process, signal.SIGTERM)
                # Read what is buffered; a process that left the group may keep the pipes open.
                tasks.cancel_scope.deadline = anyio.current_time() + GRACE_S
        code = process.returncode
        assert code is not None
        return CommandResultBytes(code, bytes(out.data), bytes(err.data), out.is_cut or err.is_cut)
    except TimeoutError:
        raise TimedOut(
            "COMMAND_TIMEOUT",
            f"the program exceeded its timeout of {limits.deadline_s:g} s and was stopped",
            hint="increase the node's timeout or reduce the program's input",
        ) from None
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)
            await guardian.forget_group(process.pid)
            await process.aclose()


async def _started(launch: Launch, *, has_input: bool) -> Process:
    try:
        return await anyio.open_process(
            launch.argv,
            stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=launch.cwd,
            env=launch.env,
            start_new_session=True,
        )
    except OSError as error:
        message = f"the program could not be started: {error.strerror}"
        raise Unavailable("COMMAND_START_FAILED", message) from None


async def _keep(stream: ByteReceiveStream | None, kept: _Kept, most: int) -> None:
    """Read to the end, so that the program never blocks; keep the beginning."""
    if stream is None:
        return
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        async for data in stream:
            room = most - len(kept.data)
            kept.data += data[:room]
            kept.is_cut = kept.is_cut or len(data) > room


async def _write(process: Process, data: bytes | None) -> None:
    if process.stdin is None or data is None:
        return
    # A program that does not read its input has not failed.
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        await process.stdin.send(data)
    await process.stdin.aclose()


async def _end(process: Process) -> None:
    _signal(process, signal.SIGTERM)
    if process.returncode is None:
        with anyio.move_on_after(GRACE_S):
            await process.wait()
    _signal(process, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
    await process.wait()


def _signal(process: Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.terminate()
        else:
            os.killpg(process.pid, number)
