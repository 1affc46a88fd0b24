"""Whether a process ended without reading its input: then it failed before any message mattered."""

import errno
import os
import select
import socket
import stat
import struct
import sys
from asyncio.subprocess import Process
from contextlib import suppress

if sys.platform != "win32":
    import fcntl
    import termios


class UnreadInput:
    """A second handle of a process's input, kept until its first message or its end.

    Asyncio closes its own handle as soon as the process is gone.
    """

    def __init__(self, process: Process) -> None:
        self._file = -1
        if sys.platform != "win32" and process.stdin is not None:
            with suppress(OSError):
                self._file = os.dup(process.stdin.transport.get_extra_info("pipe").fileno())

    def remains(self) -> bool:
        """Whether the process is gone and something it was sent was never read."""
        if sys.platform == "win32" or self._file < 0:
            return False
        try:
            if stat.S_ISSOCK(os.fstat(self._file).st_mode):
                return self._is_reset()
            count = fcntl.ioctl(self._file, termios.FIONREAD, b"\0" * 4)
            return struct.unpack("i", count)[0] > 0
        except OSError:
            return False

    def _is_reset(self) -> bool:
        """A Unix socket whose other end closed with data in it reports a reset, once."""
        other = socket.socket(fileno=os.dup(self._file))
        with other:
            poll = select.poll()
            poll.register(other, select.POLLHUP)
            is_gone = bool(poll.poll(0))
            return is_gone and other.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == (
                errno.ECONNRESET
            )

    def close(self) -> None:
        """Let the process see the end of its input."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
