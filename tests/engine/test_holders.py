"""Whether the process that holds a run is still there."""

import os
import subprocess
import sys

from toolweave.engine.lease_owner import is_gone, new_holder


def test_a_living_process_is_not_gone() -> None:
    assert not is_gone(new_holder())


def test_a_process_that_ended_is_gone_at_once() -> None:
    code = "from toolweave.engine.lease_owner import new_holder; print(new_holder())"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert is_gone(ran.stdout.strip())


def test_a_number_used_by_another_process_is_not_the_same_process() -> None:
    machine, pid, begun, which = new_holder().split("/")
    assert pid == str(os.getpid())
    assert is_gone("/".join((machine, pid, f"{int(begun) + 1}", which)))


def test_of_another_machine_nothing_is_known() -> None:
    assert not is_gone("elsewhere:boot/1/2/abc")


def test_nobody_is_gone() -> None:
    assert is_gone(None)
