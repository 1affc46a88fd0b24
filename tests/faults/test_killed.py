"""What is left after a violent end: ours, the user's patience, or a server's."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import anyio
import psutil
import pytest

from faults.offspring import family_ends, offspring
from faults.studios import (
    HOSTILE,
    add_good,
    approve,
    calling,
    command_of,
    echo,
    pin,
    studio_in,
)
from hostile.catalogue import GONE, TRIGGER, named
from servers.runners.eventually import eventually
from toolweave.app.studio import Studio
from toolweave.errors import ToolweaveError
from toolweave.servers.definition import CommandServer
from toolweave.tools.tool import ToolCall

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="speaks of Unix signals")

TESTS = Path(__file__).parents[1]
TOOLWEAVE = (sys.executable, "-m", "toolweave.cli.main")


def test_nothing_we_started_outlives_us_when_we_are_killed(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "faults.owner", str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=TESTS,
    ) as owner:
        assert owner.stdout is not None
        started = [psutil.Process(pid) for pid in json.loads(owner.stdout.readline())]
        # The good server, the stubborn one with its child, and the guardian.
        assert len(started) == 4
        owner.kill()
    assert owner.returncode == -signal.SIGKILL
    eventually(lambda: not any(_lives(process) for process in started))


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@contextmanager
def counting_down(home: Path) -> Generator[subprocess.Popen[str]]:
    """`toolweave call demo countdown`, once the first number has come."""
    with subprocess.Popen(
        [*TOOLWEAVE, "call", "demo", "countdown", "--args", '{"start": 9999}', "--timeout", "90"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TOOLWEAVE_HOME": str(home)},
        cwd=home,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        assert first.startswith("1/9999"), first + process.stderr.read()
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.anyio
async def test_ctrl_c_cancels_the_call_on_the_server_and_exits_130(tmp_path: Path) -> None:
    log = tmp_path / "demo.log"
    demo = f"exec {shlex.join([*TOOLWEAVE, 'demo-server'])} 2>{shlex.quote(str(log))}"
    async with studio_in(tmp_path) as studio:
        await approve(studio, "demo", CommandServer(command="sh", args=("-c", demo)))
        await pin(studio, "demo")
    assert "cancelled" not in log.read_text(encoding="utf-8")
    with counting_down(tmp_path) as process:
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        # Said by the demo server, as its handler was cancelled.
        assert "cancelled: countdown" in log.read_text(encoding="utf-8")
        eventually(lambda: not any(_lives(child) for child in children))


async def _kill_in_a_call(studio: Studio) -> ToolweaveError:
    """Kill the hostile server while it has a call, and return the outcome of the call."""
    failure: list[ToolweaveError] = []

    async def call() -> None:
        try:
            await studio.gate.call(ToolCall(HOSTILE, TRIGGER, deadline_s=60))
        except ToolweaveError as error:
            failure.append(error)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            while not studio.gate.limits.active:  # noqa: ASYNC110  # it has no event for that
                await anyio.sleep(0.01)
            _server("hangs_in_call").kill()
    return failure[0]


def _server(script: str) -> psutil.Process:
    (found,) = [process for process in offspring() if script in " ".join(process.cmdline())]
    return found


@pytest.mark.anyio
async def test_a_server_killed_in_a_call_fails_it_at_once_and_the_next_call_works(
    tmp_path: Path,
) -> None:
    with family_ends() as family:
        async with studio_in(tmp_path) as studio:
            await add_good(studio)
            await approve(studio, HOSTILE, command_of(named("hangs_in_call")))
            await pin(studio, HOSTILE)
            async with calling(studio) as neighbour:
                for _ in range(3):
                    error = await _kill_in_a_call(studio)
                    assert error.code == GONE
                    assert (await echo(studio, HOSTILE)).text == "hi"
                    family.look()
            neighbour.assert_unaffected()


@pytest.mark.anyio
async def test_a_server_killed_in_a_call_comes_back_by_itself(tmp_path: Path) -> None:
    async with studio_in(tmp_path, keeps_trying=True) as studio:
        await approve(studio, HOSTILE, command_of(named("hangs_in_call")))
        await pin(studio, HOSTILE)
        assert (await _kill_in_a_call(studio)).code == GONE
        with anyio.fail_after(60):
            while not await _answers(studio):  # noqa: ASYNC110  # the back-off is its own business
                await anyio.sleep(0.05)


async def _answers(studio: Studio) -> bool:
    try:
        return (await echo(studio, HOSTILE)).text == "hi"
    except ToolweaveError as error:
        if error.code != GONE:  # meanwhile everybody is told why
            raise
        return False
