"""`toolweave mcp`: the server over stdio, which answers before the SDK is loaded.

One thread reads for the lifetime of the process. While the SDK loads, lines go to the early
responder; the first line it cannot answer and all later ones go to the SDK's server, which first
replays the handshake.
"""

import importlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from toolweave.json_text import JsonObject
from toolweave.mcp_server.early_responses import EarlyResponder, Published

CHUNK_BYTES = 64 * 1024
MAX_LINE_BYTES = 64 * 1024 * 1024

# While the SDK loads, the answering thread must be scheduled quickly.
QUICK_SWITCH_S = 0.0005

Sink = Callable[[bytes], None]


def run_stdio(home: Path | None = None) -> None:
    """Serve one client until its input ends, from `home` or the home of the environment."""
    published = _Published(home)
    reader = StdinReader(0, _take_stdout(), published=published)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(QUICK_SWITCH_S)
    reader.open()
    # By name: these imports take a second, and the first answers must not wait for them.
    with _interrupted_at_once():
        published.load()
        bridge = importlib.import_module("toolweave.mcp_server.sdk_bridge")
    sys.setswitchinterval(usual)
    bridge.serve(reader, home)


@contextmanager
def _interrupted_at_once() -> Generator[None]:
    """End on Ctrl-C without an exception, which an import can swallow; nothing is open yet."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class StdinReader:
    """Reads lines: passes them to the early responder first, then to the SDK's server."""

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
        self._early = EarlyResponder(published)
        self._is_early = True
        self._one_at_a_time = threading.Lock()
        self._sink: Sink | None = None
        self._has_sink = threading.Event()

    @property
    def silent_id(self) -> str:
        """The id of the replayed request, whose answer the client already has."""
        return self._early.silent_id

    @property
    def listed(self) -> list[JsonObject] | None:
        """The published tools in the early answer; `None` if there was none."""
        return self._early.listed

    def open(self) -> None:
        """Start reading in a daemon thread."""
        threading.Thread(target=self._read, name="toolweave-stdin", daemon=True).start()

    def stop_early_responses(self) -> list[bytes]:
        """Stop the early answers; return the lines that the SDK must read first."""
        with self._one_at_a_time:
            self._is_early = False
        return self._early.replay()

    def hand_over(self, sink: Sink) -> None:
        """Pass every line from now on to `sink`, and an empty one at the end."""
        self._sink = sink
        self._has_sink.set()

    def write(self, data: bytes) -> None:
        """Write whole lines to the client."""
        while data:
            data = data[os.write(self._writing, data) :]

    def _read(self) -> None:
        for line in lines_of(self._reading):
            if line.strip() and not self._is_answered(line):
                self._pass_on(line)
        with self._one_at_a_time:
            if self._is_early:
                # Everything was answered; the SDK is not needed.
                self._leave(0)
                return
        self._pass_on(b"")

    def _is_answered(self, line: bytes) -> bool:
        with self._one_at_a_time:
            answer = self._early.answer(line) if self._is_early else None
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
    """Yield the lines of a file descriptor as they arrive; too long ones are skipped."""
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
    """Lists the published tools from the home's cached list, once its module is loaded."""

    def __init__(self, home: Path | None) -> None:
        self._home = home
        self._list: Published = list[JsonObject]
        self._is_loaded = threading.Event()

    def __call__(self) -> list[JsonObject]:
        self._is_loaded.wait()
        return self._list()

    def load(self) -> None:
        cached_list = importlib.import_module("toolweave.publishing.cached_list")
        self._list = partial(cached_list.listed_here, self._home)
        self._is_loaded.set()


def _take_stdout() -> int:
    """Reserve stdout for the protocol; other output of this process goes to stderr."""
    wire = os.dup(1)
    try:
        os.dup2(2, 1)
    except OSError:
        # Started without a stderr.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return wire
