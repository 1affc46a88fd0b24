"""Which processes descend from us, and whether any of them is still there."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress

import psutil

from servers.runners.eventually import eventually


def offspring() -> set[psutil.Process]:
    """Our children and theirs, the dead ones nobody has waited for too."""
    return set(psutil.Process().children(recursive=True))


def groups_of(processes: set[psutil.Process]) -> set[int]:
    """The process groups they lead or belong to, without our own."""
    groups: set[int] = set()
    for process in processes:
        with suppress(ProcessLookupError):
            groups.add(os.getpgid(process.pid))
    return groups - {os.getpgid(0)}


def members(group: int) -> list[psutil.Process]:
    """Every process in a process group, including zombies, whatever their parent is."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        with suppress(ProcessLookupError):
            if os.getpgid(process.pid) == group:
                found.append(process)
    return found


class Family:
    """Remembers every process that was started, so that one who slipped away is found too."""

    def __init__(self) -> None:
        self._before = offspring()
        self.groups: set[int] = set()

    def look(self) -> None:
        """Remember who is there now."""
        self.groups |= groups_of(offspring() - self._before)

    def assert_gone(self) -> None:
        """Nobody is left, not even a zombie."""
        assert offspring() - self._before == set()
        # Who lost its parent belongs to the system now, which needs a moment to bury it.
        eventually(lambda: not any(members(group) for group in self.groups))


@contextmanager
def family_ends() -> Generator[Family]:
    """Fails unless everything started inside has ended by its end."""
    family = Family()
    yield family
    assert family.groups, "nothing was started, so nothing was proven"
    family.assert_gone()
