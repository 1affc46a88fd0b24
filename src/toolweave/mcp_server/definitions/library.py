"""Tools for flows and prompts of libraries; each also answers to its alias with a `/`."""

from toolweave.json_text import JsonObject
from toolweave.mcp_server.tool_definition import ToolDefinition, define

_TEXT: JsonObject = {"type": "string"}
_VALUES: JsonObject = {"type": "object"}
_FLOW_NAME = {"flowName": "flow"}
_PROMPT_NAME = {"name": "prompt"}

DEFINITIONS: tuple[ToolDefinition, ...] = (
    define(
        "flows_list",
        "List flows of git libraries",
        only_reads=True,
        unlisted=frozenset({"includeMetadata"}),
        library=_TEXT,
        ref=_TEXT,
    ),
    define(
        "flows_show",
        "One flow",
        "flow",
        only_reads=True,
        aliases=_FLOW_NAME,
        flow=_TEXT,
        library=_TEXT,
        ref=_TEXT,
    ),
    define(
        "flows_execute",
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
        "List prompt templates of git libraries",
        only_reads=True,
        library=_TEXT,
        ref=_TEXT,
    ),
    define(
        "prompts_get",
        "Render a prompt",
        "prompt",
        only_reads=True,
        aliases=_PROMPT_NAME,
        prompt=_TEXT,
        arguments=_VALUES,
        library=_TEXT,
        ref=_TEXT,
    ),
    define(
        "get_variable_sets",
        "Get stored values of a prompt",
        "prompt",
        only_reads=True,
        aliases=_PROMPT_NAME,
        prompt=_TEXT,
        library=_TEXT,
        ref=_TEXT,
    ),
)
