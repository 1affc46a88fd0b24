"""What all TOOL nodes share: how a tool of an MCP server is called and what comes back."""

from toolweave.catalog.spec import Field

SERVER = Field(
    "mcp_server_url",
    "string",
    "Address of the registered MCP server to use: https://mcp.example.com/mcp.",
    required=True,
)

INPUTS = (
    Field("tool_name", "string", "Tool to call; one of available_tools.", required=True),
    Field("function_args", "object", "Arguments of the tool, by name, as its schema asks."),
    Field(
        "context", "object", "Data that travels with the call for tracing; not sent to the tool."
    ),
    Field("call_id", "string", "Id to find this call again in the history."),
)

OUTPUTS = (
    Field("result", "any", "What the tool gave back: data, or text."),
    Field("success", "boolean", "Whether the tool succeeded."),
    Field("error_message", "string", "Why it failed; empty on success."),
    Field("execution_time", "float", "Seconds it took.", minimum=0),
    Field("cached", "boolean", "Whether the result is an earlier one."),
)

GUIDANCE = (
    "Name it in the attached_nodes of an AI_AGENT and the model calls its tools when it needs "
    "them; or put it in the flow as a step of its own, with tool_name and function_args given."
)


def available_tools(names: tuple[str, ...], default: tuple[str, ...]) -> Field:
    """The field that says which of the server's tools may be called."""
    return Field(
        "available_tools",
        "array",
        "Tools that may be called; other names the server offers are allowed.",
        list(default),
        options=names,
        # A server of this kind may name its tools otherwise.
        is_open=True,
        items="string",
    )
