"""Resets the connection instead of answering."""

import socket

from wellbehaved import Request, Server, reset


class ConnectionReset(Server):
    """Hangs up."""

    def misbehave(self, connection: socket.socket, request: Request) -> None:
        """Close with a reset."""
        reset(connection)


ConnectionReset().run()
