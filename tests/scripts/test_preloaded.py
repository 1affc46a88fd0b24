"""A forked `toolweave` looks from outside like the process that a plain start gives."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from tests.preloaded.starting import COMMAND, PLAIN, Popen, write_launcher


def _start(kind: type[subprocess.Popen[bytes]], *args: str, home: Path) -> subprocess.Popen[bytes]:
    return kind(
        [*COMMAND, *args],
        cwd=home,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "COLUMNS": "80"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


@pytest.fixture
def forked(tmp_path: Path) -> type[subprocess.Popen[bytes]]:
    """The first program of a worker is started the plain way; have that behind."""
    with _start(Popen, "--version", home=tmp_path) as first:
        first.communicate(timeout=60)
    return Popen


@pytest.mark.parametrize(
    ("args", "given"),
    [(("catalog", "nonsense"), b""), (("validate", "-"), b"not a workflow \xc3\xa4")],
    ids=["usage", "input"],
)
def test_it_prints_and_ends_as_a_plain_one(
    args: tuple[str, ...],
    given: bytes,
    forked: type[subprocess.Popen[bytes]],
    tmp_path: Path,
) -> None:
    ends: list[tuple[bytes, bytes, int]] = []
    for kind in (PLAIN, forked):
        with _start(kind, *args, home=tmp_path) as process:
            ends.append((*process.communicate(given, timeout=60), process.returncode))
    assert ends[0] == ends[1]
    assert ends[0][0] or ends[0][1]


def test_it_is_a_child_in_a_session_of_its_own_and_dies_of_a_signal(
    forked: type[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    with _start(forked, "validate", "-", home=tmp_path) as process:
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
        assert f"\nPPid:\t{os.getpid()}\n" in status
        assert os.getsid(process.pid) == process.pid
        # Nothing of ours is open in it but the three pipes.
        numbers = [int(name) for name in os.listdir(f"/proc/{process.pid}/fd")]
        assert {0, 1, 2} <= set(numbers)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == -signal.SIGTERM


def test_a_shell_gets_its_output_its_status_and_its_signals(tmp_path: Path) -> None:
    write_launcher(tmp_path / "toolweave")
    script = """
    ./toolweave --version
    ./toolweave catalog nonsense 2>/dev/null; echo $?
    mkfifo open; exec 3<>open
    ./toolweave validate - <open & sleep 0.5; kill $!; wait $!; echo $?
    """
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.startswith("toolweave ")
    assert done.stdout.splitlines()[1:] == ["2", str(128 + signal.SIGTERM)]
