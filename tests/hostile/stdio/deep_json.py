"""Answers a call with valid JSON that is 100,000 (`HOSTILE_SIZE`) levels deep."""

from wellbehaved import Message, Server, size


class DeepJson(Server):
    """Digs."""

    def misbehave(self, request: Message) -> None:
        """Brackets within brackets."""
        depth = size(100_000)
        head = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[],"structuredContent":{"deep":'
        self.write(head % request["id"] + b"[" * depth + b"]" * depth + b"}}}\n")


DeepJson().run()
