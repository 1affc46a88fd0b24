"""`toolweave mcp`: the server over standard input and output, answering from the first moment.

One thread reads for as long as the process lives. While the SDK is loaded its lines go to the
porch; the first that the porch cannot answer, and all after it, go to the SDK's server, which is
first told how the conversation began.
"""

import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterator

from toolweave.json_text import JsonObject
from toolweave.mcp_server.early_responses import EarlyResponder, Era, Published

CHUNK_BYTES = 64 * 1024
MAX_LINE_BYTES = 64 * 1024 * 1024

# While the SDK is loaded, the thread that answers must not wait long for its turn.
QUICK_SWITCH_S = 0.0005

Sink = Callable[[bytes], None]


def run_stdio() -> None:
    """Serve one client until its input ends."""
    published = _Published()
    entrance = Entrance(0, _take_stdout(), published=published)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(QUICK_SWITCH_S)
    entrance.open()
    # By name: their imports take a second, and nothing above may wait for them.
    published.load()
    handover = importlib.import_module("toolweave.mcp_server.sdk_bridge")
    sys.setswitchinterval(usual)
    handover.serve(entrance)


class Entrance:
    """Where lines come in: to the porch at first, then to whoever it is handed over to."""

    def __init__(
        self,
        reading: int,
        writing: int,
        *,
        leave: Callable[[int], None] = os._exit,
        published: Published = list[JsonObject],
    ) -> None:
        self._reading = reading
        self._writing = writing
        self._leave = leave
        self._porch = EarlyResponder(published)
        self._porch_is_open = True
        self._one_at_a_time = threading.Lock()
        self._sink: Sink | None = None
        self._has_sink = threading.Event()

    @property
    def silent_id(self) -> str:
        """The id of the one request whose answer the client has had already."""
        return self._porch.silent_id

    @property
    def era(self) -> Era | None:
        """How the porch saw the conversation opened."""
        return self._porch.era

    @property
    def listed(self) -> list[JsonObject] | None:
        """The published tools that the porch told of; nothing where it was not asked."""
        return self._porch.listed

    def open(self) -> None:
        """Begin to read, in a thread that does not keep the process alive."""
        threading.Thread(target=self._read, name="toolweave-stdin", daemon=True).start()

    def close_porch(self) -> list[bytes]:
        """Have the porch answer no more; the lines its successor must read first."""
        with self._one_at_a_time:
            self._porch_is_open = False
        return self._porch.told()

    def hand_over(self, sink: Sink) -> None:
        """Give `sink` every line from now on, and an empty one at the end."""
        self._sink = sink
        self._has_sink.set()

    def write(self, data: bytes) -> None:
        """Send whole lines to the client."""
        while data:
            data = data[os.write(self._writing, data) :]

    def _read(self) -> None:
        for line in lines_of(self._reading):
            if line.strip() and not self._is_answered(line):
                self._pass_on(line)
        with self._one_at_a_time:
            if self._porch_is_open:
                # Everything was answered, and the SDK would be loaded for nobody.
                self._leave(0)
                return
        self._pass_on(b"")

    def _is_answered(self, line: bytes) -> bool:
        with self._one_at_a_time:
            answer = self._porch.answer(line) if self._porch_is_open else None
            if answer is None:
                return False
            try:
                self.write(answer)
            except OSError:
                self._leave(0)  # the client is gone
            return True

    def _pass_on(self, line: bytes) -> None:
        self._has_sink.wait()
        assert self._sink is not None
        self._sink(line)


def lines_of(descriptor: int) -> Iterator[bytes]:
    """The lines of a file descriptor, each as soon as it is there; one too long is left out."""
    held = bytearray()
    is_too_long = False
    while chunk := os.read(descriptor, CHUNK_BYTES):
        *whole, rest = chunk.split(b"\n")
        for part in whole:
            line = bytes(held) + part
            held.clear()
            if not is_too_long and len(line) <= MAX_LINE_BYTES:
                yield line + b"\n"
            is_too_long = False
        if is_too_long or len(held) + len(rest) > MAX_LINE_BYTES:
            is_too_long = True
            held.clear()
        else:
            held += rest
    if held and not is_too_long:
        yield bytes(held)


class _Published:
    """Lists the published tools by the home's copy, once what that takes is loaded."""

    def __init__(self) -> None:
        self._list: Published = list[JsonObject]
        self._is_loaded = threading.Event()

    def __call__(self) -> list[JsonObject]:
        self._is_loaded.wait()
        return self._list()

    def load(self) -> None:
        self._list = importlib.import_module("toolweave.publishing.cached_list").listed_here
        self._is_loaded.set()


def _take_stdout() -> int:
    """Keep the wire for ourselves: whatever else prints in this process goes to stderr."""
    wire = os.dup(1)
    try:
        os.dup2(2, 1)
    except OSError:
        # Started without a stderr.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return wire
