"""Six ways out of a sandbox, each first shown to work where there are no walls."""

import threading
from collections.abc import Iterator
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer

import pytest
from tests.servers.runners.eventually import eventually
from tests.servers.runners.sandboxes import (
    PROCESSES,
    Sandbox,
    bubblewrap,
    container,
    has_busybox,
    unwalled,
)

WRITE = 'for target in $TARGETS; do (echo x >"$target") 2>/dev/null && echo OUT "$target"; done'
READ = 'cat "$SECRET"'
CONNECT = 'busybox nc -w 2 127.0.0.1 "$PORT" </dev/null'
MULTIPLY = (
    "n=0; while [ $n -lt 100 ]; do busybox sleep 60 >/dev/null 2>&1 & n=$((n+1)); done; echo OUT"
)
# Each process makes two more and stays, also when it cannot.
BOMB = (
    "exec >/dev/null 2>&1; stay='exec busybox sleep 60'; "
    'bomb() { trap "$stay" EXIT; (bomb) & (bomb) & $stay; }; (bomb) & $stay'
)
ALLOCATE = "busybox dd if=/dev/zero of=/dev/null bs=1024M count=1 && echo OUT"
FILL = "busybox dd if=/dev/zero of=$PLACE/big bs=1M count=1024 && echo OUT"
STAY = "busybox setsid busybox sleep 60 >/dev/null 2>&1 & echo started; busybox sleep 60"

pytestmark = pytest.mark.skipif(not has_busybox(), reason="busybox is not installed")


@pytest.fixture(
    params=[
        "bubblewrap by root",
        "bubblewrap by a user",
        pytest.param("docker", marks=pytest.mark.xdist_group("docker")),
    ]
)
def sandbox(request: pytest.FixtureRequest, home: Path) -> Sandbox:
    if request.param == "docker":
        host = request.getfixturevalue("docker_host")
        return container(home, host, request.getfixturevalue("busybox_image"))
    return bubblewrap(home, is_root=request.param == "bubblewrap by root")


@pytest.fixture
def control(sandbox: Sandbox, home: Path) -> Sandbox:
    """No walls, the same user."""
    return unwalled(home, sandbox.user)


class _Greeting(StreamRequestHandler):
    def handle(self) -> None:
        self.wfile.write(b"OUT\n")


@pytest.fixture
def port() -> Iterator[str]:
    """Where a service of this machine greets every client."""
    with ThreadingTCPServer(("127.0.0.1", 0), _Greeting) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield str(server.server_address[1])
        server.shutdown()
        thread.join()


def test_nothing_of_the_machine_can_be_written(
    sandbox: Sandbox, control: Sandbox, home: Path
) -> None:
    home.chmod(0o777)
    ours = home / "written"
    assert "OUT" in control.run(WRITE, {"TARGETS": str(ours)})
    ours.unlink()
    probes = [Path(folder) / "toolweave-probe" for folder in ("/", "/etc", "/usr", "/bin")]
    targets = [*probes, Path("/proc/sys/kernel/core_pattern"), Path("/proc/sysrq-trigger")]
    assert sandbox.run(WRITE, {"TARGETS": " ".join(map(str, targets))}) == ""
    sandbox.run(WRITE, {"TARGETS": str(ours)})  # its own home may be written, not this one
    assert not any(path.exists() for path in [*probes, ours])


def test_the_files_of_the_home_directory_are_hidden(
    sandbox: Sandbox, control: Sandbox, home: Path
) -> None:
    secret = home / ".ssh" / "id_ed25519"
    secret.parent.mkdir(mode=0o755)
    secret.write_text("OUT", encoding="ascii")
    assert "OUT" in control.run(READ, {"SECRET": str(secret)})
    assert sandbox.run(READ, {"SECRET": str(secret)}) == ""


def test_without_network_nothing_can_be_reached(
    sandbox: Sandbox, control: Sandbox, port: str
) -> None:
    assert "OUT" in control.run(CONNECT, {"PORT": port})
    assert sandbox.run(CONNECT, {"PORT": port}) == ""


def test_processes_are_limited(sandbox: Sandbox, control: Sandbox) -> None:
    assert "OUT" in control.run(MULTIPLY)
    assert "OUT" not in sandbox.run(MULTIPLY)


def test_a_fork_bomb_stays_small_and_ends_with_its_sandbox(sandbox: Sandbox) -> None:
    running = sandbox.start(BOMB)
    peak = 0

    def has_gone_off() -> bool:
        nonlocal peak
        peak = max(peak, len(running.processes()))
        return peak > PROCESSES // 2

    try:
        eventually(has_gone_off)
        for _ in range(10):  # ten looks more would see it grow
            has_gone_off()
        walls = 6  # `bwrap`, its inits and the Docker client also carry the mark
        assert peak <= PROCESSES + walls
        running.kill()
        eventually(lambda: not running.processes())
    finally:
        running.end()


def test_a_gigabyte_cannot_be_allocated(sandbox: Sandbox, control: Sandbox) -> None:
    assert "OUT" in control.run(ALLOCATE)
    assert "OUT" not in sandbox.run(ALLOCATE)


@pytest.mark.parametrize("place", ["/tmp", "/dev/shm"])
def test_a_gigabyte_cannot_be_put_into_memory_files(sandbox: Sandbox, place: str) -> None:
    assert "OUT" not in sandbox.run(FILL, {"PLACE": place})


def test_a_process_that_left_its_group_ends_with_its_sandbox(
    sandbox: Sandbox, control: Sandbox
) -> None:
    free = control.start(STAY)
    walled = sandbox.start(STAY)
    try:
        for running in (free, walled):
            assert running.process.stdout is not None
            assert running.process.stdout.readline() == "started\n"
        free.process.kill()
        assert free.processes()
        walled.kill()
        eventually(lambda: not walled.processes())
    finally:
        free.end()
        walled.end()
