"""Sends headers at once and then a good body at one byte per 100 ms."""

import socket

from wellbehaved import Request, Server, drip, head, reply_to, text


class SlowBody(Server):
    """Is never silent and never done."""

    def misbehave(self, connection: socket.socket, request: Request) -> None:
        """A minute and a half of reply."""
        body = reply_to(request, text("x" * 900))
        fields = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        connection.sendall(head(200, fields))
        drip(connection, body)


SlowBody().run()
