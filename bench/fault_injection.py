"""Writes and syncs of the database that fail with EIO or ENOSPC, one after another (`strace`)."""

import os
import shutil
import signal
import subprocess
import threading
import time
from functools import partial
from pathlib import Path
from random import Random

from bench.fault_kills import a_victim, in_threads, judge
from bench.fault_rows import Found, Part, say
from tests.engine.test_killed import Victim

# What SQLite writes and syncs with; the files of the harness use other calls.
CALLS = "pwrite64,fdatasync,fsync,ftruncate"
ERRORS = ("EIO", "ENOSPC")
# What a person is shown when storage fails.
CLEAR = frozenset({"STORAGE_BROKEN", "STORAGE_FULL", "STORAGE_READ_ONLY", "STORAGE_UNREACHABLE"})
ATTACH_S = 60.0
# Of the value of a step: so long that a run makes more than 500 calls.
CHARS = 30_000
# So many at once.
LOTS = 3


def injected(number: int, *, step: int = 1) -> Part:
    """Every `step`-th of the first `number` calls of a run fails, with each error."""

    async def work(_dice: Random) -> Found:
        shares = [range(1 + lot * step, number + 1, LOTS * step) for lot in range(LOTS)]
        found = await in_threads([partial(failing_calls, one, "honest") for one in shares])
        found.note = f"ok: {found.faults} of {found.runs} calls failed, the others were never made"
        return found

    async def control(_dice: Random) -> Found:
        # Where steps have begun and their outcomes are not written.
        return failing_calls(range(30, 60, 3), "hasty")

    least = len(ERRORS) * len(range(1, number + 1, step)) // 4
    return Part("write or sync fails (EIO, ENOSPC)", work, control, least, has_uncertain=True)


def failing_calls(numbers: range, journal: str) -> Found:
    """Fail each of these calls with each error, once a run, and go on without errors."""
    found = Found()
    with a_victim() as (victim, top):
        made = top / "made"
        made.mkdir()
        assert victim.order(made, "resume") == 0  # the tables: calls of the run count, not theirs
        for number in numbers:
            for error in ERRORS:
                folder = top / f"{error}-{number}"
                folder.mkdir()
                shutil.copy(made / "runs.db", folder)
                _fail_call(found, victim, folder, journal, error, number)
                judge(found, victim, folder, journal)
                shutil.rmtree(folder)
            if found.runs % 50 == 0:
                say(f"  call {number}: {found}")
    return found


def _fail_call(
    found: Found, victim: Victim, folder: Path, journal: str, error: str, number: int
) -> None:
    """Run once with the call of this number failing; a run that needs fewer calls has none."""
    tracing = threading.Thread(target=_trace, args=(folder, error, number))
    tracing.start()
    code = victim.order(folder, "start", journal, traced=True, chars=CHARS)
    tracing.join()
    trace = folder / "trace"
    hit = "(INJECTED)" in trace.read_text(encoding="utf-8") if trace.exists() else False
    found.faults += hit
    if code == 0:
        return  # it went on: a checkpoint, for example, is tried again later
    shown = folder / "error"
    reason = shown.read_text(encoding="utf-8") if shown.exists() else f"exit code {code}"
    if reason not in CLEAR:
        found.wrong.append(f"{error} in call {number} is reported as {reason}")


def _trace(folder: Path, error: str, number: int) -> None:
    """Attach to the stopped process, let it go on, and wait until it ends."""
    pid = stopped_process(folder)
    inject = f"inject={CALLS}:error={error}:when={number}"
    command = ["strace", "-f", "-qq", "-p", str(pid), "-o", str(folder / "trace")]
    with subprocess.Popen([*command, "-e", f"trace={CALLS}", "-e", inject]) as tracer:
        until = time.monotonic() + ATTACH_S
        while "TracerPid:\t0" in Path(f"/proc/{pid}/status").read_text(encoding="utf-8"):
            assert time.monotonic() < until, "strace does not attach"
            time.sleep(0.002)
        os.kill(pid, signal.SIGCONT)
        tracer.wait()


def stopped_process(folder: Path) -> int:
    """Wait until the process of a traced order stands still; return its number."""
    until = time.monotonic() + ATTACH_S
    while time.monotonic() < until:
        text = _read(folder / "pid")
        if text and "State:\tT" in _read(Path(f"/proc/{text}/status")):
            return int(text)
        time.sleep(0.002)
    raise AssertionError("the process did not stop for its tracer")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return ""
