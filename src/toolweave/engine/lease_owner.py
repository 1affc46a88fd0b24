"""The owner of a lease: a name for this process, and whether a named process has ended.

On the same machine that is known at once; for another machine only by its silence.
"""

import os
import socket
import uuid
from pathlib import Path

# A run may be taken after its holder was silent for this long (`lease_watch.py`).
HOLD_S = 15.0

_BOOT = Path("/proc/sys/kernel/random/boot_id")


def new_holder() -> str:
    """Return a name for one journal of this process: machine, boot, process, start time, number."""
    pid = os.getpid()
    return "/".join((_machine(), str(pid), _begun(pid), uuid.uuid4().hex[:8]))


def is_gone(holder: str | None) -> bool:
    """Whether the process with this name has certainly ended."""
    if holder is None:
        return True
    _, pid, begun, _ = (holder.split("/") + [""] * 4)[:4]
    if not is_on_this_machine(holder) or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass  # it belongs to another user, but exists
    return bool(begun) and _begun(int(pid)) != begun


def is_on_this_machine(holder: str) -> bool:
    """Whether the process with this name was started on this machine, since its last boot."""
    return holder.partition("/")[0] == _machine()


def is_alive(holder: str | None) -> bool:
    """Whether the process with this name certainly exists."""
    return holder is not None and is_on_this_machine(holder) and not is_gone(holder)


def is_of_earlier_boot(holder: str | None) -> bool:
    """Whether a process of this machine was started before the last boot."""
    then = (holder or "").partition("/")[0].rpartition(":")[2]
    now = _machine().rpartition(":")[2]
    return bool(then and now) and then != now


def _machine() -> str:
    try:
        boot = _BOOT.read_text(encoding="ascii").strip()
    except OSError:
        boot = ""
    return f"{socket.gethostname().replace('/', '-')}:{boot}"


def _begun(pid: int) -> str:
    """Return the start time of a process; a reused process id has another one."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    state, *rest = stat.rpartition(")")[2].split()
    # A zombie: dead, not yet reaped by its parent.
    return "" if state in {"Z", "X"} else rest[18]
