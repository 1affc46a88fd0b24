"""Answers a call with bytes that are no UTF-8."""

from wellbehaved import Message, Server


class BadUtf8(Server):
    """Writes Latin-1 and worse."""

    def misbehave(self, request: Message) -> None:
        """A reply whose text cannot be decoded."""
        head = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"'
        self.write(head % request["id"] + b'caf\xe9 \xff\xfe\xc3"}]}}\n')


BadUtf8().run()
