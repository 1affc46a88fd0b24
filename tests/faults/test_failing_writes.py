"""A write or sync of the database fails: the error is clear, and the run loses nothing."""

import shutil
import subprocess

import pytest
from bench.fault_injection import failing_calls


def _can_trace() -> bool:
    """Whether this machine lets a process trace another one."""
    program = shutil.which("strace")
    return (
        program is not None and not subprocess.run([program, "-qq", "true"], check=False).returncode
    )


pytestmark = pytest.mark.skipif(not _can_trace(), reason="strace cannot be used here")


def test_a_run_survives_failing_writes_and_syncs() -> None:
    # The control: steps happen again if the journal does not say that they began.
    assert any(failing_calls(range(at, at + 1), "hasty").twice for at in range(33, 90, 3))
    found = failing_calls(range(12, 40, 9), "honest")
    assert found.faults == found.runs == 8
    assert (found.lost, found.twice, found.wrong) == (0, 0, [])
