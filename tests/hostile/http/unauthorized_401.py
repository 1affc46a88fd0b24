"""Answers with status 401 and asks for a bearer token."""

import socket

from wellbehaved import Request, Server, respond


class Unauthorized401(Server):
    """Does not know you."""

    def misbehave(self, connection: socket.socket, request: Request) -> None:
        """Who are you?"""
        challenge = 'Bearer error="invalid_token"'
        respond(connection, b'{"error":"invalid_token"}', 401, WWW_Authenticate=challenge)


Unauthorized401().run()
