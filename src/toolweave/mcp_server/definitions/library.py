"""Flows and prompts of libraries; each is also answered under its name of seed 003, with a `/`."""

from toolweave.json_text import JsonObject
from toolweave.mcp_server.tool_definition import ToolDefinition, offer

_TEXT: JsonObject = {"type": "string"}
_VALUES: JsonObject = {"type": "object"}

OFFERS: tuple[ToolDefinition, ...] = (
    offer(
        "flows_list",
        "workflows:read",
        "Flows of git libraries",
        only_reads=True,
        library=_TEXT,
        ref=_TEXT,
    ),
    offer(
        "flows_show",
        "workflows:read",
        "One flow",
        "flow",
        only_reads=True,
        flow=_TEXT,
        library=_TEXT,
        ref=_TEXT,
    ),
    offer(
        "flows_execute",
        "workflows:run",
        "Run a flow",
        "flow",
        flow=_TEXT,
        initialVariables=_VALUES,
        library=_TEXT,
        ref=_TEXT,
    ),
    offer(
        "prompts_list",
        "workflows:read",
        "Prompt templates of git libraries",
        only_reads=True,
        library=_TEXT,
        ref=_TEXT,
    ),
    offer(
        "prompts_get",
        "workflows:read",
        "One prompt, filled in",
        "prompt",
        only_reads=True,
        prompt=_TEXT,
        arguments=_VALUES,
        library=_TEXT,
        ref=_TEXT,
    ),
    offer(
        "get_variable_sets",
        "workflows:read",
        "Stored values of a prompt",
        "prompt",
        only_reads=True,
        prompt=_TEXT,
        library=_TEXT,
        ref=_TEXT,
    ),
)
