"""Answers with status 500."""

import socket

from wellbehaved import Request, Server, respond


class Status500(Server):
    """Is always broken."""

    def misbehave(self, connection: socket.socket, request: Request) -> None:
        """An error and no JSON-RPC."""
        respond(connection, b'{"detail":"database is on fire"}', 500)


Status500().run()
