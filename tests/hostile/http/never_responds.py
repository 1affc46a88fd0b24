"""Takes the request and never says a word."""

import socket

from wellbehaved import Request, Server


class NeverResponds(Server):
    """Listens."""

    def misbehave(self, connection: socket.socket, request: Request) -> None:
        """Wait until the client gives up."""
        while connection.recv(65536):
            pass


NeverResponds().run()
