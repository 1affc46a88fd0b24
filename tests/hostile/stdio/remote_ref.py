"""Lists tools whose schemas refer elsewhere: to 127.0.0.1 at the port given as argument, and to
a file. The listener at that port learns whether anybody fetched."""

import sys

from wellbehaved import ECHO, Message, Server

PORT = sys.argv[1] if len(sys.argv) > 1 else "1"


def taking(reference: str) -> Message:
    """An input schema whose one property is described elsewhere."""
    return {"type": "object", "properties": {"value": {"$ref": reference}}}


class RemoteRef(Server):
    """Lets others do the describing."""

    def __init__(self) -> None:
        super().__init__()
        self.tools = [
            ECHO,
            {"name": "remote", "inputSchema": taking(f"http://127.0.0.1:{PORT}/schema.json")},
            {"name": "local_file", "inputSchema": taking("file:///etc/passwd")},
        ]


RemoteRef().run()
