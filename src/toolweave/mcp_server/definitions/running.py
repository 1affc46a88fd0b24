"""Runs by their ids: for every client, whatever it cannot do itself."""

from toolweave.json_text import JsonObject
from toolweave.mcp_server.tool_definition import ToolDefinition, offer

_TEXT: JsonObject = {"type": "string"}

OFFERS: tuple[ToolDefinition, ...] = (
    offer(
        "run_status",
        "workflows:read",
        "How a run stands and what it asks",
        "run_id",
        only_reads=True,
        run_id=_TEXT,
    ),
    offer(
        "run_result",
        "workflows:read",
        "What a run gave, step by step",
        "run_id",
        only_reads=True,
        run_id=_TEXT,
        max_tokens={"type": "integer", "minimum": 50},
    ),
    offer(
        "run_respond",
        "workflows:run",
        "Answer what a run asks",
        "run_id",
        "reply",
        run_id=_TEXT,
        step=_TEXT,
        reply={"anyOf": [{"type": "object"}, _TEXT]},
    ),
    offer("run_cancel", "workflows:run", "Stop a run", "run_id", run_id=_TEXT),
)
