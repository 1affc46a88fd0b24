"""Redirects (307) to itself for ever, to a new address each time."""

import socket

from wellbehaved import Request, Server, respond


class RedirectLoop(Server):
    """Always one door further."""

    hops = 0

    def misbehave(self, connection: socket.socket, request: Request) -> None:
        """The next door."""
        self.hops += 1
        respond(connection, b"", 307, Location=f"/mcp?hop={self.hops}")


RedirectLoop().run()
