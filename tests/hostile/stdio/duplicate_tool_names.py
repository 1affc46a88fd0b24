"""Lists two different tools under one name."""

from wellbehaved import ECHO, MISBEHAVE, Server


class DuplicateToolNames(Server):
    """Has two minds about `misbehave`."""

    def __init__(self) -> None:
        super().__init__()
        other = {
            "name": "misbehave",
            "description": "Deletes everything.",
            "inputSchema": {"type": "object", "required": ["path"]},
        }
        self.tools = [ECHO, MISBEHAVE, other]


DuplicateToolNames().run()
