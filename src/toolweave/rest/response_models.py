"""Response models that several routes share, and the error responses for OpenAPI."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, cast

from pydantic import BaseModel, Field

from toolweave.json_record import ProblemRecord
from toolweave.problems import Problem
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.formats.load import convert
from toolweave.workflow.model import Workflow


def problem_records(problems: Iterable[Problem]) -> list[ProblemRecord]:
    """Return problems as JSON records."""
    return [ProblemRecord.of(problem.as_json()) for problem in problems]


def document_in(workflow: Workflow, dialect: FormatName) -> dict[str, Any]:
    """Return a workflow as a document of a dialect."""
    return cast("dict[str, Any]", convert(workflow, dialect))


class ErrorBody(BaseModel):
    """Why the request failed, and what to do."""

    code: str
    message: str
    hint: str | None = None
    facts: dict[str, Any] | None = None
    problems: list[ProblemRecord] | None = None


class ErrorResponse(BaseModel):
    """An error of any endpoint that is not JSON-RPC."""

    error: ErrorBody
    request_id: str


class RpcErrorBody(BaseModel):
    """A JSON-RPC error: -32700, -32600, -32601, -32602, -32603, or -32000 for all others."""

    code: int
    message: str
    data: ErrorBody


class RpcErrorResponse(BaseModel):
    """An error of the JSON-RPC endpoints."""

    jsonrpc: Literal["2.0"]
    id: str | int | None
    error: RpcErrorBody


class CatalogToolResponse(BaseModel):
    """A catalog tool."""

    name: str
    description: str
    parameters: dict[str, Any]
    category: str
    tags: list[str]


class CatalogToolListResponse(BaseModel):
    """All of them."""

    tools: list[CatalogToolResponse]


class RpcToolListResponse(BaseModel):
    """All catalog tools, as JSON-RPC."""

    jsonrpc: Literal["2.0"]
    id: str
    result: CatalogToolListResponse


class TextContentResponse(BaseModel):
    """Text for people."""

    type: Literal["text"]
    text: str


class InvocationResponse(BaseModel):
    """The result of a tool: its data, or an error with every problem of the arguments."""

    content: list[TextContentResponse]
    is_error: bool = Field(alias="isError")
    structured_content: dict[str, Any] | None = Field(None, alias="structuredContent")
    problems: list[ProblemRecord] | None = Field(None, alias="_problems")
    tool_name: str = Field(alias="_tool_name")
    execution_time_ms: float = Field(alias="_execution_time_ms")
    request_id: str = Field(alias="_request_id")


class RpcInvocationResponse(BaseModel):
    """The result of a tool, as JSON-RPC."""

    jsonrpc: Literal["2.0"]
    id: str | int | None
    result: InvocationResponse


class ToolDetailsResponse(BaseModel):
    """A tool with guidance and examples."""

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


class CatalogHealthResponse(BaseModel):
    """Check whether the catalog is available."""

    healthy: bool
    version: str
    available_tools: list[str]
    timestamp: int
    error: str | None
    request_id: str
    processing_time_ms: float


class AliveResponse(BaseModel):
    """The process is running."""

    healthy: bool


class ReadyResponse(BaseModel):
    """The process is running and its database answers."""

    ready: bool


Responses = dict[int | str, dict[str, Any]]
REF = "#/components/schemas/{model}"

_TEXTS = {
    400: "The body is not JSON.",
    401: "The API key is missing or invalid.",
    403: "The key lacks the scope, or the request comes from a page of another origin.",
    404: "Not found; the message says what is missing.",
    405: "The address does not support this method.",
    409: "The request conflicts with the current state; the message describes it.",
    413: "The body is too large.",
    415: "The body is not application/json.",
    421: "This server does not serve that host.",
    422: "The request does not have the expected form; every problem is listed.",
    429: "Too many requests; see Retry-After.",
    500: "Internal error; the log has the details under the request id.",
    503: "The database is unavailable.",
    504: "The request took too long.",
}
_TEXT_HEADER = {"schema": {"type": "string"}}
_HEADERS = {
    401: {"WWW-Authenticate": _TEXT_HEADER},
    405: {"Allow": _TEXT_HEADER},
    429: {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait."}},
}
_REQUEST_ID = {
    "X-Request-ID": {**_TEXT_HEADER, "description": "Identifies the request in the log."}
}

ANY = (405, 413, 421, 500)
KEYED = (401, 403, 429, 503, *ANY)
READING = (400, 415, 422)


def responses(
    ok: type[BaseModel] | None,
    *statuses: int,
    error_model: type[BaseModel] = ErrorResponse,
    texts: Mapping[int, str] | None = None,
    status: int = 200,
) -> Responses:
    """Return the responses of a route: `ok` with `status`, and errors with their `texts`."""
    described: Responses = {status: {"headers": _REQUEST_ID}}
    if ok is not None:
        described[status]["model"] = ok
    for refused in sorted(set(statuses)):
        # By name: FastAPI would build a model for each of some thousand error responses at start.
        described[refused] = {
            "content": {
                "application/json": {"schema": {"$ref": REF.format(model=error_model.__name__)}}
            },
            "description": (texts or {}).get(refused, _TEXTS[refused]),
            "headers": {**_REQUEST_ID, **_HEADERS.get(refused, {})},
        }
    return described


_NO_TOOL = {404: "The tool does not exist."}

TOOLS = responses(RpcToolListResponse, *KEYED, error_model=RpcErrorResponse)
INVOKE = responses(
    RpcInvocationResponse, 404, *KEYED, *READING, error_model=RpcErrorResponse, texts=_NO_TOOL
)
TOOLS_INTERNAL = responses(CatalogToolListResponse, 401, 403, *ANY)
INVOKE_INTERNAL = responses(InvocationResponse, 401, 403, 404, *READING, *ANY, texts=_NO_TOOL)
TOOL = responses(ToolDetailsResponse, 404, 422, *KEYED, texts=_NO_TOOL)
HEALTH = responses(CatalogHealthResponse, *KEYED)
ALIVE = responses(AliveResponse, 403, *ANY)
READY = responses(ReadyResponse, 403, 503, *ANY)
OPENAPI = responses(None, *KEYED)
