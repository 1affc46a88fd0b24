"""Answers a call only under ids that nobody asked with."""

from wellbehaved import Message, Server, text


class WrongIds(Server):
    """Mixes up its letters."""

    def misbehave(self, request: Message) -> None:
        """Replies to everybody else."""
        for wrong in (request["id"] + 1000, -1, None, "no such id", 1.5, True):
            self.reply({"id": wrong}, text(f"for {wrong!r}"))


WrongIds().run()
