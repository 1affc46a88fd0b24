"""Hangs for ever in a call, reading nothing more."""

from wellbehaved import Message, Server


class HangsInCall(Server):
    """Never answers `misbehave`."""

    def misbehave(self, request: Message) -> None:
        """Hang."""
        self.pause(None)


HangsInCall().run()
