"""The power is cut in the middle of a run: what was acknowledged is there."""

import os
import shutil
from pathlib import Path
from random import Random

import pytest
from bench.fault_power import cut_runs

CAN_MOUNT = (
    os.geteuid() == 0
    and Path("/dev/loop-control").exists()
    and shutil.which("mkfs.ext4") is not None
)
pytestmark = pytest.mark.skipif(not CAN_MOUNT, reason="needs root and loop devices")


def test_a_power_cut_loses_nothing_that_was_acknowledged() -> None:
    # The control: a database that does not sync loses runs and steps.
    assert any(cut_runs(1, "unsynced", Random(seed)).lost for seed in range(6))
    found = cut_runs(2, "honest", Random(7))
    assert (found.faults, found.lost, found.twice) == (2, 0, 0)
