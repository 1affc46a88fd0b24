"""Writes lines that are no messages before every valid one."""

from wellbehaved import Server

GARBAGE = b"Listening on stdio...\n\n[info] ready\n42\nnull\n[]\n\x1b[31mred\x1b[0m\n"


class WritesGarbage(Server):
    """Logs to stdout, as many real servers do."""

    def send(self, message: object) -> None:
        """Garbage, then the message."""
        self.write(GARBAGE)
        super().send(message)


WritesGarbage().run()
