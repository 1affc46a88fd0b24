"""A process that has imported all of Toolweave and becomes a new `toolweave` on each request.

Started with the number of a socket and the address of another. A request over the first comes from
the process that started this one, and what is forked becomes its child. A request over the second
comes from `launcher.py`, which stands for the process: signals go to it, and it ends with the same
status. A `toolweave` that a forked one starts, as a server for example, is started so, too.
"""

import array
import atexit
import gc
import io
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import threading
from importlib import import_module
from typing import Any, NoReturn, cast

MODULE = "toolweave.cli.main"
COMMAND = [sys.executable, "-m", MODULE]
LAUNCHER = [sys.executable, "-I", "-S", os.path.join(os.path.dirname(__file__), "launcher.py")]
UNFLUSHED = 120  # as the interpreter ends when its output cannot be written
Request = dict[str, Any]


def receive(line: socket.socket) -> tuple[Request, list[int]] | None:
    """A request, and the descriptors that become its first three; None at the end."""
    taken = array.array("i")
    head, ancillary, _, _ = line.recvmsg(8, socket.CMSG_LEN(3 * taken.itemsize))
    if not head:
        return None
    for _, _, sent in ancillary:
        taken.frombytes(sent[: len(sent) - len(sent) % taken.itemsize])
    size, data = int.from_bytes(head, "big"), b""
    while len(data) < size:
        data += line.recv(size - len(data))
    return json.loads(data), list(taken)


def serve(ours: socket.socket, address: str) -> Request:
    """Fork on each request; returns in a process that shall be a `toolweave`, with what it is."""
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    door.bind(f"\0{address}")
    door.listen(20)
    ours.sendall(b"!")
    while True:
        ready, _, _ = select.select([ours, door], [], [])
        request = _for_the_parent(ours) if ours in ready else _for_a_launcher(door)
        if request is not None:
            ours.close()
            door.close()
            return request
        _reap()


def _for_the_parent(ours: socket.socket) -> Request | None:
    received = receive(ours)
    if received is None:
        os._exit(0)
    request, descriptors = received
    out, into = os.pipe()
    # What this process forks is forked once more: when the one between has ended, the other is
    # a child of the process that asked, which has said that it takes in orphans.
    between = os.fork()
    if not between:
        if os.fork():
            os._exit(0)
        try:
            _take(descriptors, request)
        finally:  # not before: who asked may look at its session
            os.write(into, b"%d" % os.getpid())
            os.close(out)
            os.close(into)
        return request
    os.waitpid(between, 0)
    ours.sendall(int(os.read(out, 20)).to_bytes(8, "big"))
    for one in (out, into, *descriptors):
        os.close(one)
    return None


def _for_a_launcher(door: socket.socket) -> Request | None:
    line, _ = door.accept()
    with line:
        if os.fork():
            return None
        received = receive(line)
        if received is None:
            os._exit(1)
        request, descriptors = received
        child = os.fork()
        if not child:
            _take(descriptors, request)
            return request
        for one in descriptors:
            os.close(one)
        _stand_by(line, child)


def _stand_by(line: socket.socket, child: int) -> NoReturn:
    """Hand on signals to the child, and its end to the launcher."""
    ended = os.pidfd_open(child)
    while True:
        ready, _, _ = select.select([line, ended], [], [])
        if ended in ready:
            _, status = os.waitpid(child, 0)
            line.sendall(status.to_bytes(4, "big"))
            os._exit(0)
        number = line.recv(1)
        os.kill(child, number[0] if number else signal.SIGKILL)
        if not number:
            os._exit(0)


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _take(descriptors: list[int], request: Request) -> None:
    """Have the descriptors, directory, environment and session of a new process."""
    for number, one in enumerate(descriptors):
        os.dup2(one, number)  # each is above the three, which are open
        os.close(one)
    if request["session"]:
        os.setsid()
    if request["group"] >= 0:
        os.setpgid(0, request["group"])
    os.chdir(request["directory"])
    os.environ.clear()
    os.environ.update(request["environ"])


class Popen(subprocess.Popen[Any]):
    """`subprocess.Popen`, with a launcher in place of the program."""

    address = ""

    def _execute_child(self, args: Any, *rest: Any) -> None:
        executable, environ = rest[0], rest[5]
        given = os.environ if environ is None else environ
        is_plain = not any(os.fsdecode(name).startswith("PYTHON") for name in given)
        if executable is None and is_plain and list(args[: len(COMMAND)]) == COMMAND:
            args = [*LAUNCHER, self.address, *args[len(COMMAND) :]]
        cast(Any, super())._execute_child(args, *rest)


def become(request: Request, address: str) -> None:
    """Be `python -m toolweave.cli.main` with these arguments."""
    Popen.address = address
    subprocess.Popen = Popen
    unbuffered = bool(os.environ.get("PYTHONUNBUFFERED"))
    sys.stdin = _stream(0, "r", "strict")
    sys.stdout = _stream(1, "w", "strict", unbuffered=unbuffered)
    sys.stderr = _stream(2, "w", "backslashreplace", unbuffered=unbuffered, lines=True)
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    sys.path[0] = request["directory"]
    sys.argv = [MODULE, *request["arguments"]]
    sys.orig_argv = [sys.executable, "-m", MODULE, *request["arguments"]]
    import_module(MODULE).main()


def end(error: SystemExit | None) -> NoReturn:
    """End as the interpreter would, but leave the objects of the imports as they are.

    To free them one by one copies every page that is shared with the preloaded process.
    """
    status = error.code if error else None
    if isinstance(status, str):
        sys.stderr.write(f"{status}\n")
    number = status if isinstance(status, int) else int(status is not None)
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads that are no daemons
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            number = UNFLUSHED
    os._exit(number)


def _stream(
    number: int, mode: str, errors: str, *, unbuffered: bool = False, lines: bool = False
) -> io.TextIOWrapper:
    raw = io.FileIO(number, mode, closefd=False)
    buffer = io.BufferedReader(raw) if mode == "r" else io.BufferedWriter(raw)
    return io.TextIOWrapper(
        buffer,
        encoding="utf-8",
        errors=errors,
        line_buffering=lines or os.isatty(number),
        write_through=unbuffered,
    )


def import_everything() -> None:
    """Importing a module does nothing else: tests/cli/test_cold_start.py."""
    import toolweave  # noqa: PLC0415  not before the socket is there

    for module in pkgutil.walk_packages(toolweave.__path__, "toolweave."):
        if not module.name.startswith("toolweave.testing") and "_process" not in module.name:
            import_module(module.name)


def use_template() -> None:
    """Begin new databases with their tables, as the tests do."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sys.path.append(root)
    import_module("tests.storage.template").template.use()
    sys.path.remove(root)


if __name__ == "__main__":
    import_everything()
    use_template()
    gc.collect()
    gc.freeze()
    door_address = sys.argv[2]
    wanted = serve(socket.socket(fileno=int(sys.argv[1])), door_address)
    try:
        become(wanted, door_address)
    except SystemExit as error:
        end(error)
    end(None)
