"""Answers call 2 as `"2"`: the id as a string, which JSON-RPC forbids."""

from wellbehaved import Message, Server, text


class StringIds(Server):
    """Knows only strings."""

    def misbehave(self, request: Message) -> None:
        """A good reply under the id as text."""
        self.reply({"id": str(request["id"])}, text("meant for you"))


StringIds().run()
