"""Answers a call with one line of 300 MB (`HOSTILE_SIZE` bytes), the line's end only at its end."""

from wellbehaved import Message, Server, size


class HugeLine(Server):
    """Has a lot to say."""

    def misbehave(self, request: Message) -> None:
        """A valid reply that is far too long."""
        head = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"'
        self.write(head % request["id"])
        left = size(300_000_000)
        block = b"x" * min(left, 1 << 20)
        while left > 0:
            self.write(block[:left])
            left -= len(block)
        self.write(b'"}]}}\n')


HugeLine().run()
