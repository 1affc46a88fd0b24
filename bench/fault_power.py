"""The power is cut in the middle of runs: a file system of its own stops at once.

What is in its journal and its files survives, what is only in memory is lost. It is a file that is
mounted as ext4 and shut down by ioctl, which needs root.
"""

import ctypes
import os
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path
from random import Random

from bench.fault_injection import stopped_process
from bench.fault_kills import EFFECTS_S, a_victim, judge
from bench.fault_rows import Found, Part, say

DISK_BYTES = 96 * 1024 * 1024
SHUTDOWN = 0x8004587D  # EXT4_IOC_SHUTDOWN
WITHOUT_FLUSH = struct.pack("I", 2)
CLONE_NEWNS = 0x20000
UNMOUNT_S = 30.0
# Before the first effect: opening the database, creating the run. How long that is waited for.
BEGIN_S, BEGINS_S = 0.4, 30.0


class Disk:
    """A mounted file system whose power can be cut."""

    def __init__(self, image: Path, folder: Path) -> None:
        self._image = image
        self.folder = folder

    def mount(self) -> None:
        """Make it usable; the journal of the file system is replayed."""
        subprocess.run(["mount", "-o", "loop", self._image, self.folder], check=True)

    def unmount(self) -> None:
        """Take it away; nothing is written to a disk without power."""
        until = time.monotonic() + UNMOUNT_S
        while subprocess.run(["umount", self.folder], check=False, capture_output=True).returncode:
            assert time.monotonic() < until, "the disk stays in use"
            time.sleep(0.02)

    def cut_power(self) -> None:
        """Stop it at once, without writing what is in memory."""
        handle = os.open(self.folder, os.O_RDONLY)
        try:
            ioctl(handle, SHUTDOWN, WITHOUT_FLUSH)
        finally:
            os.close(handle)


def own_mounts() -> None:
    """Mount for this thread and what it starts only.

    A process of another line, or of another program, that gets a mount namespace of its own
    meanwhile would have the disk in it, and keep it in use.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS):
        raise OSError(ctypes.get_errno(), "no mount namespace")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)


@contextmanager
def a_disk() -> Generator[Disk]:
    """A new, mounted disk."""
    with tempfile.TemporaryDirectory(prefix="toolweave-power-") as name:
        image, folder = Path(name, "disk"), Path(name, "mounted")
        with image.open("wb") as file:
            file.truncate(DISK_BYTES)
        subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
        folder.mkdir()
        disk = Disk(image, folder)
        disk.mount()
        try:
            yield disk
        finally:
            subprocess.run(["umount", "--lazy", folder], check=False)


def power_cuts(number: int) -> Part:
    """Cuts at moments of the dice, one a run."""

    async def work(dice: Random) -> Found:
        return cut_runs(number, "honest", dice)

    async def control(dice: Random) -> Found:
        found = Found()
        for _ in range(min(number, 10)):  # each on a new disk: what is not synced may break it
            found.add(cut_runs(1, "unsynced", dice))
        return found

    return Part("power cut", work, control, number, has_uncertain=number > 20)


def cut_runs(number: int, journal: str, dice: Random) -> Found:
    """Cut the power once in each of so many runs, and let each go on."""
    found = Found()
    own_mounts()
    with a_victim() as (victim, top), a_disk() as disk:
        for one in range(number):
            folder, there = top / f"cut-{one}", disk.folder / str(one)
            folder.mkdir()
            there.mkdir()
            os.sync()  # the folder; what the run writes is up to the run
            (folder / "runs.db").symlink_to(there / "runs.db")
            # Most while effects are under way: to start takes longest.
            begins_s = 0 if one % 4 == 3 else BEGINS_S
            after_s = dice.uniform(0, EFFECTS_S if begins_s else BEGIN_S)
            cutting = threading.Thread(target=_cut, args=(disk, folder, begins_s, after_s))
            cutting.start()
            database = str(there / "runs.db")
            victim.order(folder, "start", journal, database=database, traced=True)
            cutting.join()
            found.faults += 1  # a run that was over by then must be there as well
            disk.unmount()
            disk.mount()
            judge(found, victim, folder, "honest")
            shutil.rmtree(there, ignore_errors=True)
            if one % 20 == 19:
                say(f"  {found}")
    return found


def _cut(disk: Disk, folder: Path, begins_s: float, after_s: float) -> None:
    """Stop the process, then the disk: nothing can be acknowledged in between."""
    pid = stopped_process(folder)
    os.kill(pid, signal.SIGCONT)
    until = time.monotonic() + begins_s
    while time.monotonic() < until and not (folder / "effects").exists():
        time.sleep(0.002)
    time.sleep(after_s)
    try:
        os.kill(pid, signal.SIGSTOP)
        disk.cut_power()
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        disk.cut_power()  # it was faster
