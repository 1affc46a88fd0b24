"""Answers a call at one byte per 100 ms; the whole reply would take a minute and a half."""

import json

from wellbehaved import Message, Server, text


class SlowDrip(Server):
    """Is never silent and never done."""

    def misbehave(self, request: Message) -> None:
        """A good reply, byte by byte."""
        reply = {"jsonrpc": "2.0", "id": request["id"], "result": text("x" * 900)}
        for byte in json.dumps(reply).encode():
            self.write(bytes([byte]))
            self.pause(0.1)


SlowDrip().run()
