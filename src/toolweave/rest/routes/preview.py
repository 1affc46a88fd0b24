"""`/api/v1/edit/preview`, `/names` and `/tool`: previews while a workflow is edited.

Expressions are evaluated with the data of a run, within limits; nothing is run, saved or sent.
"""

from typing import Annotated, Any, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends
from fastapi.responses import Response
from pydantic import BaseModel, Field

from toolweave.app.running_studio import RunningStudio
from toolweave.authoring.preview import Preview, Previews
from toolweave.cel.fault import SyntaxProblem
from toolweave.cel.function_list import listed_functions
from toolweave.engine.run_table import RunRecord
from toolweave.json_text import JsonObject
from toolweave.publishing.service import draft
from toolweave.rest import openapi
from toolweave.rest.auth import Authenticator
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.response_models import KEYED, READING, ProblemResponse, responses
from toolweave.rest.routes.edit import EditRequest
from toolweave.workflow.preview import PreviewRequest

MAX_TEXT = 50_000


class NodeNamesRequest(EditRequest):
    """A node of a workflow, and the run whose data to use."""

    node: str = Field(min_length=1, max_length=200, description="Its id")
    run: str | None = Field(
        None,
        pattern="^[0-9a-f-]{4,36}$",
        description="A run's id; default: the latest run of the workflow",
    )


class PreviewExpressionRequest(NodeNamesRequest):
    """An expression of a node to evaluate."""

    expression: str = Field(max_length=MAX_TEXT, description="The text with its expressions")
    field: str = Field(
        "",
        max_length=2_000,
        description="Its field in the node's data, as a JSON pointer; decides its language",
    )


class RunReference(BaseModel):
    """The run whose data was used."""

    id: str
    status: str
    started_at: str = Field(alias="startedAt")


class PreviewValueResponse(BaseModel):
    """A value: its kind, its text or the beginning of it, and its length."""

    kind: Literal["string", "number", "integer", "boolean", "null", "array", "object"]
    text: str
    chars: int


class ExpressionProblemResponse(BaseModel):
    """A problem and its position."""

    code: str
    severity: Literal["error", "warning"]
    message: str
    hint: str | None
    offset: int
    line: int
    column: int


class PreviewResponse(BaseModel):
    """The value of the expression; `run` and `value` are null if there is none."""

    run: RunReference | None
    # Whether the run reached the node.
    reached: bool
    value: PreviewValueResponse | None
    faults: list[ExpressionProblemResponse]


class CompletionResponse(BaseModel):
    """A path to use in expressions, its kind, and its value in the run."""

    path: str
    kind: str
    about: str | None
    sample: str | None


class FunctionResponse(BaseModel):
    """A function for expressions."""

    name: str
    is_method: bool = Field(alias="isMethod")
    call: str
    gives: str


class ToolDraftResponse(BaseModel):
    """The tool that publishing would create, and the problems that prevent it."""

    tool: str
    description: str
    # Any: schemas.
    input_schema: dict[str, Any] = Field(alias="inputSchema")
    output_schema: dict[str, Any] | None = Field(alias="outputSchema")
    problems: list[ProblemResponse]


class NodeNamesResponse(BaseModel):
    """Names for the node's expressions; `languages` lists fields with a language of their own."""

    run: RunReference | None
    offers: list[CompletionResponse]
    functions: list[FunctionResponse]
    languages: dict[str, Literal["value", "config", "own", "words", "prompt", "flow"]]


_FUNCTIONS = [
    {"name": one.name, "isMethod": one.is_method, "call": one.call, "gives": one.gives}
    for one in listed_functions()
]


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        self._previews = Previews(studio.engine, studio.authoring.tools, studio.home.masker)

    async def preview_expression(
        self, body: Annotated[PreviewExpressionRequest, Depends(PreviewExpressionRequest.read)]
    ) -> Response:
        """Evaluate an expression of a node with the data of a run; 200 even on errors."""
        loaded = await body.loaded()
        asking = PreviewRequest(body.expression, body.field)
        found = await self._previews.preview(loaded.workflow, body.node, asking, body.run)
        return JsonResponse(_preview(found))

    async def list_names(
        self, body: Annotated[NodeNamesRequest, Depends(NodeNamesRequest.read)]
    ) -> Response:
        """List the names for a node's expressions: earlier outputs, inputs, functions."""
        loaded = await body.loaded()
        found = await self._previews.names(loaded.workflow, body.node, body.run)
        content: dict[str, Any] = {
            "run": _run(found.run),
            "offers": [
                {"path": one.path, "kind": one.kind, "about": one.about, "sample": one.sample}
                for one in found.completions
            ],
            "functions": _FUNCTIONS,
            "languages": found.languages,
        }
        return JsonResponse(content)

    async def draft_tool(self, body: Annotated[EditRequest, Depends(EditRequest.read)]) -> Response:
        """Show the tool that publishing would create; the status is 200 even with problems."""
        loaded = await body.loaded()
        made = await run_sync(draft, loaded, await self._studio.authoring.tools.known())
        return JsonResponse(
            {
                "tool": made.tool,
                "description": made.description,
                "inputSchema": made.input_schema,
                "outputSchema": made.output_schema,
                "problems": [problem.as_json() for problem in made.problems],
            }
        )


def preview_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The three endpoints; all need `workflows:read`."""
    handlers = _Handlers(studio)
    router = APIRouter(prefix="/api/v1/edit", tags=["edit"])
    for path, answer, reading, ok in (
        ("/preview", handlers.preview_expression, PreviewExpressionRequest, PreviewResponse),
        ("/names", handlers.list_names, NodeNamesRequest, NodeNamesResponse),
        ("/tool", handlers.draft_tool, EditRequest, ToolDraftResponse),
    ):
        router.add_api_route(
            path,
            answer,
            methods=["POST"],
            dependencies=[Depends(authenticator.require("workflows:read"))],
            responses=responses(ok, 404, *KEYED, *READING),
            openapi_extra=openapi.keyed(reading),
        )
    return router


def _preview(found: Preview) -> JsonObject:
    value = found.value
    return {
        "run": _run(found.run),
        "reached": found.is_reached,
        "value": {"kind": value.kind, "text": value.text, "chars": value.chars} if value else None,
        "faults": [_fault(one) for one in found.faults],
    }


def _run(run: RunRecord | None) -> JsonObject | None:
    if run is None:
        return None
    return {"id": run.id, "status": run.status, "startedAt": run.started_at}


def _fault(fault: SyntaxProblem) -> JsonObject:
    return {
        "code": fault.code,
        "severity": fault.severity,
        "message": fault.message,
        "hint": fault.hint,
        "offset": fault.offset,
        "line": fault.line,
        "column": fault.column,
    }
