"""Sends a good reply as `text/plain`."""

import socket

from wellbehaved import Request, Server, reply_to, respond, text


class WrongContentType(Server):
    """Puts the wrong label on it."""

    def misbehave(self, connection: socket.socket, request: Request) -> None:
        """JSON that claims not to be."""
        respond(connection, reply_to(request, text("read me")), content_type="text/plain")


WrongContentType().run()
