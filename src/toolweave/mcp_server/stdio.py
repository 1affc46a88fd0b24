"""`toolweave mcp`: the server over standard input and output, answering from the first moment.

While a thread loads the SDK, the porch answers; the first message it cannot answer goes to the
SDK's server, which is first told of the handshake that already happened.
"""

import importlib
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from toolweave.mcp_server.porch import Porch

CHUNK_BYTES = 64 * 1024
MAX_LINE_BYTES = 64 * 1024 * 1024


class Lines:
    """Lines of a file descriptor, read without a buffer anybody else could miss."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._held = bytearray()
        self._ahead: list[bytes] = []

    def put_back(self, *lines: bytes) -> None:
        """Have `lines` read before all others."""
        self._ahead = [*lines, *self._ahead]

    def readline(self) -> bytes:
        """The next line with its end; nothing when the input is over."""
        if self._ahead:
            return self._ahead.pop(0)
        searched = 0
        while (end := self._held.find(b"\n", searched)) < 0:
            searched = len(self._held)
            chunk = os.read(self._descriptor, CHUNK_BYTES)
            if not chunk or searched > MAX_LINE_BYTES:
                rest = bytes(self._held)
                self._held.clear()
                return rest
            self._held += chunk
        line = bytes(self._held[: end + 1])
        del self._held[: end + 1]
        return line


def run_stdio() -> None:
    """Serve one client until its input ends."""
    # Whatever prints in this process must not reach the client's ears: only `out` is the wire.
    out = os.dup(1)
    os.dup2(2, 1)
    loading = _Loading(lambda: importlib.import_module("toolweave.mcp_server.handover"))
    lines, porch = Lines(0), Porch()
    while line := lines.readline():
        if not line.strip():
            continue
        answer = porch.answer(line)
        if answer is None:
            lines.put_back(line)
            handover = loading.finished()
            handover.serve(lines, out, porch)
            return
        _write(out, answer)
    # The loading thread may still import; a daemon thread at interpreter exit is not worth a join.
    sys.stdout.flush()
    os._exit(0)


class _Loading:
    """A module being imported in a thread."""

    def __init__(self, load: Callable[[], Any]) -> None:
        self._load = load
        self._module: Any = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="toolweave-load", daemon=True)
        self._thread.start()

    def finished(self) -> Any:
        """The module, as soon as it is there."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._module

    def _run(self) -> None:
        try:
            self._module = self._load()
        except BaseException as error:  # handed to the main thread, which raises it
            self._error = error


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
