"""Positive controls: what the fault tests measure with does find a stall, a leak, an orphan.

And the SDK's own client, spoken to by the same programs, shows both faults that ours must not.
"""

import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import anyio
import psutil
import pytest

from faults.cost import MAX_GROWTH_BYTES, MAX_STALL_S, measured
from faults.offspring import Family
from servers.runners.eventually import eventually

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="measures with /proc")

TESTS = Path(__file__).parents[1]


@pytest.mark.anyio
async def test_a_loop_that_stands_still_is_found() -> None:
    async with measured() as cost:
        time.sleep(MAX_STALL_S + 0.1)  # noqa: ASYNC251  # the very thing to be found
    assert cost.stall_s > MAX_STALL_S
    with pytest.raises(AssertionError, match="stood still"):
        cost.assert_bearable()


@pytest.mark.anyio
async def test_a_loop_that_computes_too_long_is_found() -> None:
    async with measured() as cost:
        ends_at = time.thread_time() + MAX_STALL_S + 0.1
        while time.thread_time() < ends_at:
            pass
    assert cost.stall_s > MAX_STALL_S


@pytest.mark.anyio
async def test_a_loop_that_gives_way_has_no_stall() -> None:
    async with measured() as cost:
        for _ in range(50):
            await anyio.sleep(0.01)
    cost.assert_bearable()
    assert cost.stall_s <= MAX_STALL_S


@pytest.mark.anyio
async def test_memory_that_is_given_back_at_once_is_found_too() -> None:
    async with measured() as cost:
        bytearray(MAX_GROWTH_BYTES + (1 << 20))
    with pytest.raises(AssertionError, match="MiB more"):
        cost.assert_bearable()


def test_a_process_that_stays_is_found() -> None:
    family = Family()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as left:
        family.look()
        with pytest.raises(AssertionError):
            family.assert_gone()
        left.kill()
    family.assert_gone()


@contextmanager
def bare_client_against(vice: str) -> Generator[subprocess.Popen[str]]:
    """The SDK's client, once it has sent the call that shows the vice."""
    with subprocess.Popen(
        [sys.executable, "-m", "faults.bare", vice], stdout=subprocess.PIPE, text=True, cwd=TESTS
    ) as process:
        children: list[psutil.Process] = []
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "called\n"
            children = psutil.Process(process.pid).children()
            yield process
        finally:
            process.kill()
            for child in children:
                child.kill()


def test_a_bare_client_freezes_for_good_on_a_catastrophic_regex() -> None:
    with bare_client_against("catastrophic_regex") as process:
        # Not waiting but computing: the whole loop with all it serves stands still.
        work = psutil.Process(process.pid).cpu_times
        before = work().user
        eventually(lambda: work().user > before + 3)
        assert process.poll() is None


def test_a_bare_client_grows_without_bound_on_a_gzip_bomb() -> None:
    with bare_client_against("gzip_bomb") as process:
        memory = psutil.Process(process.pid).memory_info
        before = memory().rss
        eventually(lambda: memory().rss > before + MAX_GROWTH_BYTES)
