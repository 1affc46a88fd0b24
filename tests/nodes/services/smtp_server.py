"""A tiny SMTP server: enough of RFC 5321 to take mails, with TLS and two ways to sign in."""

import base64
import socketserver
import ssl
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from socket import socket
from typing import BinaryIO, cast


@dataclass
class Postbox:
    """What the server wants, and what it was given."""

    username: str = "robot@example.com"
    password: str = "app pass word 42"
    refused: dict[str, str] = field(default_factory=dict[str, str])
    says_to_data: str = "250 taken"
    offers_starttls: bool = True
    mails: list[bytes] = field(default_factory=list[bytes])
    envelopes: list[str] = field(default_factory=list[str])
    commands: list[str] = field(default_factory=list[str])
    private: list[bool] = field(default_factory=list[bool])
    port: int = 0


@contextmanager
def serving_smtp(
    tls: ssl.SSLContext | None = None, *, is_private: bool = False
) -> Generator[Postbox]:
    """Serve on a free port of this machine."""
    postbox = Postbox()

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            try:
                Talk(postbox, cast("socket", self.request), tls, is_private).run()
            except OSError:
                return  # the client went away, or does not trust us

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        postbox.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield postbox
        finally:
            server.shutdown()
            thread.join()


class Talk:
    """One connection."""

    def __init__(
        self, postbox: Postbox, plain: socket, tls: ssl.SSLContext | None, is_private: bool
    ) -> None:
        self._postbox = postbox
        self._socket = plain
        self._tls = tls
        self._is_private = is_private

    def run(self) -> None:
        if self._is_private:
            self._wrap()
        try:
            self._say("220 here")
            while self._lines():
                pass
        finally:
            if isinstance(self._socket, ssl.SSLSocket):
                self._socket.close()

    def _wrap(self) -> None:
        assert self._tls is not None
        self._socket = self._tls.wrap_socket(self._socket, server_side=True)
        self._is_private = True

    def _say(self, *lines: str) -> None:
        *before, last = lines
        text = [*(line.replace(" ", "-", 1) for line in before), last]
        self._socket.sendall("".join(f"{line}\r\n" for line in text).encode())

    def _lines(self) -> bool:
        """Talk until the end, or until the connection becomes another one."""
        with self._socket.makefile("rb") as file:
            while line := cast("BinaryIO", file).readline():
                command = line.decode().strip()
                self._postbox.commands.append(command)
                verb = command.partition(" ")[0].upper()
                if verb == "STARTTLS":
                    self._say("220 go ahead")
                    self._wrap()
                    return True
                if verb == "DATA":
                    self._take(cast("BinaryIO", file))
                else:
                    self._say(*self._answer(verb, command))
                if verb == "QUIT":
                    return False
        return False

    def _take(self, file: BinaryIO) -> None:
        self._say("354 go on")
        lines: list[bytes] = []
        while (line := file.readline()) not in (b".\r\n", b""):
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        if self._postbox.says_to_data.startswith("250"):
            self._postbox.mails.append(b"".join(lines))
            self._postbox.private.append(self._is_private)
        self._say(self._postbox.says_to_data)

    def _answer(self, verb: str, command: str) -> list[str]:
        postbox = self._postbox
        match verb:
            case "EHLO":
                offers = ["250 here", "250 AUTH PLAIN XOAUTH2"]
                if postbox.offers_starttls and not self._is_private:
                    offers.append("250 STARTTLS")
                return [*offers, "250 SIZE 1000000"]
            case "AUTH":
                return ["235 welcome"] if self._knows(command) else ["535 no such user"]
            case "RCPT":
                address = command.partition("<")[2].partition(">")[0]
                postbox.envelopes.append(address)
                return [postbox.refused.get(address, "250 ok")]
            case _:
                return ["250 ok"]

    def _knows(self, command: str) -> bool:
        way, _, proof = command.partition(" ")[2].partition(" ")
        told = base64.b64decode(proof).decode()
        if way == "XOAUTH2":
            user = f"user={self._postbox.username}"
            return told == f"{user}\x01auth=Bearer {self._postbox.password}\x01\x01"
        return told == f"\0{self._postbox.username}\0{self._postbox.password}"
