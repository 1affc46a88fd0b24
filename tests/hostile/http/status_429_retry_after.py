"""Answers with status 429 and `Retry-After: 1`, the first `HOSTILE_SIZE` times (default: always);
then answers, saying how long after the last refusal it was asked again."""

import socket
import time

from wellbehaved import Request, Server, reply_to, respond, size, text


class Status429(Server):
    """Wants to be left alone for a second."""

    refusals = 0
    refused_at = 0.0

    def misbehave(self, connection: socket.socket, request: Request) -> None:
        """Not yet."""
        waited = time.monotonic() - self.refused_at
        if self.refusals >= size(1_000_000):
            said = f"{self.refusals} refused, then waited {waited:.3f} s"
            respond(connection, reply_to(request, text(said)))
            return
        self.refusals += 1
        self.refused_at = time.monotonic()
        respond(connection, b'{"detail":"slow down"}', 429, Retry_After="1")


Status429().run()
