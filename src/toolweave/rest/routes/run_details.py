"""`/api/v1/runs/{run}/…`: what a person who looks at a run wants beside its events."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response
from pydantic import BaseModel

from toolweave.app.workbench import Workbench
from toolweave.rest import openapi
from toolweave.rest.answers import json_answer
from toolweave.rest.auth import Doorkeeper
from toolweave.rest.routes.runs import ALL, PRINTED, RunId
from toolweave.rest.shapes import KEYED, responses
from toolweave.workflow.formats.load import convert

StepKey = Annotated[
    str, Query(min_length=1, max_length=1_000, pattern=PRINTED, description="The step's key")
]


class PinnedWorkflow(BaseModel):
    """The workflow as it was when the run began, in canonical JSON."""

    run: str
    document: dict[str, Any]


class CameIn(BaseModel):
    """What came in to a step."""

    run: str
    step: str
    input: Any


class _Answers:
    """The handlers."""

    def __init__(self, workbench: Workbench) -> None:
        self._engine = workbench.engine

    async def show_run_workflow(self, run: RunId) -> Response:
        """The workflow that a run is of, as it was when the run began."""
        found = await self._engine.get(run)
        plan = await self._engine.plan(found.id)
        return json_answer({"run": found.id, "document": convert(plan.workflow, "toolweave")})

    async def show_step_input(self, run: RunId, step: StepKey) -> Response:
        """What came in to one step of a run."""
        found = await self._engine.get(run)
        value = await self._engine.came_in(found.id, step)
        return json_answer({"run": found.id, "step": step, "input": value})


def run_detail_routes(workbench: Workbench, doorkeeper: Doorkeeper) -> APIRouter:
    """The two endpoints; both need `workflows:read`."""
    answers = _Answers(workbench)
    router = APIRouter(prefix=ALL, tags=["runs"])
    for path, answer, ok in (
        ("/{run}/workflow", answers.show_run_workflow, PinnedWorkflow),
        ("/{run}/input", answers.show_step_input, CameIn),
    ):
        router.add_api_route(
            path,
            answer,
            dependencies=[Depends(doorkeeper.wants("workflows:read"))],
            responses=responses(ok, 404, 422, *KEYED),
            openapi_extra=openapi.KEYED,
        )
    return router
