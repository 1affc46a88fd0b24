"""Waiting for what another process does, which sets no event of ours."""

import time
from collections.abc import Callable

DEADLINE_S = 30.0


def eventually(is_so: Callable[[], bool]) -> None:
    """Return as soon as it is so; fail when the time is up."""
    deadline = time.monotonic() + DEADLINE_S
    while not is_so():
        assert time.monotonic() < deadline, f"not so after {DEADLINE_S:g} s"
        time.sleep(0.02)
