"""Shakes hands, then hangs for ever in `tools/list`, reading nothing more."""

from wellbehaved import Message, Server


class HangsInList(Server):
    """Never lists its tools."""

    def list_tools(self, request: Message) -> None:
        """Hang."""
        self.pause(None)


HangsInList().run()
