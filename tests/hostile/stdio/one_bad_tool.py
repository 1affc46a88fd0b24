"""Lists good tools among entries that are none: no object, no name, no schema, nonsense for one."""

from wellbehaved import ECHO, MISBEHAVE, Server


class OneBadTool(Server):
    """Has a few bad apples."""

    def __init__(self) -> None:
        super().__init__()
        self.tools = [
            ECHO,
            "not an object",
            None,
            {"description": "no name", "inputSchema": {"type": "object"}},
            {"name": "", "inputSchema": {"type": "object"}},
            {"name": 7, "inputSchema": {"type": "object"}},
            {"name": "no_schema"},
            {"name": "string_schema", "inputSchema": "object"},
            {"name": "wrong_schema", "inputSchema": {"type": "object", "properties": [1]}},
            {"name": "unknown_type", "inputSchema": {"type": "thing"}},
            MISBEHAVE,
        ]


OneBadTool().run()
