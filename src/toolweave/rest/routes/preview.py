"""`/api/v1/edit/preview`, `/names` and `/tool`: looked at before it is run, saved or published.

A text is worked out over what a run left, within a budget; nothing is run, saved or sent anywhere.
"""

from typing import Any, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Request
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
from toolweave.rest.auth import Doorkeeper
from toolweave.rest.json_response import json_answer
from toolweave.rest.request_body import read_shape
from toolweave.rest.routes.edit import EditRequest
from toolweave.rest.shapes import KEYED, READING, ProblemShape, responses
from toolweave.workflow.preview import PreviewRequest

MAX_TEXT = 50_000


class PreviewBody(EditRequest):
    """A node of a workflow, and the run whose data is meant."""

    node: str = Field(min_length=1, max_length=200, description="Its id")
    run: str | None = Field(
        None,
        pattern="^[0-9a-f-]{4,36}$",
        description="A run's id; else the latest run of the workflow's name",
    )


class Trying(PreviewBody):
    """A text of a node to work out."""

    expression: str = Field(max_length=MAX_TEXT, description="The text, holes and all")
    field: str = Field(
        "",
        max_length=2_000,
        description="Where it stands in the node's data, as a JSON pointer; decides its language",
    )


class RunSeen(BaseModel):
    """The run that the data is of."""

    id: str
    status: str
    started_at: str = Field(alias="startedAt")


class ValueShown(BaseModel):
    """A value: its kind, its text or the beginning of it, and how long it is."""

    kind: Literal["string", "number", "integer", "boolean", "null", "array", "object"]
    text: str
    chars: int


class FaultShape(BaseModel):
    """What is wrong, and at which character."""

    code: str
    severity: Literal["error", "warning"]
    message: str
    hint: str | None
    offset: int
    line: int
    column: int


class Previewed(BaseModel):
    """What the text gives; `run` is nothing where there was none, `value` where there is none."""

    run: RunSeen | None
    # Whether the run came to the node.
    reached: bool
    value: ValueShown | None
    faults: list[FaultShape]


class OfferShape(BaseModel):
    """A path that can be named: what is there, and what the run had there."""

    path: str
    kind: str
    about: str | None
    sample: str | None


class FunctionShape(BaseModel):
    """A function that can be called."""

    name: str
    is_method: bool = Field(alias="isMethod")
    call: str
    gives: str


class DraftShape(BaseModel):
    """The tool that a workflow would be, and what keeps it from being published."""

    tool: str
    description: str
    # Any: schemas.
    input_schema: dict[str, Any] = Field(alias="inputSchema")
    output_schema: dict[str, Any] | None = Field(alias="outputSchema")
    problems: list[ProblemShape]


class NamesShape(BaseModel):
    """What texts of the node can name; `languages` tells of fields that are more than values."""

    run: RunSeen | None
    offers: list[OfferShape]
    functions: list[FunctionShape]
    languages: dict[str, Literal["value", "config", "own", "words", "prompt", "flow"]]


_FUNCTIONS = [
    {"name": one.name, "isMethod": one.is_method, "call": one.call, "gives": one.gives}
    for one in listed_functions()
]


class _Answers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        self._previews = Previews(studio.engine, studio.authoring.tools, studio.home.masker)

    async def preview_expression(self, request: Request) -> Response:
        """Work a text of a node out with the data of a run; the answer is 200 whatever it gives."""
        body = await read_shape(request, Trying)
        loaded = await body.loaded()
        asking = PreviewRequest(body.expression, body.field)
        found = await self._previews.preview(loaded.workflow, body.node, asking, body.run)
        return json_answer(_preview(found))

    async def list_names(self, request: Request) -> Response:
        """What the texts of a node can name: earlier outputs, inputs, functions."""
        body = await read_shape(request, PreviewBody)
        loaded = await body.loaded()
        found = await self._previews.names(loaded.workflow, body.node, body.run)
        told: dict[str, Any] = {
            "run": _run(found.run),
            "offers": [
                {"path": one.path, "kind": one.kind, "about": one.about, "sample": one.sample}
                for one in found.offers
            ],
            "functions": _FUNCTIONS,
            "languages": found.languages,
        }
        return json_answer(told)

    async def draft_tool(self, request: Request) -> Response:
        """What a workflow would be as a tool if it were published; 200 whatever is wrong."""
        body = await read_shape(request, EditRequest)
        loaded = await body.loaded()
        made = await run_sync(draft, loaded, await self._studio.authoring.tools.known())
        return json_answer(
            {
                "tool": made.tool,
                "description": made.description,
                "inputSchema": made.input_schema,
                "outputSchema": made.output_schema,
                "problems": [problem.as_json() for problem in made.problems],
            }
        )


def preview_routes(studio: RunningStudio, doorkeeper: Doorkeeper) -> APIRouter:
    """The three endpoints; all need `workflows:read`."""
    answers = _Answers(studio)
    router = APIRouter(prefix="/api/v1/edit", tags=["edit"])
    for path, answer, reading, ok in (
        ("/preview", answers.preview_expression, Trying, Previewed),
        ("/names", answers.list_names, PreviewBody, NamesShape),
        ("/tool", answers.draft_tool, EditRequest, DraftShape),
    ):
        router.add_api_route(
            path,
            answer,
            methods=["POST"],
            dependencies=[Depends(doorkeeper.wants("workflows:read"))],
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
