"""`/api/v1/runs/{run}/freeze`: a model's choices for a node, as a workflow. Nothing is saved."""

from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, Path
from fastapi.responses import Response
from pydantic import BaseModel, Field

from toolweave.app.running_studio import RunningStudio
from toolweave.authoring.authoring import require_workflow
from toolweave.authoring.locked_choices import freeze_node
from toolweave.json_text import Json
from toolweave.rest import openapi
from toolweave.rest.auth import Authenticator
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.request_body import RequestBody
from toolweave.rest.response_models import KEYED, READING, ProblemResponse, responses
from toolweave.workflow.formats.load import convert, read

RunId = Annotated[
    str,
    Path(
        alias="run", pattern="^[0-9a-f-]{4,36}$", description="A run's id or its first characters"
    ),
]


class FreezeRequest(RequestBody):
    """The node, and its workflow if it is not the stored workflow of the run."""

    node: str = Field(min_length=1, max_length=1_000, description="A node's id")
    # Any: a workflow in any dialect; its reader reports what is wrong with it.
    document: dict[str, Any] | None = Field(None, description="The workflow, in any dialect")


class FreezeResponse(BaseModel):
    """The workflow with detailed nodes, their calls, and its problems."""

    format: str
    document: dict[str, Any]
    calls: list[dict[str, Any]]
    problems: list[ProblemResponse]


def freeze_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The endpoint; it needs `workflows:read`."""

    async def freeze_chosen(
        run: RunId, body: Annotated[FreezeRequest, Depends(FreezeRequest.read)]
    ) -> Response:
        """Turn a model's choices for a node of a run into detailed nodes; nothing is saved."""
        found = await studio.engine.get(run)
        if body.document is not None:
            loaded = require_workflow(read(cast("Json", body.document)))
        else:
            loaded = (await studio.home.workflows.load(found.workflow)).loaded
        frozen = await freeze_node(studio.home, found.id, body.node, loaded)
        return JsonResponse(
            {
                "format": loaded.format,
                "document": convert(frozen.workflow, loaded.format),
                "calls": [{"tool": one.tool, "arguments": one.arguments} for one in frozen.chosen],
                "problems": [problem.as_json() for problem in frozen.problems],
            }
        )

    router = APIRouter(prefix="/api/v1/runs", tags=["runs"])
    router.add_api_route(
        "/{run}/freeze",
        freeze_chosen,
        methods=["POST"],
        dependencies=[Depends(authenticator.require("workflows:read"))],
        responses=responses(FreezeResponse, 404, 409, *KEYED, *READING),
        openapi_extra=openapi.keyed(FreezeRequest),
    )
    return router
