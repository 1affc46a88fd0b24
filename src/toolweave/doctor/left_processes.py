"""Programs of registered servers that run on after the process that started them has ended.

The guardian stops them when its owner dies; one that was killed with its owner cannot. A program
belongs here if its command line is that of a server and init, or the user's service manager, has
adopted it: a server of another MCP client has that client as its parent.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from toolweave.servers.definition import CommandServer, Server

_PROCESSES = Path("/proc")
_ADOPTERS = ("systemd", "init", "launchd", "tini", "dumb-init")


@dataclass(frozen=True, slots=True)
class LeftProcess:
    """A program without an owner."""

    server: str
    pid: int


def left_processes(servers: Sequence[Server]) -> list[LeftProcess]:
    """List them; empty where the system does not show processes as files. Blocking."""
    commands: dict[tuple[str, ...], str] = {
        (one.definition.command, *one.definition.args): one.name
        for one in servers
        if isinstance(one.definition, CommandServer)
    }
    found: list[LeftProcess] = []
    for pid, arguments in _running() if commands else ():
        name = commands.get(arguments) or commands.get((Path(arguments[0]).name, *arguments[1:]))
        if name is not None and _is_adopted(pid):
            found.append(LeftProcess(name, pid))
    return found


def _running() -> Iterator[tuple[int, tuple[str, ...]]]:
    """The command lines of all processes that this user may see."""
    folders = _PROCESSES.iterdir() if _PROCESSES.is_dir() else iter(())
    for folder in folders:
        if not folder.name.isdecimal():
            continue
        with suppress(OSError):  # it ended meanwhile
            text = (folder / "cmdline").read_bytes().decode("utf-8", "replace")
            if text:
                yield int(folder.name), tuple(text.removesuffix("\0").split("\0"))


def _is_adopted(pid: int) -> bool:
    with suppress(OSError, IndexError, ValueError):
        # The fourth field; the second is a name in parentheses and may contain anything.
        status = (_PROCESSES / str(pid) / "stat").read_text("utf-8", "replace")
        parent = int(status.rpartition(")")[2].split()[1])
        name = (_PROCESSES / str(parent) / "comm").read_text("utf-8", "replace").strip()
        return parent == 1 or name in _ADOPTERS
    return False
