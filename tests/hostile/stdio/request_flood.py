"""Sends 100,000 (`HOSTILE_SIZE`) requests of its own in a call, reading no answer, then answers."""

from wellbehaved import Message, Server, size, text

BATCH = 1000
PING = b'{"jsonrpc":"2.0","id":"flood-%d","method":"ping"}\n'


class RequestFlood(Server):
    """Asks and does not listen."""

    def misbehave(self, request: Message) -> None:
        """Pings, then a good answer."""
        total = size(100_000)
        for first in range(0, total, BATCH):
            last = min(first + BATCH, total)
            self.write(b"".join(PING % number for number in range(first, last)))
        self.reply(request, text("asked enough"))


RequestFlood().run()
