"""Writes 100 MB (`HOSTILE_SIZE` bytes) to stderr in a call, then answers."""

import sys

from wellbehaved import Message, Server, size, text

LINE = b"warning: " + b"w" * 1014 + b"\n"


class StderrFlood(Server):
    """Logs everything."""

    def misbehave(self, request: Message) -> None:
        """The log, then a good answer: it only comes if somebody reads the log."""
        for _ in range(0, size(100_000_000), len(LINE)):
            sys.stderr.buffer.write(LINE)
        sys.stderr.buffer.flush()
        self.reply(request, text("logged"))


StderrFlood().run()
