"""The process that started a container, so that a later process can check if it still runs.

A process id alone proves nothing: it is reused, and means something else in another
container or on another machine that shares the Docker host.
"""

import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from toolweave.servers.guardian_process import started_at

OWNER_LABEL = "toolweave.owner"
BOOT = Path("/proc/sys/kernel/random/boot_id")
PID_NAMESPACE = Path("/proc/self/ns/pid")


@dataclass(frozen=True, slots=True)
class ContainerOwner:
    """A process on one machine, boot and namespace; unknown parts are empty."""

    machine: str
    boot: str
    namespace: str
    pid: int
    started: str

    @classmethod
    def this(cls) -> Self:
        """Return the current process."""
        return cls(
            machine=platform.node().replace("/", "-"),
            boot=BOOT.read_text(encoding="ascii").strip() if BOOT.exists() else "",
            namespace=os.readlink(PID_NAMESPACE) if PID_NAMESPACE.exists() else "",
            pid=os.getpid(),
            started=started_at(os.getpid()),
        )

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Return the owner in a label, or `None` for a label that Toolweave did not write."""
        match text.split("/"):
            case [machine, boot, namespace, pid, started] if pid.isascii() and pid.isdigit():
                return cls(machine, boot, namespace, int(pid), started)
            case _:
                return None

    def __str__(self) -> str:
        return f"{self.machine}/{self.boot}/{self.namespace}/{self.pid}/{self.started}"

    def is_gone(self, here: Self) -> bool:
        """Whether the owner has certainly ended; false if `here` cannot check it."""
        if self.machine != here.machine:
            return False
        if self.boot != here.boot:
            return True
        return self.namespace == here.namespace and not _is_running(self.pid, self.started)


def _is_running(pid: int, started: str) -> bool:
    if started:
        return started_at(pid) == started
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
