"""What `toolweave test` asks of the operating system: no program is started, nothing connected."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.cli.driving import PROGRAM, Commands
from tests.cli.test_run import mcp, save
from tests.recording.conftest import SAMPLES, House

TRACE = ("strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=connect,execve,execveat")
LIVE = {"s": "start", "add": mcp("add", "demo", a=1, b=2), "fill": SAMPLES["chosen"][0]["fill"]}
_CALL = re.compile(r"^\d+\s+(connect|execve|execveat)\(", re.MULTILINE)


@pytest.fixture(scope="module", autouse=True)
def _tracing() -> None:
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed; `scripts/install-test-tools` installs it")
    tried = subprocess.run([*TRACE, "true"], capture_output=True, check=False)
    if tried.returncode != 0:
        pytest.skip(f"tracing is not permitted here: {tried.stderr.decode().strip()[:200]}")


def system_calls(commands: Commands, file: Path, *args: str) -> tuple[list[str], str]:
    """The calls of a command and its children, without the one that starts it; and its output."""
    ran = subprocess.run(
        [*TRACE, "-o", str(file), *PROGRAM, *args],
        cwd=commands.project,
        env=commands.environ,
        capture_output=True,
        timeout=300,
        check=False,
    )
    own, *others = _CALL.findall(file.read_text(encoding="utf-8", errors="replace"))
    assert own == "execve"
    return others, ran.stdout.decode()


def test_a_live_run_starts_its_server_and_connects_to_its_model_and_a_replay_does_neither(
    house: House, recorded: Commands, tmp_path: Path
) -> None:
    file = save(house.commands, {**LIVE, "e": "end"}, ["s > add", "add > fill", "fill > e"])
    live, out = system_calls(house.commands, tmp_path / "live", "run", file)
    assert '"sum": 5.0' in out
    assert {"connect", "execve"} <= set(live)  # the control
    replayed, out = system_calls(recorded, tmp_path / "replayed", "test")
    assert f"{len(SAMPLES)} tested, 0 failed" in out
    assert replayed == []
