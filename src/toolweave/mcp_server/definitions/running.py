"""Tools for runs by id, for clients without tasks or forms."""

from toolweave.json_text import JsonObject
from toolweave.mcp_server.tool_definition import ToolDefinition, define

_TEXT: JsonObject = {"type": "string"}

DEFINITIONS: tuple[ToolDefinition, ...] = (
    define(
        "run_status",
        "Status and open questions of a run",
        "run_id",
        only_reads=True,
        run_id=_TEXT,
    ),
    define(
        "run_result",
        "Results of a run, step by step",
        "run_id",
        only_reads=True,
        run_id=_TEXT,
        max_tokens={"type": "integer", "minimum": 50},
    ),
    define(
        "run_respond",
        "Answer a question of a run",
        "run_id",
        "reply",
        run_id=_TEXT,
        step=_TEXT,
        reply={"anyOf": [{"type": "object"}, _TEXT]},
    ),
    define("run_cancel", "Cancel a run", "run_id", run_id=_TEXT),
)
