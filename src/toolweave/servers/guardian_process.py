"""The guardian's own process: stops what a dead Toolweave process left behind.

Started with `-I -S`, so it uses the standard library only. It reads one command per line;
the end of its input means that its owner has exited.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress

TERM_GRACE_S = 2.0
DOCKER_DEADLINE_S = 20.0
POLL_S = 0.05


def started_at(pid: int) -> str:
    """Return a process's start time in kernel ticks; empty if it is gone or unreadable."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # Field 22; the second field is a name in parentheses and may contain anything.
            return file.read().rpartition(b")")[2].split()[19].decode("ascii")
    except OSError:
        return ""


def watched(lines: Iterable[str]) -> tuple[dict[int, str], dict[str, str]]:
    """Return what is watched when the input ends: groups with their leader's start,
    containers with their owner."""
    groups: dict[int, str] = {}
    containers: dict[str, str] = {}
    for line in lines:
        match line.split():
            case ["+group", pgid, *started]:
                groups[int(pgid)] = "".join(started)
            case ["-group", pgid]:
                groups.pop(int(pgid), None)
            case ["+container", name, owner]:
                containers[name] = owner
            case ["-container", name]:
                containers.pop(name, None)
            case _:
                pass  # the owner died in the middle of a line
    return groups, containers


def end_groups(groups: dict[int, str], grace_s: float = TERM_GRACE_S) -> None:
    """Terminate each group, and kill it after the grace period."""
    _signal(groups, signal.SIGTERM)
    deadline = time.monotonic() + grace_s
    while any(_is_alive(pgid) for pgid in groups) and time.monotonic() < deadline:
        time.sleep(POLL_S)
    _signal(groups, signal.SIGKILL)


def own_containers(name: str, owner: object) -> tuple[str, ...]:
    """Return the `docker` arguments that list a container only if `owner` started it."""
    label = f"--filter=label=toolweave.owner={owner}"
    return ("ps", "--all", "--quiet", "--no-trunc", f"--filter=name=^/?{name}$", label)


def remove_containers(containers: dict[str, str]) -> None:
    """Remove the containers of these owners, running or not."""
    ids = [
        id_
        for name, owner in containers.items()
        for id_ in _docker(*own_containers(name, owner)).split()
    ]
    if ids:
        _docker("rm", "--force", "--", *ids)


def _docker(*arguments: str) -> str:
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(
            ["docker", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=DOCKER_DEADLINE_S,
            check=False,
        )
        return done.stdout.decode(errors="replace")
    return ""


def _signal(groups: dict[int, str], number: signal.Signals) -> None:
    for pgid, started in groups.items():
        # A group keeps its id as long as it has a member, so a leader with another start
        # time means that our group is gone and the id was reused.
        if not started or started_at(pgid) in ("", started):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pgid, number)


def _is_alive(pgid: int) -> bool:
    try:
        os.killpg(pgid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def main() -> None:
    """Wait until the owner exits, then clean up."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups, containers = watched(sys.stdin)
    end_groups(groups)
    remove_containers(containers)


if __name__ == "__main__":
    main()
