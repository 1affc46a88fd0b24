"""Lists one tool whose schema doubles with each of 30 local references: 2^30 leaves."""

from wellbehaved import ECHO, Message, Server

LEVELS = 30


def bomb() -> Message:
    """A schema of 2^30 leaves in a few kilobytes."""
    definitions: Message = {f"level{LEVELS}": {"type": "string"}}
    for level in range(LEVELS):
        below = {"$ref": f"#/$defs/level{level + 1}"}
        definitions[f"level{level}"] = {
            "type": "object",
            "properties": {"left": below, "right": below},
            "required": ["left", "right"],
        }
    return {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/level0"}},
        "$defs": definitions,
    }


class ExponentialRef(Server):
    """Has a good tool and a bomb."""

    def __init__(self) -> None:
        super().__init__()
        self.tools = [ECHO, {"name": "misbehave", "inputSchema": bomb()}]


ExponentialRef().run()
