"""`/api/v1/runs/{run}/…`: the workflow, inputs and outputs of a run."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response
from pydantic import BaseModel

from toolweave.app.running_studio import RunningStudio
from toolweave.engine.events import Finished
from toolweave.engine.execution_report import records
from toolweave.engine.step_snapshot import StepSnapshot
from toolweave.errors import NotFound, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.rest import openapi
from toolweave.rest.auth import Authenticator
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.response_models import KEYED, responses
from toolweave.rest.routes.runs import ALL, PRINTABLE, MaxChars, RunId
from toolweave.rest.truncation import PICTURES, TruncatedValue, cut, picture_at
from toolweave.workflow.formats.load import convert

StepKey = Annotated[
    str, Query(min_length=1, max_length=1_000, pattern=PRINTABLE, description="The step's key")
]

AnyStep = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=1_000,
        pattern=PRINTABLE,
        alias="step",
        description="The step's key; default: the result of the whole run",
    ),
]
PictureAt = Annotated[
    str, Query(max_length=1_000, description="The image in the value, as a JSON pointer")
]
_ANY: dict[str, Any] = {"headers": {"X-Request-ID": {"schema": {"type": "string"}}}}
_RAW: dict[str, dict[int | str, dict[str, Any]]] = {
    "/{run}/output": {200: {**_ANY, "content": {"application/json": {"schema": {}}}}},
    "/{run}/picture": {
        200: {
            **_ANY,
            "content": {
                one: {"schema": {"type": "string", "format": "binary"}} for one in sorted(PICTURES)
            },
        }
    },
}


class RunWorkflowResponse(BaseModel):
    """The workflow of a run as of its start, in canonical JSON."""

    run: str
    document: dict[str, Any]


class StepInputResponse(BaseModel):
    """The input of a step."""

    run: str
    step: str
    input: Any
    # Describes the input if it is too large.
    cut: TruncatedValue | None = None
    # The resolved configuration and inputs of the step, without secrets.
    given: dict[str, Any] | None = None


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._engine = studio.engine
        self._masker = studio.home.masker

    async def show_run_workflow(self, run: RunId) -> Response:
        """Show the workflow of a run as of its start."""
        found = await self._engine.get(run)
        plan = await self._engine.plan(found.id)
        return JsonResponse({"run": found.id, "document": convert(plan.workflow, "toolweave")})

    async def show_step_input(
        self, run: RunId, step: StepKey, max_chars: MaxChars = None
    ) -> Response:
        """Show the input of a step; with `maxChars`, also its resolved configuration."""
        found = await self._engine.get(run)
        moment = await self._engine.moment(found.id, step)
        value = moment.binder.incoming(moment.place)
        content: JsonObject = {"run": found.id, "step": step, "input": value}
        if max_chars is not None:
            if (short := cut(value, max_chars)) is not None:
                content |= {"input": None, "cut": short}
            content["given"] = self._given(moment, max_chars)
        return JsonResponse(content)

    async def show_step_output(self, run: RunId, step: AnyStep = None) -> Response:
        """Download the full output of a step, or of the run, as JSON."""
        value = await self._gave(run, step)
        headers = {"Content-Disposition": 'attachment; filename="output.json"'}
        return JsonResponse(value, 200, headers)

    async def show_step_picture(self, run: RunId, step: StepKey, at: PictureAt = "") -> Response:
        """Return an image in the output of a step."""
        found = picture_at(await self._gave(run, step), at)
        if found is None:
            message = f"the output of step {step!r} has no image at {at!r}"
            raise NotFound("PICTURE_UNKNOWN", message)
        data, media_type = found
        return Response(data, media_type=media_type, headers={"X-Content-Type-Options": "nosniff"})

    async def _gave(self, run: str, step: str | None) -> Json:
        found = await self._engine.get(run)
        entries = await self._engine.journal.read(found.id)
        if step is None:
            last = entries[-1].event
            return last.result if isinstance(last, Finished) else None
        record = next((one for one in records(entries) if one.key == step), None)
        if record is None:
            raise NotFound("STEP_UNKNOWN", f"run {found.id!r} has no step {step!r}")
        return record.value

    def _given(self, moment: StepSnapshot, max_chars: int) -> JsonObject | None:
        """Return the resolved configuration of a step, or None if it is unknown."""
        place = moment.place
        try:
            given = moment.binder.given(place)
        except ToolweaveError:
            return None
        if place.step.node.type == "mcp":
            values = given.config.get("parameterValues")
            content: JsonObject = {"parameterValues": values} if values else {}
        else:
            content = {**given.config, **given.inputs}
        shown = self._masker.mask_json(content)
        is_large = not content or cut(content, max_chars) is not None
        return None if is_large or not isinstance(shown, dict) else shown


def run_detail_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The four endpoints; all need `workflows:read`."""
    handlers = _Handlers(studio)
    router = APIRouter(prefix=ALL, tags=["runs"])
    for path, answer, ok in (
        ("/{run}/workflow", handlers.show_run_workflow, RunWorkflowResponse),
        ("/{run}/input", handlers.show_step_input, StepInputResponse),
        ("/{run}/output", handlers.show_step_output, None),
        ("/{run}/picture", handlers.show_step_picture, None),
    ):
        router.add_api_route(
            path,
            answer,
            dependencies=[Depends(authenticator.require("workflows:read"))],
            responses=responses(ok, 404, 422, *KEYED) | _RAW.get(path, {}),
            openapi_extra=openapi.KEYED,
        )
    return router
