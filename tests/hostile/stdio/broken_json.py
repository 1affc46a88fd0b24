"""Answers a call with a line that starts like a message and breaks off."""

from wellbehaved import Message, Server


class BrokenJson(Server):
    """Forgets the second half of its answers."""

    def misbehave(self, request: Message) -> None:
        """Half a reply."""
        self.write(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[\n' % request["id"])


BrokenJson().run()
