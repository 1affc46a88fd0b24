"""Sends its reply as one event of 300 MB (`HOSTILE_SIZE` bytes)."""

import socket

from wellbehaved import Request, Server, head, reply_to, size, text

MARK = b"PUT IT HERE"


class SseHugeEvent(Server):
    """Has a lot to say in one breath."""

    def misbehave(self, connection: socket.socket, request: Request) -> None:
        """A good reply in one `data:` line."""
        before, _, after = reply_to(request, text(MARK.decode())).partition(MARK)
        fields = {"Content-Type": "text/event-stream", "Connection": "close"}
        connection.sendall(head(200, fields) + b"event: message\ndata: " + before)
        left = size(300_000_000)
        block = b"x" * min(left, 1 << 20)
        while left > 0:
            connection.sendall(block[:left])
            left -= len(block)
        connection.sendall(after + b"\n\n")


SseHugeEvent().run()
