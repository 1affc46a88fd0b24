"""Who holds a run: a name for this process, and whether the process behind a name is gone.

On the same machine that is known at once; of another machine only its silence tells.
"""

import os
import socket
import uuid
from pathlib import Path

# A run whose holder was silent for so long may be taken.
HOLD_S = 15.0

_BOOT = Path("/proc/sys/kernel/random/boot_id")


def new_holder() -> str:
    """A name of one journal in this process: machine, boot, process, when it began, and which."""
    pid = os.getpid()
    return "/".join((_machine(), str(pid), _begun(pid), uuid.uuid4().hex[:8]))


def is_gone(holder: str | None) -> bool:
    """Whether the process of a name certainly is no more."""
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
        pass  # it is somebody else's, but it is there
    return bool(begun) and _begun(int(pid)) != begun


def _machine() -> str:
    try:
        boot = _BOOT.read_text(encoding="ascii").strip()
    except OSError:
        boot = ""
    return f"{socket.gethostname().replace('/', '-')}:{boot}"


def _begun(pid: int) -> str:
    """When a process began, as the system counts it; a number used again has another."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    state, *rest = stat.rpartition(")")[2].split()
    # Dead, and only not yet asked after by its parent.
    return "" if state in {"Z", "X"} else rest[18]
