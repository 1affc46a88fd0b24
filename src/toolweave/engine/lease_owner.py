"""The owner of a lease: a name for this process, and whether a named process has ended.

On the same machine that is known at once; for another machine only by its silence.
"""

import os
import socket
import uuid
from pathlib import Path

# A run may be taken after its holder was silent for this long.
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
    machine, pid, begun, _ = (holder.split("/") + [""] * 4)[:4]
    if machine != _machine() or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass  # it belongs to another user, but exists
    return bool(begun) and _begun(int(pid)) != begun


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
