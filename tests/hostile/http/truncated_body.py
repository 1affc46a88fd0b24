"""Promises a body, sends half of it and closes the connection."""

import socket

from wellbehaved import Request, Server, head, reply_to, text


class TruncatedBody(Server):
    """Leaves in the middle of"""

    def misbehave(self, connection: socket.socket, request: Request) -> None:
        """Half a reply."""
        body = reply_to(request, text("the whole story"))
        fields = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        connection.sendall(head(200, fields) + body[: len(body) // 2])


TruncatedBody().run()
