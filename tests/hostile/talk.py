"""Speaks to the programs raw, over a pipe or a socket: no client of ours or of the SDK's."""

import json
import os
import select
import signal
import socket
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from hostile.catalogue import Vice

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "1"},
}


class Pipe:
    """One program and the lines to and from it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.last_id = 0
        self._held = b""

    def say(self, method: str, **params: Any) -> None:
        """Send a request."""
        self.last_id += 1
        request = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request).encode() + b"\n")

    def hear_line(self) -> bytes:
        """The next line, or what there is of it when the program has closed its side."""
        while b"\n" not in self._held:
            assert self.process.stdout is not None
            chunk = os.read(self.process.stdout.fileno(), 1 << 16)
            self._held += chunk
            if not chunk:
                break
        line, _, self._held = self._held.partition(b"\n")
        return line

    def hear(self) -> Any:
        """The next line as JSON."""
        return json.loads(self.hear_line())

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request, which must be the next line."""
        self.say(method, **params)
        reply = self.hear()
        assert reply["id"] == self.last_id
        return reply["result"]

    def misbehave(self, **arguments: Any) -> None:
        """Say hello and send the call that shows the vice."""
        self.ask("initialize", **HELLO)
        self.say("tools/call", name="misbehave", arguments=arguments)

    def tools(self) -> list[Any]:
        """Say hello and list."""
        self.ask("initialize", **HELLO)
        return self.ask("tools/list")["tools"]

    def is_silent(self, seconds: float = 0.3) -> bool:
        """Whether nothing comes for a while although the program runs."""
        assert self.process.stdout is not None
        readable, _, _ = select.select([self.process.stdout], [], [], seconds)
        return not self._held and not readable and self.process.poll() is None

    def close_stdin(self) -> None:
        """Let the program know that nobody will say more."""
        assert self.process.stdin is not None
        self.process.stdin.close()


@contextmanager
def pipe(vice: Vice, *extra: str, hostile_size: int | None = None) -> Generator[Pipe]:
    """Start a program in a group of its own and end the group on leaving."""
    with subprocess.Popen(
        vice.argv(*extra),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        env=sized(hostile_size),
        start_new_session=True,
    ) as process:
        try:
            yield Pipe(process)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def sized(hostile_size: int | None) -> Mapping[str, str]:
    """The environment with the size of the vice in it."""
    return os.environ if hostile_size is None else {**os.environ, "HOSTILE_SIZE": str(hostile_size)}


def post(url: str, method: str, **params: Any) -> socket.socket:
    """Send one request on a connection of its own, which is for the caller to read and close."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    address = urlsplit(url)
    assert address.hostname == "127.0.0.1"
    assert address.port is not None
    connection = socket.create_connection((address.hostname, address.port), timeout=20)
    head = (
        f"POST {address.path} HTTP/1.1\r\nHost: {address.netloc}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    connection.sendall(head.encode() + body)
    return connection


def misbehave(url: str) -> socket.socket:
    """Send the call that shows the vice."""
    return post(url, "tools/call", name="misbehave", arguments={})


def read_all(connection: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """Status, header fields and body, read until the other side closes."""
    data = bytearray()
    with connection:
        while chunk := connection.recv(1 << 20):
            data += chunk
    head, _, body = bytes(data).partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    fields = (line.partition(": ") for line in lines)
    return int(first.split()[1]), {name: value for name, _, value in fields}, body
