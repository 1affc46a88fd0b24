"""Tools for flows and prompts of libraries; each also answers to its alias with a `/`."""

from toolweave.json_text import JsonObject
from toolweave.mcp_server.tool_definition import FETCHES, ToolDefinition, define

_TEXT: JsonObject = {"type": "string"}
_VALUES: JsonObject = {"type": "object"}
_FLOW_NAME = {"flowName": "flow"}
_PROMPT_NAME = {"name": "prompt"}

DEFINITIONS: tuple[ToolDefinition, ...] = (
    define(
        "flows_list",
        "Flows",
        "List flows of git libraries",
        hints=FETCHES,
        unlisted=frozenset({"includeMetadata"}),
        library=_TEXT,
        ref=_TEXT,
    ),
    define(
        "flows_show",
        "Flow",
        "One flow",
        "flow",
        hints=FETCHES,
        aliases=_FLOW_NAME,
        flow=_TEXT,
        library=_TEXT,
        ref=_TEXT,
    ),
    define(
        "flows_execute",
        "Run flow",
        "Run a flow",
        "flow",
        aliases=_FLOW_NAME,
        flow=_TEXT,
        initialVariables=_VALUES,
        library=_TEXT,
        ref=_TEXT,
    ),
    define(
        "prompts_list",
        "Prompts",
        "List prompt templates of git libraries",
        hints=FETCHES,
        library=_TEXT,
        ref=_TEXT,
    ),
    define(
        "prompts_get",
        "Prompt",
        "Render a prompt",
        "prompt",
        hints=FETCHES,
        aliases=_PROMPT_NAME,
        prompt=_TEXT,
        arguments=_VALUES,
        library=_TEXT,
        ref=_TEXT,
    ),
    define(
        "get_variable_sets",
        "Prompt values",
        "Get stored values of a prompt",
        "prompt",
        hints=FETCHES,
        aliases=_PROMPT_NAME,
        prompt=_TEXT,
        library=_TEXT,
        ref=_TEXT,
    ),
)
