"""Sends header fields for ever, as fast as they are read."""

import socket

from wellbehaved import Request, Server

FIELD = b"X-Padding: " + b"x" * 1000 + b"\r\n"


class EndlessHeaders(Server):
    """Never comes to the point."""

    def misbehave(self, connection: socket.socket, request: Request) -> None:
        """Fields, and no empty line after them."""
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
        while True:
            connection.sendall(FIELD * 100)


EndlessHeaders().run()
