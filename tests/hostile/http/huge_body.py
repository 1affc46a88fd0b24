"""Sends a good reply of 300 MB (`HOSTILE_SIZE` bytes) without saying how long it is."""

import socket

from wellbehaved import Request, Server, head, reply_to, size, text

MARK = b"PUT IT HERE"


class HugeBody(Server):
    """Has a lot to say."""

    def misbehave(self, connection: socket.socket, request: Request) -> None:
        """The end of the connection is the end of the body."""
        before, _, after = reply_to(request, text(MARK.decode())).partition(MARK)
        fields = {"Content-Type": "application/json", "Connection": "close"}
        connection.sendall(head(200, fields) + before)
        left = size(300_000_000)
        block = b"x" * min(left, 1 << 20)
        while left > 0:
            connection.sendall(block[:left])
            left -= len(block)
        connection.sendall(after)


HugeBody().run()
