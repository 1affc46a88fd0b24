"""Whether a process ended without reading its input: then it failed before any message mattered."""

import errno
import os
import select
import socket
import stat
import struct
import sys
from asyncio.subprocess import Process

if sys.platform != "win32":
    import fcntl
    import termios


class UnreadInput:
    """A second handle of a process's input, kept until its first message or its end.

    Asyncio closes its own handle as soon as the process is gone.
    """

    def __init__(self, process: Process) -> None:
        self._file = -1
        self._was_gone = False  # before anything was sent
        if sys.platform == "win32" or process.stdin is None:
            return
        try:
            self._file = os.dup(process.stdin.transport.get_extra_info("pipe").fileno())
        except (OSError, ValueError):
            self._was_gone = True

    def sending(self) -> None:
        """Note whether the process is gone before it is sent something."""
        self._was_gone = self._was_gone or (self._file >= 0 and self._is_gone())

    def remains(self) -> bool:
        """Whether the process is gone and something it was sent was never read."""
        if sys.platform == "win32" or self._was_gone or self._file < 0:
            return self._was_gone
        try:
            if stat.S_ISSOCK(os.fstat(self._file).st_mode):
                return self._is_reset()
            count = fcntl.ioctl(self._file, termios.FIONREAD, b"\0" * 4)
            return struct.unpack("i", count)[0] > 0
        except OSError:
            return False

    def _is_reset(self) -> bool:
        """A Unix socket whose other end closed with data in it reports a reset, once."""
        with socket.socket(fileno=os.dup(self._file)) as other:
            found = other.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        return found == errno.ECONNRESET

    def _is_gone(self) -> bool:
        poll = select.poll()
        poll.register(self._file, 0)  # the end of the other side is always reported
        return bool(poll.poll(0))

    def close(self) -> None:
        """Let the process see the end of its input."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
