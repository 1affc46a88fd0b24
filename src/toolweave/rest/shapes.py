"""What the answers look like, for OpenAPI."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class ProblemShape(BaseModel):
    """One fault of the input."""

    code: str
    severity: str
    pointer: str
    message: str
    hint: str | None = None


class ErrorBody(BaseModel):
    """Why it was refused, and what to do."""

    code: str
    message: str
    hint: str | None = None
    facts: dict[str, Any] | None = None
    problems: list[ProblemShape] | None = None


class Refusal(BaseModel):
    """Every error that is not JSON-RPC."""

    error: ErrorBody


class RpcErrorBody(BaseModel):
    """A JSON-RPC error: -32700, -32600, -32601, -32602 or -32603."""

    code: int
    message: str
    data: ErrorBody | None = None


class RpcRefusal(BaseModel):
    """Every error of the external invoke endpoint."""

    jsonrpc: str
    id: str | int | None
    error: RpcErrorBody


class ToolShape(BaseModel):
    """A knowledge tool."""

    name: str
    description: str
    parameters: dict[str, Any]
    category: str
    tags: list[str]


class ToolsShape(BaseModel):
    """All of them."""

    tools: list[ToolShape]


class RpcTools(BaseModel):
    """All of them, as JSON-RPC."""

    jsonrpc: str
    id: str
    result: ToolsShape


class ToolAnswer(BaseModel):
    """What a tool answered."""

    model_config = ConfigDict(populate_by_name=True)

    content: list[dict[str, Any]]
    isError: bool  # the wire's own spelling
    structuredContent: dict[str, Any] | None = None  # the wire's own spelling
    tool_name: str = Field(alias="_tool_name")
    execution_time_ms: float = Field(alias="_execution_time_ms")
    request_id: str = Field(alias="_request_id")


class RpcToolAnswer(BaseModel):
    """The same as JSON-RPC."""

    jsonrpc: str
    id: str | int | None
    result: ToolAnswer


class ToolPage(BaseModel):
    """One tool with guidance and examples."""

    name: str
    description: str
    version: str
    available: bool
    category: str
    parameters: dict[str, Any]
    workflow_guidance: str
    usage_examples: list[dict[str, Any]]
    processing_time_ms: float
    request_id: str


class HealthShape(BaseModel):
    """Whether the catalog answers."""

    healthy: bool
    version: str
    available_tools: list[str]
    timestamp: int
    error: str | None
    request_id: str
    processing_time_ms: float


Responses = dict[int | str, dict[str, Any]]

_REFUSALS: Responses = {
    401: {"model": Refusal, "description": "No valid key."},
    403: {"model": Refusal, "description": "The key lacks the scope."},
    429: {"model": Refusal, "description": "Too many requests; see Retry-After."},
}
_RPC_REFUSALS: Responses = {
    status: {"model": RpcRefusal, "description": text}
    for status, text in {
        400: "The body is not JSON.",
        401: "No valid key.",
        403: "The key lacks the scope.",
        404: "No such tool.",
        413: "The body is too large.",
        415: "The body is not application/json.",
        422: "The body is not an invocation.",
        429: "Too many requests; see Retry-After.",
    }.items()
}
_INTERNAL: Responses = {
    401: {"model": Refusal, "description": "No valid service token."},
    403: {"model": Refusal, "description": "Not a program of this machine."},
}

TOOLS: Responses = {200: {"model": RpcTools}, **_REFUSALS}
INVOKE: Responses = {200: {"model": RpcToolAnswer}, **_RPC_REFUSALS}
TOOLS_INTERNAL: Responses = {200: {"model": ToolsShape}, **_INTERNAL}
INVOKE_INTERNAL: Responses = {
    200: {"model": ToolAnswer},
    **_INTERNAL,
    400: {"model": Refusal, "description": "The body is not JSON."},
    404: {"model": Refusal, "description": "No such tool."},
    413: {"model": Refusal, "description": "The body is too large."},
    415: {"model": Refusal, "description": "The body is not application/json."},
    422: {"model": Refusal, "description": "The body is not an invocation."},
}
TOOL: Responses = {
    200: {"model": ToolPage},
    **_REFUSALS,
    404: {"model": Refusal, "description": "No such tool."},
    422: {"model": Refusal, "description": "The name is too long."},
}
HEALTH: Responses = {200: {"model": HealthShape}, **_REFUSALS}
