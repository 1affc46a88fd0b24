"""Pages its tool list for ever: every page has a new tool and a new cursor."""

from wellbehaved import ECHO, Message, Server


class EndlessCursor(Server):
    """Always has one more page."""

    def list_tools(self, request: Message) -> None:
        """The page the cursor names, and the next one's."""
        page = int(request.get("params", {}).get("cursor", "0"))
        tool = ECHO | {"name": "echo" if page == 0 else f"echo_{page}"}
        self.reply(request, {"tools": [tool], "nextCursor": str(page + 1)})


EndlessCursor().run()
