"""`/api/v1/edit/preview`, `/names`, `/input` and `/tool`: previews while a workflow is edited.

Expressions are evaluated with the data of a run, within limits; nothing is run, saved or sent.
"""

from typing import Annotated, Any, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends
from pydantic import Field

from toolweave.app.running_studio import RunningStudio
from toolweave.authoring.preview import Previews
from toolweave.cel.function_list import listed_functions
from toolweave.json_record import JsonRecord, ProblemRecord
from toolweave.publishing.service import draft
from toolweave.rest.auth import Authenticator
from toolweave.rest.response_models import problem_records
from toolweave.rest.routes.edit import EditRequest
from toolweave.rest.routing import Routes
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


class RunReference(JsonRecord):
    """The run whose data was used."""

    id: str
    status: str
    started_at: str


class PreviewValueResponse(JsonRecord):
    """A value: its kind, its text or the beginning of it, and its length."""

    kind: Literal["string", "number", "integer", "boolean", "null", "array", "object"]
    text: str
    chars: int


class ExpressionProblemRecord(JsonRecord):
    """A problem and its position."""

    code: str
    severity: Literal["error", "warning"]
    message: str
    hint: str | None
    offset: int
    line: int
    column: int


class PreviewResponse(JsonRecord):
    """The value of the expression; `run` and `value` are null if there is none."""

    run: RunReference | None
    # Whether the run reached the node.
    reached: bool = Field(validation_alias="is_reached")
    value: PreviewValueResponse | None
    faults: list[ExpressionProblemRecord]


class CompletionResponse(JsonRecord):
    """A path to use in expressions, its kind, and its value in the run."""

    path: str
    kind: str
    about: str | None
    sample: str | None


class FunctionResponse(JsonRecord):
    """A function for expressions."""

    name: str
    is_method: bool
    call: str
    gives: str


class ToolDraftResponse(JsonRecord):
    """The tool that publishing would create, and the problems that prevent it."""

    tool: str
    description: str
    # Any: schemas.
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None
    problems: list[ProblemRecord]


class NodeNamesResponse(JsonRecord):
    """Names for the node's expressions; `languages` lists fields with a language of their own."""

    run: RunReference | None
    offers: list[CompletionResponse]
    functions: list[FunctionResponse]
    languages: dict[str, Literal["value", "config", "own", "words", "prompt", "flow"]]


class NodeSourceResponse(JsonRecord):
    """A value that the node can read: the path to write, and the value in the run."""

    path: str
    about: str
    kind: str
    has_value: bool
    # Any: data of a run, masked; large values are cut.
    value: Any
    is_cut: bool


class NodeInputResponse(JsonRecord):
    """What the node can read, nearest first; the values are those of `run`."""

    run: RunReference | None
    # Whether the run reached the node.
    reached: bool = Field(validation_alias="is_reached")
    sources: list[NodeSourceResponse]


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        self._previews = Previews(studio.engine, studio.authoring.tools, studio.home.masker)
        self._functions = [FunctionResponse.of(function) for function in listed_functions()]

    async def preview_expression(
        self, body: Annotated[PreviewExpressionRequest, Depends(PreviewExpressionRequest.read)]
    ) -> PreviewResponse:
        """Evaluate an expression of a node with the data of a run; 200 even on errors."""
        loaded = await body.loaded()
        asking = PreviewRequest(body.expression, body.field)
        found = await self._previews.preview(loaded.workflow, body.node, asking, body.run)
        return PreviewResponse.of(found)

    async def list_names(
        self, body: Annotated[NodeNamesRequest, Depends(NodeNamesRequest.read)]
    ) -> NodeNamesResponse:
        """List the names for a node's expressions: earlier outputs, inputs, functions."""
        loaded = await body.loaded()
        found = await self._previews.names(loaded.workflow, body.node, body.run)
        return NodeNamesResponse(
            run=RunReference.of(found.run) if found.run else None,
            offers=[CompletionResponse.of(completion) for completion in found.completions],
            functions=self._functions,
            languages=found.languages,
        )

    async def show_input(
        self, body: Annotated[NodeNamesRequest, Depends(NodeNamesRequest.read)]
    ) -> NodeInputResponse:
        """Show what a node can read: its input, earlier outputs, the run's input, with values."""
        loaded = await body.loaded()
        found = await self._previews.sources(loaded.workflow, body.node, body.run)
        return NodeInputResponse.of(found)

    async def draft_tool(
        self, body: Annotated[EditRequest, Depends(EditRequest.read)]
    ) -> ToolDraftResponse:
        """Show the tool that publishing would create; the status is 200 even with problems."""
        loaded = await body.loaded()
        made = await run_sync(draft, loaded, await self._studio.authoring.tools.known())
        return ToolDraftResponse(
            tool=made.tool,
            description=made.description,
            input_schema=made.input_schema,
            output_schema=made.output_schema,
            problems=problem_records(made.problems),
        )


def preview_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The four endpoints."""
    handlers = _Handlers(studio)
    routes = Routes(authenticator, "/api/v1/edit", "edit", 404)
    routes.add("POST", "/preview", handlers.preview_expression)
    routes.add("POST", "/names", handlers.list_names)
    routes.add("POST", "/input", handlers.show_input)
    routes.add("POST", "/tool", handlers.draft_tool)
    return routes.router()
