"""Nothing we start outlives us, however we end."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from anyio import fail_after
from tests.servers.runners.eventually import eventually

from toolweave.servers import guardian_process
from toolweave.servers.guardian import Guardian

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc to see the effects")

# Ignores the end of its input and SIGTERM, and has a child that does so too.
STUBBORN = "trap '' TERM HUP INT; sleep 600 & while :; do sleep 1; done"
# Leaves politely, and says so.
POLITE = 'trap \'echo left > "$0"; exit\' TERM; echo up > "$0"; while :; do sleep 0.05; done'

OWNER = textwrap.dedent("""
    import subprocess, sys, anyio
    from toolweave.servers.guardian import Guardian

    def start(script):
        return subprocess.Popen(
            ["sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        ).pid

    async def main():
        async with Guardian() as guardian:
            watched = start(sys.argv[1])
            await guardian.watch_group(watched)
            late = start(sys.argv[1])
            forgotten = start(sys.argv[1])
            await guardian.watch_group(forgotten)
            await guardian.forget_group(forgotten)
            print(watched, late, forgotten, flush=True)
            await anyio.sleep_forever()

    anyio.run(main)
""")


class Servers:
    """Starts process groups and ends them after the test, whatever it proved."""

    def __init__(self) -> None:
        self.groups: list[int] = []
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self, script: str, *args: str | Path) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(["sh", "-c", script, *args], start_new_session=True)
        self.groups.append(process.pid)
        self._processes.append(process)
        return process

    def end(self) -> None:
        guardian_process.end_groups(dict.fromkeys(self.groups, ""), grace_s=0)
        for process in self._processes:
            process.wait()


@pytest.fixture
def servers() -> Iterator[Servers]:
    servers = Servers()
    yield servers
    servers.end()


def _members(group: int) -> list[int]:
    """The living processes of a group."""
    found: list[int] = []
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except (ProcessLookupError, psutil.Error):
            continue
    return found


def _guardians(of: int | None = None) -> list[psutil.Process]:
    found: list[psutil.Process] = []
    for child in psutil.Process(of).children():
        with suppress(psutil.NoSuchProcess):  # also said of a zombie
            if guardian_process.__file__ in child.cmdline():
                found.append(child)
    return found


def _guardian(of: int | None = None) -> psutil.Process:
    """The only one, as soon as its command line can be read."""
    eventually(lambda: len(_guardians(of)) == 1)
    return _guardians(of)[0]


def test_a_stubborn_server_ends_when_we_are_killed_and_others_stay(servers: Servers) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, STUBBORN], stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        watched, late, forgotten = map(int, owner.stdout.readline().split())
        servers.groups += [watched, late, forgotten]
        eventually(lambda: len(_members(watched)) >= 2)
        guardian = _guardian(owner.pid)
        owner.send_signal(signal.SIGKILL)
        assert owner.stdout.read() == ""  # the guardian does not hold our output open
    # `late` was started after the guardian: had it our end of the pipe, nothing would happen.
    eventually(lambda: not _members(watched))
    assert _members(late)
    assert _members(forgotten)
    eventually(lambda: not guardian.is_running() or guardian.status() == psutil.STATUS_ZOMBIE)


@pytest.mark.anyio
async def test_what_is_still_watched_ends_when_we_close(servers: Servers) -> None:
    async with Guardian() as guardian:
        server = servers.start(STUBBORN)
        await guardian.watch_group(server.pid)
    eventually(lambda: not _members(server.pid))  # killed, but perhaps still dying
    assert _guardians() == []


@pytest.mark.anyio
async def test_a_server_may_leave_politely_first(servers: Servers, tmp_path: Path) -> None:
    async with Guardian() as guardian:
        said = tmp_path / "said"
        server = servers.start(POLITE, said)
        await guardian.watch_group(server.pid)
        eventually(lambda: said.exists() and said.read_text(encoding="ascii") == "up\n")
    assert said.read_text(encoding="ascii") == "left\n"


@pytest.mark.anyio
async def test_there_is_no_guardian_before_there_is_something_to_watch() -> None:
    async with Guardian() as guardian:
        await guardian.forget_group(12345)
        await guardian.forget_container("x")
        assert _guardians() == []


@pytest.mark.anyio
async def test_signals_that_end_us_do_not_end_the_guardian_first(servers: Servers) -> None:
    async with Guardian() as guardian:
        server = servers.start(STUBBORN)
        await guardian.watch_group(server.pid)
        process = _guardian()
        # Its first milliseconds belong to the interpreter, which still obeys.
        ending = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        eventually(lambda: all(_ignored(process) >> (number - 1) & 1 for number in ending))
        for number in ending:
            process.send_signal(number)
        assert os.getsid(process.pid) != os.getsid(0)
    eventually(lambda: not _members(server.pid))


@pytest.mark.anyio
async def test_a_killed_guardian_is_replaced_and_the_next_one_knows_all(
    servers: Servers,
) -> None:
    async with Guardian() as guardian:
        first, second = servers.start(STUBBORN), servers.start(STUBBORN)
        await guardian.watch_group(first.pid)
        killed = _guardian()
        killed.kill()
        killed.wait(10)
        await guardian.watch_group(second.pid)
        assert _guardian().pid != killed.pid
    eventually(lambda: not _members(first.pid) and not _members(second.pid))


@pytest.mark.anyio
async def test_a_stopped_guardian_is_replaced_before_it_blocks_us(servers: Servers) -> None:
    async with Guardian(environ={"PATH": "/nonexistent"}) as guardian:
        server = servers.start(STUBBORN)
        await guardian.watch_group(server.pid)
        stopped = _guardian()
        stopped.send_signal(signal.SIGSTOP)
        with fail_after(60):
            while stopped.pid in {process.pid for process in _guardians()}:
                for number in range(100):
                    await guardian.watch_container(f"{number:0100}")
                for number in range(100):
                    await guardian.forget_container(f"{number:0100}")
        assert _guardian().pid != stopped.pid
    eventually(lambda: not _members(server.pid))


def test_a_number_that_was_given_out_again_is_left_alone(servers: Servers) -> None:
    stranger = servers.start(STUBBORN)
    guardian_process.end_groups({stranger.pid: "1"}, grace_s=0)
    assert stranger.poll() is None


def test_a_group_whose_leader_is_gone_is_still_ended(servers: Servers) -> None:
    leader = servers.start("sleep 600 & exit")
    began = guardian_process.started_at(leader.pid)
    leader.wait()
    assert _members(leader.pid)
    guardian_process.end_groups({leader.pid: began}, grace_s=0)
    eventually(lambda: not _members(leader.pid))


def test_a_broken_line_and_a_group_that_never_was_do_no_harm() -> None:
    lines = [
        "+group 5 7",
        "+group 6",
        "-group 5",
        "+container a x",
        "+container b y",
        "-container a",
    ]
    assert guardian_process.watched([*lines, "-group", "", "+gro"]) == ({6: ""}, {"b": "y"})
    guardian_process.end_groups({2**22 + 1: ""})
    guardian_process.remove_containers({})


@pytest.mark.anyio
@pytest.mark.parametrize("group", [-1, 0, 1])
async def test_a_number_that_means_everybody_is_refused(group: int) -> None:
    async with Guardian() as guardian:
        with pytest.raises(ValueError, match="process group"):
            await guardian.watch_group(group)


@pytest.mark.anyio
async def test_without_docker_there_are_no_orphans(tmp_path: Path) -> None:
    async with Guardian(environ={"PATH": str(tmp_path)}) as guardian:
        assert await guardian.remove_orphans() == ()
        await guardian.watch_container("gone")
        await guardian.remove_container("gone")


def _ignored(process: psutil.Process) -> int:
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return int(next(line.split()[1] for line in status.splitlines() if "SigIgn" in line), 16)
