"""Opens an event stream and keeps it alive with comments for ever, the answer never coming."""

import socket
import time

from wellbehaved import Request, Server, head


class SseEndlessComments(Server):
    """Is alive, and that is all."""

    def misbehave(self, connection: socket.socket, request: Request) -> None:
        """One comment per 50 ms."""
        fields = {"Content-Type": "text/event-stream", "Connection": "close"}
        connection.sendall(head(200, fields))
        while True:
            connection.sendall(b": keep-alive\n\n")
            time.sleep(0.05)


SseEndlessComments().run()
