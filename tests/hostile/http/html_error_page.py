"""Answers as a proxy does whose server is down: status 502 and a page of HTML."""

import socket

from wellbehaved import Request, Server, respond

PAGE = b"<!doctype html><title>502</title><script>alert(1)</script><h1>Bad Gateway</h1>\n"


class HtmlErrorPage(Server):
    """Speaks to people, not programs."""

    def misbehave(self, connection: socket.socket, request: Request) -> None:
        """A page."""
        respond(connection, PAGE, 502, content_type="text/html")


HtmlErrorPage().run()
