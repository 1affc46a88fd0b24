"""Sends good headers at one byte per 100 ms."""

import socket

from wellbehaved import Request, Server, drip, head, reply_to, text


class SlowHeaders(Server):
    """Clears its throat for a minute and a half."""

    def misbehave(self, connection: socket.socket, request: Request) -> None:
        """Padding, then a good reply."""
        body = reply_to(request, text("at last"))
        fields = {
            "X-Padding": "x" * 800,
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
        }
        drip(connection, head(200, fields))
        connection.sendall(body)


SlowHeaders().run()
