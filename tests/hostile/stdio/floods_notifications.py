"""Sends 100,000 (`HOSTILE_SIZE`) notifications in a call as fast as it can, then answers."""

import json

from wellbehaved import Message, Server, size, text

BATCH = 1000


class FloodsNotifications(Server):
    """Reports every nanosecond of progress."""

    def misbehave(self, request: Message) -> None:
        """Log and progress notifications in turn, then a good answer."""
        token = request["params"].get("_meta", {}).get("progressToken", "nobody asked")
        log = {"level": "info", "data": "still working"}
        pair = b"".join(
            json.dumps(
                {"jsonrpc": "2.0", "method": f"notifications/{kind}", "params": params}
            ).encode()
            + b"\n"
            for kind, params in (
                ("message", log),
                ("progress", {"progressToken": token, "progress": 1}),
            )
        )
        total = size(100_000)
        for sent in range(0, total, BATCH):
            self.write(pair * (min(BATCH, total - sent) // 2))
        self.reply(request, text("done at last"))


FloodsNotifications().run()
