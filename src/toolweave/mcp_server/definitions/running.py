"""Tools for runs by id, for clients without tasks or forms."""

from toolweave.json_text import JsonObject
from toolweave.mcp_server.tool_definition import CHANGES, READS, ToolDefinition, define

_TEXT: JsonObject = {"type": "string"}

DEFINITIONS: tuple[ToolDefinition, ...] = (
    define(
        "run_status",
        "Run status",
        "Status and open questions of a run",
        "run_id",
        hints=READS,
        run_id=_TEXT,
    ),
    define(
        "run_result",
        "Run result",
        "Results of a run, step by step",
        "run_id",
        hints=READS,
        run_id=_TEXT,
        max_tokens={"type": "integer"},
    ),
    define(
        "run_respond",
        "Answer run",
        "Answer a question of a run",
        "run_id",
        "reply",
        run_id=_TEXT,
        step=_TEXT,
        reply={"anyOf": [{"type": "object"}, _TEXT]},
    ),
    define("run_cancel", "Cancel run", "Cancel a run", "run_id", hints=CHANGES, run_id=_TEXT),
)
