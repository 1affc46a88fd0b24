"""`python -m toolweave.cli.main` without waiting for its imports, wherever a test starts it.

A process of the program spends a second or two on imports before it does anything. So the tests
keep one that has done this (`process.py`), and it forks when `subprocess.Popen` is asked for the
program: a real process, a child of this one, with its own arguments, environment, directory,
descriptors, session and process group. The first one of a worker is started the plain way, and so
is one with settings of Python that this process does not have.
"""

import array
import atexit
import ctypes
import json
import os
import shlex
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

COMMAND = (sys.executable, "-m", "toolweave.cli.main")
KEPT = ("PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE")  # settings of Python that do no harm
PROCESS = Path(__file__).with_name("process.py")
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
PLAIN: type[subprocess.Popen[Any]] = subprocess.Popen


class Preloaded:
    """The process that forks, and how to ask it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._line: socket.socket | None = None
        self._uses = 0

    @property
    def address(self) -> str:
        """Where `launcher.py` asks."""
        with self._lock:
            self._line = self._line or self._start()
        return f"toolweave-tests-{os.getpid()}"

    def is_worth_it(self) -> bool:
        """From the second program on."""
        self._uses += 1
        return self._uses > 1

    def fork(self, request: Mapping[str, object], descriptors: Sequence[int]) -> int:
        """The number of a new child of this process."""
        with self._lock:
            self._line = self._line or self._start()
            control = ctypes.CDLL(None).prctl
            control(_SUBREAPER, 1, 0, 0, 0)
            try:
                return _ask(self._line, request, descriptors)
            finally:
                control(_SUBREAPER, 0, 0, 0, 0)

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        number, address = str(theirs.fileno()), f"toolweave-tests-{os.getpid()}"
        process = PLAIN(
            [sys.executable, PROCESS, number, address],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env={name: one for name, one in os.environ.items() if name not in KEPT},
        )
        theirs.close()

        def end() -> None:
            ours.close()
            process.wait()

        atexit.register(end)
        assert ours.recv(1), "the preloaded process did not start"
        return ours


def _ask(line: socket.socket, request: Mapping[str, object], descriptors: Sequence[int]) -> int:
    data = json.dumps(request).encode()
    rights = array.array("i", descriptors).tobytes()
    head = len(data).to_bytes(8, "big")
    line.sendmsg([head], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
    line.sendall(data)
    answer = line.recv(8)
    assert answer, "the preloaded process has ended"
    return int.from_bytes(answer, "big")


preloaded = Preloaded()


def write_launcher(path: Path) -> None:
    """Write a program for shells that forks the preloaded process."""
    launcher = [sys.executable, "-I", "-S", str(PROCESS.with_name("launcher.py"))]
    command = shlex.join([*launcher, preloaded.address])
    path.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
    path.chmod(0o755)


class Popen(subprocess.Popen[Any]):
    """`subprocess.Popen`, which forks the program where it can."""

    def _execute_child(self, args: Any, *rest: Any) -> None:
        # As `subprocess` names and orders them.
        names = (
            *("executable", "preexec_fn", "close_fds", "pass_fds", "cwd", "env", "startupinfo"),
            *("creationflags", "shell", "p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread"),
            *("errwrite", "restore_signals", "gid", "gids", "uid", "umask"),
            *("start_new_session", "process_group"),
        )
        given = dict(zip(names, rest, strict=True))
        if not _can_fork(args, given) or not preloaded.is_worth_it():
            cast(Any, super())._execute_child(args, *rest)
            return
        request = {
            "arguments": [os.fsdecode(one) for one in args[len(COMMAND) :]],
            "directory": os.path.abspath(os.fsdecode(given["cwd"] or os.getcwd())),
            "environ": _environ(given),
            "session": bool(given["start_new_session"]),
            "group": given["process_group"],
        }
        streams = (given["p2cread"], given["c2pwrite"], given["errwrite"])
        descriptors = [number if one == -1 else one for number, one in enumerate(streams)]
        self.pid = preloaded.fork(request, descriptors)
        self._child_created = True
        pipes = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        cast(Any, self)._close_pipe_fds(*(given[name] for name in pipes))


def _environ(given: Mapping[str, Any]) -> dict[str, str]:
    environ = os.environ if given["env"] is None else given["env"]
    return {os.fsdecode(name): os.fsdecode(one) for name, one in environ.items()}


def _can_fork(args: Any, given: Mapping[str, Any]) -> bool:
    """Whether it is the program, started in a way that a fork can follow."""
    if isinstance(args, (str, bytes, os.PathLike)) or tuple(args[: len(COMMAND)]) != COMMAND:
        return False
    usual = {"executable": None, "preexec_fn": None, "close_fds": True, "pass_fds": ()}
    usual |= {"shell": False, "gid": None, "gids": None, "uid": None, "umask": -1}
    if any(given[name] != one for name, one in usual.items()):
        return False
    python = {name: one for name, one in _environ(given).items() if name.startswith("PYTHON")}
    return all(name in KEPT or os.environ.get(name) == one for name, one in python.items())


def pytest_configure() -> None:
    subprocess.Popen = Popen
